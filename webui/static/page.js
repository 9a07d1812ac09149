// What all pages do: one stream of news, drawn as it comes, and nothing kept that the server does not know.

const RETRY = 3000; // ms between tries when the stream is gone
const KEPT = 1000; // entries of commentary

const ICONS = {
  fault: "M5 5L15 15M15 5L5 15",
  illegal: "M10 3.5V11.5M10 16V16.1",
  doubt: "M6.5 7A3.5 3.5 0 1 1 10 10.5V12M10 16V16.1",
  desync: "M4 7.5H16M4 12.5H16M13 3.5L7 16.5",
  ok: "M4 10.5L8.5 15L16 6",
  waiting: "M4.5 10V10.1M10 10V10.1M15.5 10V10.1",
  failed: "M5 5L15 15M15 5L5 15",
  camera: "M3 6.5H6.5L8 4.5H12L13.5 6.5H17V15.5H3ZM10 8.2A2.6 2.6 0 1 1 9.9 8.2",
};
const LABELS = { fault: "Invalid throw", illegal: "Illegal play", doubt: "In doubt", desync: "Out of step" };
const EMPTY = "The whole board must be in the camera’s picture, set up for the start of a game.";
const GAMES = { backgammon: "Backgammon", "long-nardy": "Long nardy" };
const MATCHES = { 0: "unlimited", 1: "single game" };

export const $ = (id) => document.getElementById(id);
export const SIDES = ["white", "black"];

let seen = 0; // id of the newest event shown
let newest = 0; // id of the newest event there is
let first = 0; // id of the first event of the match
let corrections = []; // of those shown: id, id of what it corrects, action
let paused = null; // where the board does not stand as recorded
let onState = () => {};
let onEntry = () => {};

// --- small builders -------------------------------------------------------------------------------

export function el(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

export function drawing(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

export function clock(seconds) {
  const pad = (n) => String(n).padStart(2, "0");
  const s = Math.max(0, Math.floor(seconds));
  const minutes = `${pad(Math.floor(s / 60) % 60)}:${pad(s % 60)}`;
  return s < 3600 ? minutes : `${Math.floor(s / 3600)}:${minutes}`;
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Puts an SVG text into a node, unless it is there already. */
export function setDrawing(node, text, otherwise) {
  if (node.drawn === text && text !== null) return;
  node.drawn = text;
  node.replaceChildren(text === null ? otherwise() : drawing(text));
}

// --- the state ------------------------------------------------------------------------------------

function show(next) {
  if (next.last_id < seen) forget(); // another store than the one this page was reading
  newest = next.last_id;
  first = next.first_id;
  settle();

  const title = [GAMES[next.game], MATCHES[next.match_length] ?? `match to ${next.match_length}`];
  if (next.rules) title.push(`rules ${next.rules}`);
  setText($("match"), next.game ? title.join(" · ") : "");
  setText($("score"), SIDES.map((side) => next.score[side]).join("–"));
  $("length").replaceChildren(MATCHES[next.match_length] ?? `to ${next.match_length}`);
  if (next.cube && !next.cube.owner && next.cube.value > 1) $("length").append(cube(next.cube.value));
  document.title = `${next.players.white} ${$("score").textContent} ${next.players.black} · Zarbiter`;

  for (const side of SIDES) player(side, next);
  setDrawing($("dice"), next.dice_svg, () => el("span", "no-dice"));
  setText($("headline"), headline(next));
  paused = next.disagreement;
  if (paused) setText($("latest"), paused.sentence);
  setDrawing($("board"), next.board_svg, () => el("p", "empty", EMPTY));
  health(next.health);
  onState(next);
}

function player(side, next) {
  const card = $(side);
  const other = side === "white" ? "black" : "white";
  const lead = next.pips[other] - next.pips[side];
  card.classList.toggle("on-move", next.side_to_move === side);
  card.querySelector(".swatch").dataset.colour = next.colours[side];
  setText(card.querySelector(".name"), next.players[side]);
  const pips = card.querySelector(".pips");
  const facts = next.position ? [`${next.pips[side]} ${next.pips[side] === 1 ? "pip" : "pips"}`] : [];
  if (lead > 0) facts.push(`leads by ${lead}`);
  pips.replaceChildren(el("span", "", facts.join(", ")));
  if (next.side_to_move === side) pips.append(el("span", "to-move", "to move"));
  if (next.cube?.owner === side) pips.append(cube(next.cube.value));
}

function cube(value) {
  const chip = el("span", "cube", String(value));
  chip.prepend(el("span", "unseen", "cube at "));
  return chip;
}

function headline(next) {
  const name = next.players[next.side_to_move] ?? "";
  const dice = next.dice ? next.dice.join("-") : "";
  if (next.disagreement) return next.disagreement.restoring ? "The board is being put back" : "Judging is paused";
  if (name && next.phase === "waiting for a throw") return `${name} to throw`;
  if (next.phase === "cube offered") return "A double waits for its answer";
  if (name && next.phase === "rolling") return `${name} throws`;
  if (name && next.phase === "moving" && dice) return `${name} to play ${dice}`;
  return sentence(next.phase);
}

const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

function health(parts) {
  const key = JSON.stringify(parts);
  if ($("health").key === key) return;
  $("health").key = key;
  $("health").replaceChildren(
    ...parts.map(({ part, state, message }) => {
      const words = message || { ok: "", waiting: "waiting", failed: "failed" }[state];
      const item = el("li", "", icon(state), el("span", "", words ? `${part}: ${words}` : part));
      if (state === "ok") item.append(el("span", "unseen", " works"));
      item.dataset.state = state;
      return item;
    }),
  );
}

// --- the commentary -------------------------------------------------------------------------------

function tell(item) {
  if (item.id <= seen) return;
  seen = item.id;
  newest = Math.max(newest, seen);
  $("log").prepend(entry(item));
  if (item.event.type === "correction") {
    corrections.push({ id: item.id, target: first + item.event.target, action: item.event.action });
    markCorrected();
  }
  while ($("log").children.length > KEPT) $("log").lastElementChild.remove();
  if (seen === newest) latest(item);
  settle();
}

function entry(told) {
  const { event, sentence, alert } = told;
  const time = el("time", "", clock(event.t));
  const side = el("span", "swatch");
  if (event.colour) side.dataset.colour = event.colour;
  const text = el("p", "", ...words(sentence, alert));
  const item = el("li", "", time, side, text);
  item.dataset.alert = alert;
  item.told = told.id;
  onEntry(told, item);
  return item;
}

/** A sentence with what is wrong in front of it: as an icon and in bold words, never by colour alone. */
export function words(sentence, alert) {
  if (alert === "none") return [sentence];
  const label = LABELS[alert];
  const begins = sentence.startsWith(label);
  const rest = begins ? sentence.slice(label.length) : ` ${sentence}`;
  return [icon(alert), el("strong", "label", begins ? label : `${label}:`), rest];
}

/** What was corrected stays in the record, and is seen to be corrected. */
function markCorrected() {
  const stands = ({ id }) => !corrections.some((later) => later.target === id && later.action === "strike" && stands(later));
  const gone = new Set(corrections.filter((c) => c.action !== "insert" && stands(c)).map(({ target }) => target));
  for (const node of $("log").children) {
    const corrected = gone.has(node.told);
    if (node.classList.contains("corrected") === corrected) continue;
    node.classList.toggle("corrected", corrected);
    const text = node.querySelector("p");
    if (corrected) text.append(el("em", "note", " corrected"));
    else text.querySelector(".note").remove();
  }
}

function latest(item) {
  const alarm = item.alert !== "none";
  setText($("latest"), paused ? paused.sentence : item.sentence);
  $("now").dataset.alert = item.alert;
  $("turn").hidden = alarm;
  const rule = item.event.rule ? [el("span", "rule", `Rule ${item.event.rule}`)] : [];
  $("call").replaceChildren(...(alarm ? [el("p", "", ...words(item.sentence, item.alert)), ...rule] : []));
}

/** Entries that were there before the page are not read aloud; those that come now are. */
function settle() {
  if (seen >= newest) $("log").setAttribute("aria-live", "polite");
}

function forget() {
  seen = 0;
  corrections = [];
  $("log").setAttribute("aria-live", "off");
  $("log").replaceChildren();
  $("call").replaceChildren();
  $("latest").textContent = "";
  $("now").dataset.alert = "none";
  $("turn").hidden = false;
}

// --- the camera's picture -------------------------------------------------------------------------

/** Draws the newest picture if it is newer than `after`; gives its number, or `null` if there is none. */
export async function drawPicture(canvas, after) {
  const answer = await fetch(`/frame.jpg?after=${after}`);
  if (answer.status !== 200) return null;
  const image = await createImageBitmap(await answer.blob());
  if (canvas.width !== image.width || canvas.height !== image.height) {
    canvas.width = image.width;
    canvas.height = image.height;
  }
  canvas.getContext("2d").drawImage(image, 0, 0);
  image.close();
  return Number(answer.headers.get("X-Frame"));
}

// --- the connection -------------------------------------------------------------------------------

const LINKS = {
  live: "live",
  polling: "no live stream, refreshing every 3 s",
  lost: "Connection lost, trying again",
};

function linked(how) {
  $("link").dataset.state = how;
  document.body.dataset.link = how;
  setText($("link"), LINKS[how]);
}

function connect() {
  const source = new EventSource(`/stream?after=${seen}`);
  source.onopen = () => linked("live");
  source.addEventListener("state", (message) => show(JSON.parse(message.data)));
  source.addEventListener("told", (message) => tell(JSON.parse(message.data)));
  source.onerror = async () => {
    source.close();
    await refresh();
    setTimeout(connect, RETRY);
  };
}

/** What a page without a stream does: it asks. */
async function refresh() {
  try {
    const get = async (path) => {
      const answer = await fetch(path);
      if (!answer.ok) throw new Error(answer.statusText);
      return answer.json();
    };
    show(await get("/api/state"));
    for (const item of (await get(`/api/events?after=${seen}`)).events) tell(item);
    linked("polling");
  } catch {
    linked("lost");
  }
}

/** Follows the match. `stateShown` is called after each state, `entryMade` with each event and its node. */
export function follow({ stateShown, entryMade = () => {} }) {
  onState = stateShown;
  onEntry = entryMade;
  connect();
}
