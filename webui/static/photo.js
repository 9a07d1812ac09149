// The photo page: a picture goes in, its position comes out, and can be put right.
// What is shown and edited is kept here; the server reads pictures and tells positions, and keeps neither.

import { key, passKey, sentence } from "./key.js";
import { $, el, icon, setText } from "./page.js";

const WIDEST = 1600; // pixels of the picture as it is shown
const SURE = 0.8; // confidence from which a reading is shown without a question mark
const MOST = 15; // checkers a side
const STEPS = 200; // that can be undone
const CORNERS = ["Top left", "Top right", "Bottom right", "Bottom left"];
const STATES = { flat: "flat", cocked: "cocked", on_checker: "on a checker", on_frame: "on the frame", off_board: "off the board" };
const FORMS = {
  xgid: "XGID",
  gnubg_id: "GNU Backgammon: position and match id",
  fibs: "FIBS board",
  position: "Short form, for zarbiter legal",
};
const SVG = "http://www.w3.org/2000/svg";

// --- asking the server -----------------------------------------------------------------------------

async function ask(path, body) {
  const headers = { "X-Referee-Key": key() };
  if (!(body instanceof FormData)) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers, body: body instanceof FormData ? body : JSON.stringify(body) });
  } catch {
    throw new Error("The program cannot be reached; nothing was changed.");
  }
  let data = {};
  try {
    data = await answer.json();
  } catch {
    // A server that gives up on a request by itself answers in words of its own.
  }
  if (!answer.ok) throw new Error(sentence(data.error ?? `the program answers ${answer.status} ${answer.statusText}`));
  return data;
}

function say(words, kind) {
  $("said").dataset.kind = kind;
  const marks = { done: [icon("ok")], refused: [icon("failed")], doubt: [icon("doubt")] }[kind] ?? [];
  $("said").replaceChildren(...marks, words);
  $("link").dataset.state = kind === "busy" ? "waiting" : "live";
  setText($("link"), kind === "busy" ? "reading" : "ready");
}

// --- what is shown ---------------------------------------------------------------------------------
// `board` is what can be edited and undone; `read` the server's answer to the picture, if there is one.

let file = null;
let size = [0, 0]; // of the picture, as corners and boxes are counted
let corners = null; // as given by hand, or as found
let byHand = false; // whether the corners were given by hand
let read = null;
let board = blank();
let past = [];
let chosen = null; // index of the chosen place: 0-23 the slots, 24 and 25 light and dark on the bar
let brush = "light";
let kept = "";

function blank() {
  return { slots: Array(24).fill(0), bar: [0, 0], dice: [], edited: {} };
}

const copy = (value) => structuredClone(value);

/** Everything that changes the position goes through here, so that all of it can be undone. */
function change(how) {
  const before = JSON.stringify(board);
  const next = copy(board);
  how(next);
  if (JSON.stringify(next) === before) return;
  past.push(before);
  if (past.length > STEPS) past.shift();
  board = next;
  show();
}

function undo() {
  if (!past.length) return;
  board = JSON.parse(past.pop());
  show();
}

// --- a picture -------------------------------------------------------------------------------------

async function take(picture) {
  if (!picture) return;
  const longest = Number($("drop").dataset.longest);
  if (picture.size > longest) {
    say(`${picture.name} is larger than ${longest >> 20} MB; a smaller copy of it will do.`, "refused");
    return;
  }
  file = picture;
  read = corners = null;
  byHand = false;
  document.body.classList.add("has-picture");
  setText($("invitation"), "Drop another picture here");
  await draw(picture);
  await readPicture();
}

/** Shows the picture. Kinds that a browser does not know are read all the same. */
async function draw(picture) {
  $("stage").hidden = true;
  size = [0, 0];
  try {
    const image = await createImageBitmap(picture);
    const scale = Math.min(1, WIDEST / Math.max(image.width, image.height));
    const canvas = $("photo");
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    size = [image.width, image.height];
    image.close();
    canvas.setAttribute("aria-label", `The picture ${picture.name}`);
    $("stage").style.maxWidth = `calc(60dvh * ${canvas.width / canvas.height})`;
    $("stage").hidden = false;
  } catch {
    // The answer of the server says whether it is a picture.
  }
  overlay();
}

let asked = 0; // readings asked for; only the answer to the last one counts

async function readPicture() {
  const mine = ++asked;
  const form = new FormData();
  form.append("picture", file);
  if (byHand) form.append("corners", JSON.stringify(corners));
  say(byHand ? "Reading the picture with these corners …" : "Reading the picture …", "busy");
  try {
    const answer = await ask("/api/photo", form);
    if (mine === asked) take_in(answer);
  } catch (error) {
    if (mine !== asked) return;
    if (size[0] && !corners) {
      // Somewhere to begin from.
      corners = [[0.15, 0.15], [0.85, 0.15], [0.85, 0.85], [0.15, 0.85]].map(([x, y]) => [x * size[0], y * size[1]]);
    }
    const help = size[0] ? " Drag the four corners onto those of the playing field, and it is read with them." : "";
    say(`${error.message.replace(/\.?$/, ".")}${help}`, "refused");
    overlay();
  }
}

function take_in(answer) {
  read = answer;
  size = answer.size;
  if (!answer.board) {
    say("No board was found.", "refused");
    return;
  }
  if (!byHand) corners = answer.board.corners;
  const signed = (slot) => (slot.colour === "dark" ? -slot.count : slot.count);
  const next = {
    slots: [...answer.slots.top, ...answer.slots.bottom].map(signed),
    bar: [answer.bar.light, answer.bar.dark],
    dice: answer.dice.map(({ value, box, half, state, confidence }) => ({ value, box, half, state, confidence })),
    edited: {},
  };
  if (answer.cube?.value > 1 && answer.cube.value < 64) $("cube").value = String(answer.cube.value);
  chosen = null;
  change((now) => Object.assign(now, next));
  show();
  const doubtful = board.slots.filter((_, place) => isDoubtful(place)).length;
  const points = doubtful === 1 ? "one point is" : `${doubtful} points are`;
  say(doubtful ? `Read; ${points} doubtful and marked with a question mark.` : "Read.", doubtful ? "doubt" : "done");
}

// --- the position ----------------------------------------------------------------------------------

const countAt = (place, of = board) => (place < 24 ? of.slots[place] : place === 24 ? of.bar[0] : -of.bar[1]);

function set(place, signed) {
  change((now) => {
    const count = Math.max(-MOST, Math.min(MOST, signed));
    if (place < 24) now.slots[place] = count;
    else now.bar[place - 24] = Math.abs(count);
    now.edited[place] = true;
  });
}

const colourAt = (place) => {
  if (place >= 24) return place === 24 ? "light" : "dark";
  const count = countAt(place);
  return count ? (count > 0 ? "light" : "dark") : brush;
};

function step(place, by) {
  const colour = colourAt(place);
  brush = place < 24 ? colour : brush;
  const count = Math.max(0, Math.abs(countAt(place)) + by);
  set(place, colour === "light" ? count : -count);
}

function recolour(place, colour) {
  brush = colour;
  if (place < 24) set(place, Math.abs(countAt(place)) * (colour === "light" ? 1 : -1));
  show();
}

const readings = (place) => {
  if (!read?.alternatives) return [];
  const { top, bottom, bar } = read.alternatives;
  return place < 24 ? [...top, ...bottom][place] : bar[place - 24];
};

function isDoubtful(place) {
  const first = readings(place)[0];
  return Boolean(first) && first.confidence < SURE && !board.edited[place];
}

const words = (count, colour) => (count ? `${count} ${colour}` : "empty");
const inWords = (place) => words(Math.abs(countAt(place)), countAt(place) > 0 ? "light" : "dark");
const percent = (share) => `${Math.round(100 * share)} %`;

let numbers = Array(24).fill("");

function nameOf(place) {
  if (place === 24) return "Light on the bar";
  if (place === 25) return "Dark on the bar";
  const row = place < 12 ? "top" : "bottom";
  const point = numbers[place] ? `Point ${numbers[place]}, ` : "";
  return `${point}${row} row, ${(place % 12) + 1} from the left`;
}

const places = []; // the buttons

function build() {
  const add = (place, row, css) => {
    const button = el("button", `${row} ${css}`, el("span", "triangle"), el("span", "number"));
    if (css === "bar") button.firstChild.remove();
    button.type = "button";
    button.tabIndex = place ? -1 : 0;
    button.addEventListener("click", (event) => clicked(place, event));
    button.addEventListener("keydown", (event) => keyed(place, event));
    button.addEventListener("focus", () => roam(place));
    places[place] = button;
    $("wood").append(button);
  };
  for (const row of ["top", "bottom"]) {
    for (let column = 0; column < 12; column++) {
      if (column === 6) add(row === "top" ? 25 : 24, row, "bar");
      add(column + (row === "top" ? 0 : 12), row, (column + (row === "top" ? 1 : 0)) % 2 ? "odd" : "even");
    }
  }
}

/** One place at a time is reached by Tab; arrows go from there. */
function roam(place) {
  for (const [index, button] of places.entries()) button.tabIndex = index === place ? 0 : -1;
}

function choose(place) {
  chosen = place;
  show();
}

function clicked(place, event) {
  // A doubtful point is looked at first: its other readings are offered.
  if (chosen === place || !isDoubtful(place)) step(place, event.target.closest(".checker") ? -1 : 1);
  choose(place);
}

const GRID = [
  [0, 1, 2, 3, 4, 5, 25, 6, 7, 8, 9, 10, 11],
  [12, 13, 14, 15, 16, 17, 24, 18, 19, 20, 21, 22, 23],
];

function keyed(place, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const row = GRID[0].includes(place) ? 0 : 1;
  const column = GRID[row].indexOf(place);
  const go = { ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], ArrowUp: [0, column], ArrowDown: [1, column] }[event.key];
  const colour = colourAt(place) === "light" ? 1 : -1;
  if (go) {
    const next = GRID[go[0]][Math.max(0, Math.min(12, go[1]))];
    places[next].focus();
    choose(next);
  } else if (event.key === "+" || event.key === "=") {
    step(place, 1);
  } else if (event.key === "-" || event.key === "Backspace") {
    step(place, -1);
  } else if (event.key === "Delete") {
    set(place, 0);
  } else if (/^[0-9]$/.test(event.key)) {
    set(place, colour * Number(event.key));
  } else if (event.key === "c" || event.key === "C") {
    recolour(place, colour > 0 ? "dark" : "light");
  } else {
    return;
  }
  event.preventDefault();
  choose(go ? chosen : place);
}

function showPlace(place) {
  const button = places[place];
  const signed = countAt(place);
  const count = Math.abs(signed);
  const colour = signed > 0 ? "light" : "dark";
  const top = button.classList.contains("top");
  const room = place < 24 ? 5.3 : 4.6; // checkers that fit side by side
  const gap = count > 1 ? Math.min(0.94, (room - 0.94) / (count - 1)) : 0;
  if (button.shown !== signed) {
    // Only then: a checker that is replaced between press and release was not clicked.
    button.shown = signed;
    button.querySelectorAll(".checker").forEach((node) => node.remove());
    for (let k = 0; k < count; k++) {
      const checker = el("span", `checker ${colour}`);
      checker.style[top ? "top" : "bottom"] = `calc(${k * gap} * var(--d))`;
      if (k === count - 1 && count > 4) checker.textContent = String(count);
      button.append(checker);
    }
  }
  setText(button.querySelector(".number"), place < 24 ? String(numbers[place]) : "");
  const doubtful = isDoubtful(place);
  button.classList.toggle("doubtful", doubtful);
  button.setAttribute("aria-pressed", String(chosen === place));
  const sure = doubtful ? `, doubtful, ${percent(readings(place)[0].confidence)}` : board.edited[place] ? ", set by hand" : "";
  button.setAttribute("aria-label", `${nameOf(place)}: ${inWords(place)}${sure}`);
}

function showChosen() {
  $("change").hidden = chosen === null;
  $("others").hidden = chosen === null;
  if (chosen === null) {
    $("chosen-name").replaceChildren(el("strong", "", "Choose a point"));
    return;
  }
  const [first, ...rest] = readings(chosen);
  const was = first ? ` — read: ${words(first.count, first.colour)}, ${percent(first.confidence)}` : "";
  $("chosen-name").replaceChildren(el("strong", "", nameOf(chosen)), was);
  setText($("count"), String(Math.abs(countAt(chosen))));
  for (const radio of document.querySelectorAll("[name=colour]")) {
    radio.checked = radio.value === colourAt(chosen);
    radio.disabled = chosen >= 24;
  }
  const signedOf = ({ count, colour }) => (colour === "dark" ? -count : count);
  const offered = [first, ...rest].filter((one) => one && signedOf(one) !== countAt(chosen));
  const place = chosen;
  const choice = (text, signed) => {
    const button = el("button", "", text);
    button.type = "button";
    button.addEventListener("click", () => {
      set(place, signed);
      places[place].focus();
    });
    return button;
  };
  $("others").replaceChildren(
    ...(isDoubtful(place) ? [choice("That is right", countAt(place))] : []),
    ...(offered.length ? ["It could also be"] : []),
    ...offered.map((one) => choice(`${words(one.count, one.colour)} (${percent(one.confidence)})`, signedOf(one))),
  );
}

// --- dice ------------------------------------------------------------------------------------------

function select(label, value, choices, onChange) {
  const node = el("select");
  node.setAttribute("aria-label", label);
  for (const [key, text] of choices) {
    const option = el("option", "", text);
    option.value = key;
    node.append(option);
  }
  node.value = String(value);
  node.addEventListener("change", () => onChange(node.value));
  return node;
}

const PIPS = { 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]] };
PIPS[4] = [...PIPS[2], [1, -1], [-1, 1]];
PIPS[5] = [...PIPS[4], [0, 0]];
PIPS[6] = [...PIPS[4], [-1, 0], [1, 0]];

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function face(value) {
  return svg(
    "svg",
    { class: "face", viewBox: "-20 -20 40 40", "aria-hidden": "true" },
    svg("rect", { x: -18, y: -18, width: 36, height: 36, rx: 7, fill: "#f6efdf", stroke: "#a8946c", "stroke-width": 1.5 }),
    ...PIPS[value].map(([x, y]) => svg("circle", { cx: 9.5 * x, cy: 9.5 * y, r: 3.4, fill: "#23262d" })),
  );
}

const sureOf = (die) => die.confidence === undefined || die.confidence >= SURE;

function showDice() {
  const focused = document.activeElement?.closest?.("#dice-list") ? document.activeElement.getAttribute("aria-label") : null;
  $("dice-list").replaceChildren(
    ...board.dice.map((die, index) => {
      const name = `Die ${index + 1}`;
      const values = [1, 2, 3, 4, 5, 6].map((n) => [n, String(n)]);
      const set = (key) => (value) =>
        change((now) => Object.assign(now.dice[index], { [key]: key === "value" ? Number(value) : value, confidence: 1 }));
      const remove = el("button", "quiet", "Remove");
      remove.type = "button";
      remove.setAttribute("aria-label", `Remove die ${index + 1}`);
      remove.addEventListener("click", () => {
        change((now) => now.dice.splice(index, 1));
        $("add-die").focus();
      });
      const value = select(`${name}: value`, die.value, values, set("value"));
      if (!sureOf(die)) value.classList.add("doubtful");
      return el("li", "", face(die.value), value, select(`${name}: how it lies`, die.state, Object.entries(STATES), set("state")), remove);
    }),
  );
  $("no-dice").hidden = board.dice.length > 0;
  if (focused) [...$("dice-list").querySelectorAll("[aria-label]")].find((node) => node.getAttribute("aria-label") === focused)?.focus();
}

/** The throw: two flat dice in all, in one half where that is known. */
function thrown() {
  const [a, b] = board.dice;
  if (board.dice.length !== 2 || a.state !== "flat" || b.state !== "flat") return null;
  if (a.half && b.half && (a.half !== b.half || a.half === "off")) return null;
  return [a.value, b.value];
}

// --- the picture's marks ---------------------------------------------------------------------------

let marks = true;
let dragged = false;

function overlay() {
  const drawing = $("overlay");
  const scale = $("photo").clientWidth / (size[0] || 1);
  const show = Boolean(size[0]) && !$("stage").hidden;
  $("tools").hidden = $("corner-hint").hidden = !show;
  if (!show) {
    drawing.replaceChildren();
    return;
  }
  drawing.setAttribute("viewBox", `0 0 ${$("photo").clientWidth} ${$("photo").clientHeight}`);
  const nodes = [];
  const at = ([x, y]) => [x * scale, y * scale];
  const path = (points) => points.map((point) => at(point).join(",")).join(" ");
  if (corners && marks) {
    for (const css of ["field-shade", "field"]) {
      nodes.push(svg("polygon", { class: `${css}${read?.board ? "" : " guess"}`, points: path(corners) }));
      if (read?.marks && !dragged) nodes.push(svg("polygon", { class: css, points: path(read.marks.bar) }));
    }
  }
  if (read && marks && !dragged) {
    nodes.push(...things(at));
    if (read.marks) nodes.push(...tags(at));
  }
  const handles = corners && marks ? corners.map((corner, index) => handle(index, at(corner))) : [];
  const focused = document.activeElement?.dataset?.corner;
  drawing.replaceChildren(...nodes, ...handles);
  if (focused !== undefined) handles[Number(focused)]?.focus();
}

function tags(at) {
  const made = [];
  const { clientWidth: width, clientHeight: height } = $("photo");
  // Counts of neighbours do not cover each other, as far as they can still be read.
  const [[ax, ay], [bx, by]] = [at(read.marks.slots[0]), at(read.marks.slots[1])];
  const letter = Math.max(9, Math.min(13, 0.55 * Math.hypot(bx - ax, by - ay)));
  $("overlay").style.setProperty("--tag", `${letter}px`);
  for (let place = 0; place < 24; place++) {
    const count = countAt(place);
    const doubtful = isDoubtful(place);
    if (!count && !doubtful) continue;
    const [x, y] = at(read.marks.slots[place]);
    const text = `${Math.abs(count)}${doubtful ? "?" : ""}`;
    const wide = letter * (0.5 + 0.62 * text.length);
    const high = 1.4 * letter;
    const [u, v] = [Math.max(wide / 2, Math.min(width - wide / 2, x)), Math.max(high / 2, Math.min(height - high / 2, y))];
    const css = `tag ${count > 0 ? "light" : count < 0 ? "dark" : "none"}${doubtful ? " doubtful" : ""}`;
    made.push(svg("g", { class: css }, svg("rect", { x: u - wide / 2, y: v - high / 2, width: wide, height: high, rx: 3 }), svg("text", { x: u, y: v + 0.5 }, text)));
  }
  return made;
}

function things(at) {
  const list = board.dice
    .filter((die) => die.box)
    .map((die) => [die.box, die.state !== "flat" ? "lying" : sureOf(die) ? "flat" : "doubt", `${die.value}${sureOf(die) ? "" : "?"}${die.state === "flat" ? "" : ` ${STATES[die.state]}`}`]);
  if (read.cube) list.push([read.cube.box, "other", `cube ${read.cube.value ?? "?"}`]);
  if (read.cup) list.push([read.cup.box, "other", "cup"]);
  return list.map(([box, css, text]) => {
    const [x0, y0] = at(box);
    const [x1, y1] = at(box.slice(2));
    const wide = 8 + 7.4 * text.length;
    const x = (x0 + x1) / 2;
    const y = y0 > 20 ? y0 - 11 : y1 + 11;
    return svg(
      "g",
      { class: `thing ${css}` },
      svg("rect", { x: x0, y: y0, width: x1 - x0, height: y1 - y0 }),
      svg("rect", { class: "paper", x: x - wide / 2, y: y - 9, width: wide, height: 18, rx: 3 }),
      svg("text", { x, y }, text),
    );
  });
}

const REREAD = 700; // ms after the last key

let timer = 0;

function handle(index, [x, y]) {
  const [left, top] = corners[index].map(Math.round);
  const node = svg(
    "g",
    {
      class: "corner",
      tabindex: 0,
      role: "button",
      "data-corner": index,
      "aria-label": `${CORNERS[index]} corner of the field, at ${left}, ${top}; arrow keys move it`,
      transform: `translate(${x} ${y})`,
    },
    svg("circle", { class: "reach", r: 22 }),
    svg("circle", { class: "ring", r: $("photo").clientWidth < 500 ? 6 : 9 }),
    svg("circle", { class: "dot", r: 2 }),
  );
  node.addEventListener("pointerdown", (event) => drag(index, event));
  node.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const far = (event.shiftKey ? 10 : 1) * Math.max(1, size[0] / 1000);
    move(index, [corners[index][0] + way[0] * far, corners[index][1] + way[1] * far]);
    clearTimeout(timer);
    timer = setTimeout(dropped, REREAD);
  });
  return node;
}

/** A field may reach a little out of the picture. */
function move(index, place) {
  const within = place.map((at, axis) => Math.max(-0.05 * size[axis], Math.min(1.05 * size[axis], at)));
  corners = corners.map((corner, k) => (k === index ? within : corner));
  byHand = dragged = true;
  overlay();
}

function drag(index, event) {
  if (event.button) return;
  event.preventDefault();
  const stage = $("overlay");
  const scale = size[0] / $("photo").clientWidth;
  const [x, y] = corners[index];
  const [fromX, fromY] = [event.clientX, event.clientY];
  let moved = false;
  stage.setPointerCapture(event.pointerId);
  const follow = (now) => {
    moved = true;
    move(index, [x + (now.clientX - fromX) * scale, y + (now.clientY - fromY) * scale]);
  };
  const end = () => {
    stage.removeEventListener("pointermove", follow);
    stage.removeEventListener("pointerup", end);
    stage.removeEventListener("pointercancel", end);
    if (moved) dropped();
  };
  stage.addEventListener("pointermove", follow);
  stage.addEventListener("pointerup", end);
  stage.addEventListener("pointercancel", end);
}

function dropped() {
  dragged = false;
  overlay();
  readPicture();
}

// --- the position in other forms -------------------------------------------------------------------

let wanted = 0;
let waiting = 0;

function tell() {
  clearTimeout(waiting);
  if (!key()) return;
  waiting = setTimeout(async () => {
    const mine = ++wanted;
    const form = $("asked").elements;
    const request = {
      slots: board.slots,
      bar: board.bar,
      dice: thrown(),
      home: form.home.value,
      turn: form.turn.value,
      game: form.game.value,
      cube: Number(form.cube.value),
      cube_owner: form.owner.value || null,
    };
    try {
      const data = await ask("/api/photo/position", request);
      if (mine !== wanted) return;
      numbers = data.numbers;
      for (const place of places.keys()) showPlace(place);
      showChosen();
      totals(data);
      forms(data.texts);
    } catch (error) {
      if (mine === wanted) say(error.message, "refused");
    }
  }, 120);
}

function totals({ standing, pips }) {
  $("totals").replaceChildren(
    ...["light", "dark"].map((colour) => {
      const count = standing[colour];
      const off = count < MOST ? `, ${MOST - count} off` : "";
      const far = pips && count <= MOST ? `, ${pips[colour]} pips` : "";
      const text = count > MOST ? `${sentence(colour)}: ${count}, more than ${MOST}` : `${sentence(colour)}: ${count}${off}${far}`;
      return el("span", count > MOST ? "wrong" : "", text);
    }),
  );
}

function forms(texts) {
  const key = JSON.stringify(texts);
  if ($("forms").key === key) return;
  $("forms").key = key;
  const nardy = $("game").value === "long-nardy";
  const shown = Object.entries(FORMS).filter(([form]) => !nardy || form === "position");
  $("forms").replaceChildren(
    ...shown.map(([form, name]) => {
      const { text, why } = texts[form];
      const title = el("dt", "", name);
      if (text === undefined) return el("div", "", title, el("dd", "why", `None: ${why}.`));
      const input = el("input");
      input.readOnly = true;
      input.value = text;
      input.id = `form-${form}`;
      input.setAttribute("aria-label", name);
      input.addEventListener("focus", () => input.select());
      const button = el("button", "quiet", "Copy");
      button.type = "button";
      button.append(el("span", "unseen", ` ${name}`));
      button.addEventListener("click", () => copyText(input, name));
      return el("div", "", title, el("dd", "", input), button);
    }),
  );
}

async function copyText(input, name) {
  try {
    await navigator.clipboard.writeText(input.value);
  } catch {
    input.select(); // without https, on another machine, there is no clipboard for pages
    if (!document.execCommand("copy")) {
      say("The browser does not let this page copy; the text is selected.", "refused");
      return;
    }
  }
  say(`${name} copied.`, "done");
}

// --- keeping a picture -----------------------------------------------------------------------------

const labels = () => JSON.stringify({ corners, slots: board.slots, bar: board.bar, dice: board.dice.map(({ value, state, half, box }) => ({ value, state, half: half ?? null, box: box ?? null })) });

async function keep() {
  const now = labels();
  const form = new FormData();
  form.append("picture", file);
  form.append("labels", now);
  $("keep").disabled = true;
  try {
    say((await ask("/api/photo/keep", form)).said, "done");
    kept = now;
  } catch (error) {
    say(error.message, "refused");
  }
  show();
}

// --- all of it -------------------------------------------------------------------------------------

function show() {
  for (const place of places.keys()) showPlace(place);
  showChosen();
  showDice();
  overlay();
  $("undo").disabled = !past.length;
  const nardy = $("game").value === "long-nardy";
  for (const node of document.querySelectorAll(".for-backgammon")) node.hidden = nardy;
  $("owner").disabled = $("cube").value === "1";
  if ($("keep")) $("keep").disabled = !(file && corners && read?.board) || kept === labels();
  tell();
}

build();
$("less").addEventListener("click", () => step(chosen, -1));
$("more").addEventListener("click", () => step(chosen, 1));
for (const radio of document.querySelectorAll("[name=colour]")) radio.addEventListener("change", () => recolour(chosen, radio.value));
$("undo").addEventListener("click", undo);
$("empty").addEventListener("click", () => change((now) => Object.assign(now, blank(), { dice: now.dice, edited: Object.fromEntries(places.map((_, place) => [place, true])) })));
$("add-die").addEventListener("click", () => change((now) => now.dice.push({ value: 6, state: "flat" })));
$("asked").addEventListener("change", show);
$("asked").addEventListener("submit", (event) => event.preventDefault());
$("keep")?.addEventListener("click", keep);
$("search").addEventListener("click", () => {
  byHand = false;
  corners = null;
  readPicture();
});
$("marks").addEventListener("click", () => {
  marks = !marks;
  $("marks").setAttribute("aria-pressed", String(marks));
  overlay();
});
for (const id of ["file", "camera"]) {
  $(id).addEventListener("change", () => {
    take($(id).files[0]);
    $(id).value = ""; // the same file may be chosen again
  });
}
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  take(event.dataTransfer.files[0]);
});
document.addEventListener("paste", (event) => take(event.clipboardData.files[0]));
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === "z" && !event.target.closest("input, textarea")) {
    event.preventDefault();
    undo();
  }
});
new ResizeObserver(overlay).observe($("photo"));

passKey();
say("", "none");
show();
if (!key()) say("This page may look but not read: open it by the address with the key, which the program printed.", "refused");
