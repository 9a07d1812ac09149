// The live page: one stream of news, one picture at a time, and nothing kept that the server does not know.

const RETRY = 3000; // ms between tries when the stream is gone
const FRAME = 200; // ms between pictures
const IDLE = 1000; // ms between pictures while there are none
const KEPT = 1000; // entries of commentary

const ICONS = {
  fault: "M5 5L15 15M15 5L5 15",
  illegal: "M10 3.5V11.5M10 16V16.1",
  doubt: "M6.5 7A3.5 3.5 0 1 1 10 10.5V12M10 16V16.1",
  desync: "M4 7.5H16M4 12.5H16M13 3.5L7 16.5",
  ok: "M4 10.5L8.5 15L16 6",
  waiting: "M4.5 10V10.1M10 10V10.1M15.5 10V10.1",
  failed: "M5 5L15 15M15 5L5 15",
};
const LABELS = { fault: "Invalid throw", illegal: "Illegal play", doubt: "In doubt", desync: "Out of step" };
const EMPTY = "The whole board must be in the camera’s picture, set up for the start of a game.";
const GAMES = { backgammon: "Backgammon", "long-nardy": "Long nardy" };
const MATCHES = { 0: "unlimited", 1: "single game" };

const $ = (id) => document.getElementById(id);
const SIDES = ["white", "black"];

let seen = 0; // id of the newest event shown
let newest = 0; // id of the newest event there is
let state = null;

// --- small builders -------------------------------------------------------------------------------

function el(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

function drawing(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

function clock(seconds) {
  const pad = (n) => String(n).padStart(2, "0");
  const s = Math.max(0, Math.floor(seconds));
  const minutes = `${pad(Math.floor(s / 60) % 60)}:${pad(s % 60)}`;
  return s < 3600 ? minutes : `${Math.floor(s / 3600)}:${minutes}`;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Puts an SVG text into a node, unless it is there already. */
function setDrawing(node, text, otherwise) {
  if (node.drawn === text && text !== null) return;
  node.drawn = text;
  node.replaceChildren(text === null ? otherwise() : drawing(text));
}

// --- the state ------------------------------------------------------------------------------------

function show(next) {
  if (next.last_id < seen) forget(); // another store than the one this page was reading
  state = next;
  newest = next.last_id;
  settle();

  const title = [GAMES[next.game], MATCHES[next.match_length] ?? `match to ${next.match_length}`];
  if (next.rules) title.push(`rules ${next.rules}`);
  setText($("match"), next.game ? title.join(" · ") : "");
  setText($("score"), SIDES.map((side) => next.score[side]).join("–"));
  setText($("length"), MATCHES[next.match_length] ?? `to ${next.match_length}`);
  document.title = `${next.players.white} ${$("score").textContent} ${next.players.black} · Zarbiter`;

  for (const side of SIDES) player(side, next);
  setDrawing($("dice"), next.dice_svg, () => el("span", "no-dice"));
  setText($("headline"), headline(next));
  setDrawing($("board"), next.board_svg, () => el("p", "empty", EMPTY));
  table(next);
  health(next.health);
  setText($("rate"), next.frames_per_second ? `${next.frames_per_second.toFixed(1)} frames/s` : "");
}

function player(side, next) {
  const card = $(side);
  const other = side === "white" ? "black" : "white";
  const lead = next.pips[other] - next.pips[side];
  card.classList.toggle("on-move", next.side_to_move === side);
  card.querySelector(".swatch").dataset.colour = next.colours[side];
  setText(card.querySelector(".name"), next.players[side]);
  const pips = card.querySelector(".pips");
  const facts = next.position ? [`${next.pips[side]} pips`] : [];
  if (lead > 0) facts.push(`leads by ${lead}`);
  pips.replaceChildren(el("span", "", facts.join(", ")));
  if (next.side_to_move === side) pips.append(el("span", "to-move", "to move"));
}

function headline(next) {
  const name = next.players[next.side_to_move] ?? "";
  const dice = next.dice ? next.dice.join("-") : "";
  if (name && next.phase === "waiting for a throw") return `${name} to throw`;
  if (name && next.phase === "rolling") return `${name} throws`;
  if (name && next.phase === "moving" && dice) return `${name} to play ${dice}`;
  return sentence(next.phase);
}

const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

function table(next) {
  for (const side of SIDES) setText($(`${side}-column`), next.players[side]);
  const rows = [];
  const row = (name, counts) => {
    if (!counts.some(Boolean)) return;
    const head = el("th", "", name);
    head.scope = "row";
    rows.push(el("tr", "", head, ...counts.map((count) => el("td", "", String(count)))));
  };
  const counts = SIDES.map((side) => new Map(next.points[side]));
  for (let point = 24; point; point--) row(`${point}`, counts.map((map) => map.get(point) ?? 0));
  if (next.position) {
    row("Bar", next.position.bar);
    row("Off", next.position.off);
  }
  $("points").replaceChildren(...rows);
}

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
  const camera = parts.find(({ part }) => part === "camera");
  blind(camera && camera.state === "failed" ? `Camera: ${camera.message || "failed"}` : "");
}

// --- the commentary -------------------------------------------------------------------------------

function tell(item) {
  if (item.id <= seen) return;
  seen = item.id;
  newest = Math.max(newest, seen);
  $("log").prepend(entry(item));
  while ($("log").children.length > KEPT) $("log").lastElementChild.remove();
  if (seen === newest) latest(item);
  settle();
}

function entry({ event, sentence, alert }) {
  const time = el("time", "", clock(event.t));
  const side = el("span", "swatch");
  if (event.colour) side.dataset.colour = event.colour;
  const text = el("p", "", ...words(sentence, alert));
  const item = el("li", "", time, side, text);
  item.dataset.alert = alert;
  return item;
}

/** A sentence with what is wrong in front of it: as an icon and in bold words, never by colour alone. */
function words(sentence, alert) {
  if (alert === "none") return [sentence];
  const label = LABELS[alert];
  const begins = sentence.startsWith(label);
  const rest = begins ? sentence.slice(label.length) : ` ${sentence}`;
  return [icon(alert), el("strong", "label", begins ? label : `${label}:`), rest];
}

function latest(item) {
  const alarm = item.alert !== "none";
  setText($("latest"), item.sentence);
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
  $("log").setAttribute("aria-live", "off");
  $("log").replaceChildren();
  $("call").replaceChildren();
  $("latest").textContent = "";
  $("now").dataset.alert = "none";
  $("turn").hidden = false;
}

// --- the connection -------------------------------------------------------------------------------

const LINKS = {
  live: "live",
  polling: "live stream full, refreshing every 3 s",
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

// --- the picture ----------------------------------------------------------------------------------

let hasPicture = false;
let trouble = "";

function blind(words) {
  trouble = words;
  const text = trouble || (hasPicture ? "" : "No picture yet");
  $("blind").hidden = !text;
  setText($("blind"), text);
}

async function pictures() {
  const canvas = $("picture");
  const context = canvas.getContext("2d");
  let number = 0;
  for (;;) {
    let pause = FRAME;
    try {
      if (document.hidden || document.body.dataset.link === "lost") {
        pause = IDLE;
      } else {
        const answer = await fetch(`/frame.jpg?after=${number}`);
        if (answer.status === 200) {
          const image = await createImageBitmap(await answer.blob());
          number = Number(answer.headers.get("X-Frame"));
          if (canvas.width !== image.width || canvas.height !== image.height) {
            canvas.width = image.width;
            canvas.height = image.height;
          }
          context.drawImage(image, 0, 0);
          image.close();
          hasPicture = true;
          blind(trouble);
        } else if (!number) {
          pause = IDLE;
        }
      }
    } catch {
      number = 0; // the server is gone; another one counts anew
      pause = IDLE;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

connect();
pictures();
