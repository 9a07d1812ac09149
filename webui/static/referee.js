// The referee's page: what may be decided now, and the record with a way to correct it.

import { evidence } from "./evidence.js";
import { key, passKey, sentence } from "./key.js";
import { $, drawPicture, el, follow, icon, setText } from "./page.js";

const GROUPS = {
  play: "The illegal play",
  cube: "The cube",
  throw: "The throw",
  turn: "The turn",
  start: "The start of a game",
  end: "The end of a game",
  touch: "Touching checkers",
  record: "By hand",
};

async function ask(path, body) {
  const headers = { "X-Referee-Key": key() };
  const request = { headers };
  if (body) {
    headers["Content-Type"] = "application/json";
    Object.assign(request, { method: "POST", body: JSON.stringify(body) });
  }
  let answer;
  try {
    answer = await fetch(path, request);
  } catch {
    throw new Error("The program cannot be reached; nothing was changed.");
  }
  const data = await answer.json();
  if (!answer.ok) throw new Error(sentence(data.error));
  return data;
}

function say(words, kind) {
  $("said").dataset.kind = kind;
  $("said").replaceChildren(...(kind === "refused" ? [icon("failed"), words] : [icon("ok"), words]));
  $("said").scrollIntoView({ block: "nearest" }); // on a phone a long form lies below it
}

// --- forms -----------------------------------------------------------------------------------------

let made = 0;

/** Labelled controls for the fields of an offer or a correction. */
function controls(fields) {
  return fields.map((field) => {
    const id = `field-${++made}`;
    const label = el("label", "", field.label);
    label.htmlFor = id;
    const control = field.choices.length ? choice(field) : el(field.value.length > 30 ? "textarea" : "input");
    control.id = id;
    control.name = field.name;
    control.value = field.value;
    control.autocomplete = "off";
    if (control.localName === "textarea") control.rows = 3;
    return el("div", "field", label, control);
  });
}

function choice(field) {
  const select = el("select");
  for (const { value, label } of field.choices) {
    const option = el("option", "", label);
    option.value = value;
    select.append(option);
  }
  return select;
}

const values = (form) => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));

// --- what may be decided ---------------------------------------------------------------------------

let events = -1; // how many there were when these offers were made
const nodes = new Map(); // of the offers shown, by key
const touched = new WeakSet(); // forms in which something was typed that is not yet recorded

/** What an offer asks for, whatever the values are that it starts with. */
const question = ({ label, fields }) => JSON.stringify([label, fields.map(({ name, choices }) => [name, choices])]);

function offers(list) {
  const focused = document.activeElement?.closest?.("[data-offer]")?.dataset.offer;
  const old = new Map(nodes);
  nodes.clear();
  const groups = new Map();
  for (const offer of list) {
    const text = JSON.stringify(offer);
    const kept = old.get(offer.key);
    const stays = kept && (kept.text === text || (touched.has(kept.node) && kept.question === question(offer)));
    const node = stays ? kept : { text, question: question(offer), node: shown(offer) };
    nodes.set(offer.key, node);
    if (!groups.has(offer.group)) groups.set(offer.group, []);
    groups.get(offer.group).push(node.node);
  }
  const order = Object.keys(GROUPS).filter((group) => groups.has(group));
  const shape = JSON.stringify(list);
  if ($("offers").shape !== shape) {
    $("offers").shape = shape;
    $("offers").replaceChildren(
      ...order.map((group) => {
        const heading = el("h3", "", GROUPS[group]);
        heading.id = `group-${group}`;
        const section = el("div", "group", heading, ...groups.get(group));
        section.setAttribute("role", "group");
        section.setAttribute("aria-labelledby", heading.id);
        return section;
      }),
    );
    if (focused && !document.activeElement.closest("[data-offer]")) {
      (nodes.get(focused)?.node.querySelector("button, summary") ?? $("actions")).focus();
    }
  }
  const step = groups.get("step") ?? [];
  if (step.some((node, n) => $("step-offers").children[n] !== node) || $("step-offers").children.length !== step.length) {
    $("step-offers").replaceChildren(...step);
  }
  $("no-offers").hidden = list.length > 0;
}

function shown(offer) {
  const some = offer.rows.length > 4 ? [...offer.rows.slice(0, 2), "…"] : offer.rows;
  const rows = el("small", "rows", some.join(" · "));
  rows.title = `Rules ${offer.rows.join(", ")}`;
  if (!offer.fields.length) {
    const button = el("button", "offer", el("span", "", offer.label), rows);
    button.type = "button";
    button.dataset.offer = offer.key;
    if (offer.side) button.dataset.side = offer.side;
    button.addEventListener("click", () => act(offer.key, {}, button));
    return button;
  }
  const form = el("form", "fields", ...controls(offer.fields));
  const go = el("button", "", "Record");
  go.type = "submit";
  form.append(go);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(offer.key, values(form), go);
  });
  const details = el("details", "offer", el("summary", "", el("span", "", offer.label), rows), form);
  details.dataset.offer = offer.key;
  form.addEventListener("input", () => touched.add(details));
  return details;
}

async function act(name, chosen, button) {
  if (button.dataset.busy) return; // not disabled, which would take the focus from a keyboard
  button.dataset.busy = "yes";
  try {
    say((await ask("/api/actions", { key: name, values: chosen, seen: events })).said, "done");
    const form = button.closest("details");
    if (form) {
      touched.delete(form);
      form.open = false;
    }
  } catch (error) {
    say(error.message, "refused");
  } finally {
    delete button.dataset.busy;
  }
}

// --- a board that is out of step -------------------------------------------------------------------

const PICTURE = 500; // ms between pictures

function step(found) {
  const shown = $("step").hidden;
  $("step").hidden = !found;
  if (!found) return;
  const asks = "Judging is paused. Which is right: the board as it stands, or the record?";
  const waits = "Judging is paused until the board stands as recorded. Then it goes on by itself.";
  setText($("step-say"), found.restoring ? waits : asks);
  setText($("step-whose"), found.places.length ? `Points as ${found.player} counts them` : "");
  const rows = found.places.map(({ place, record, board }) => {
    const head = el("th", "", sentence(place));
    head.scope = "row";
    return el("tr", "", head, el("td", "", record), el("td", "", board));
  });
  if (!rows.length) {
    const none = el("td", "", found.readable ? "It stands as recorded now." : "It cannot be read: something is in the way.");
    none.colSpan = 3;
    rows.push(el("tr", "", none));
  }
  $("step-places").replaceChildren(...rows);
  if (shown) picture();
}

/** While the board is out of step, the newest picture with what is to be put back. */
async function picture() {
  let number = 0;
  while (!$("step").hidden) {
    try {
      number = (await drawPicture($("ghost"), number)) ?? number;
    } catch {
      number = 0; // the server is gone; another one counts anew
    }
    await new Promise((resolve) => setTimeout(resolve, PICTURE));
  }
}

// --- the verdict -----------------------------------------------------------------------------------

function verdict(found) {
  $("verdict").hidden = !found;
  const text = JSON.stringify(found);
  if (!found || $("verdict").text === text) return;
  $("verdict").text = text;
  $("verdict").dataset.legal = found.legal;
  const played = found.notation || "no checker moved";
  const finding = found.legal ? "legal" : found.unfinished ? "unfinished" : "illegal";
  $("finding").replaceChildren(
    icon(found.legal ? "ok" : "illegal"),
    el("strong", "", sentence(finding)),
    `: ${played}`,
  );
  $("breaches").replaceChildren(
    ...found.breaches.map(({ rule, reason }) => el("li", "", el("span", "rule", rule), sentence(reason))),
  );
  const nearest = found.legal ? [] : found.nearest;
  $("nearest").hidden = !nearest.length;
  $("nearest").replaceChildren(
    nearest.length > 1 ? "Nearest legal plays: " : "Nearest legal play: ",
    ...nearest.flatMap((play, n) => [n ? " or " : "", el("strong", "", play || "no move")]),
  );
}

// --- the rules -------------------------------------------------------------------------------------

function law(rules) {
  const text = JSON.stringify(rules);
  if (!rules || $("options").text === text) return;
  $("options").text = text;
  setText($("rule-set"), [rules.title, ...rules.sources].join(" · "));
  $("options").replaceChildren(
    ...rules.options.flatMap(({ name, value, text, rows }) => [
      el("dt", "", el("code", "", name), " ", el("b", "", written(value)), el("small", "rows", rows.join(" · "))),
      el("dd", "", text),
    ]),
  );
}

function written(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.join(", ") || "none";
  if (value && typeof value === "object") return Object.entries(value).map((pair) => pair.join(" ")).join(", ");
  return String(value).replaceAll("_", " ");
}

// --- corrections -----------------------------------------------------------------------------------

let corrected = null; // id of the event in the dialog
let checked = null; // the values whose consequences are shown
let opener = null;

function correctable(told, item) {
  const button = el("button", "correct", "Correct");
  button.type = "button";
  button.append(el("span", "unseen", `: ${told.sentence}`));
  button.addEventListener("click", () => open(told, button));
  evidence(told, item);
  item.append(button);
}

async function open(told, button) {
  try {
    await form(told.id, "");
    [corrected, opener] = [told.id, button];
    setText($("correction-was"), told.sentence);
    $("correction").showModal();
  } catch (error) {
    say(error.message, "refused");
  }
}

/** What is wrong decides which values are asked for. */
async function form(id, change) {
  const { fields } = await ask(`/api/events/${id}/fields?change=${encodeURIComponent(change)}`);
  $("correction-fields").replaceChildren(...controls(fields));
  const choice = $("correction-form").elements.change;
  choice.addEventListener("change", async () => {
    try {
      await form(id, choice.value);
      $("correction-form").elements.change.focus();
    } catch (error) {
      outcome("refused", el("p", "", error.message));
    }
  });
  unchecked();
}

/** Nothing is corrected whose consequences were not shown first. */
function unchecked() {
  checked = null;
  $("outcome").replaceChildren();
  $("outcome").dataset.kind = "none";
  setText($("correction-go"), "What follows?");
}

function outcome(kind, ...children) {
  $("outcome").dataset.kind = kind;
  $("outcome").replaceChildren(...children);
}

async function submitted(event) {
  event.preventDefault();
  const chosen = values($("correction-form"));
  const text = JSON.stringify(chosen);
  const dry = checked !== text;
  const undoes = $("correction-form").elements.change.options.length === 1 && chosen.change === "strike";
  const gone = undoes ? "The correction is undone." : "It is taken out of the record.";
  $("correction-go").disabled = true;
  try {
    const done = await ask("/api/corrections", { event: corrected, values: chosen, dry_run: dry });
    if (dry) {
      checked = text;
      const now = done.now ? ["Then the record says: ", el("strong", "", done.now)] : [gone];
      const follows = done.consequences.length
        ? [el("p", "", "What follows:"), el("ul", "", ...done.consequences.map((words) => el("li", "", words)))]
        : [el("p", "", "Nothing else changes.")];
      outcome("follows", el("p", "", ...now), ...follows);
      setText($("correction-go"), "Correct it");
    } else {
      $("correction").close();
      say(done.now ? `Corrected: ${done.now}` : gone, "done");
    }
  } catch (error) {
    unchecked();
    outcome("refused", el("p", "", error.message));
  } finally {
    $("correction-go").disabled = false;
  }
}

$("correction-form").addEventListener("submit", submitted);
$("correction-form").addEventListener("input", unchecked);
$("correction-cancel").addEventListener("click", () => $("correction").close());
$("correction").addEventListener("close", () => opener?.focus());

// --------------------------------------------------------------------------------------------------

if (!key()) say("This page may look but not decide: open it by the address with the key, which the program printed.", "refused");

let [wanted, asked] = ["", ""]; // what the offers depend on, and what that was when they were asked for
let asking = false;

/** What may be decided changes with the record, and with a board that is out of step. */
async function desk(next) {
  step(next.disagreement);
  wanted = JSON.stringify([next.events, next.disagreement]);
  if (asking) return;
  asking = true;
  try {
    while (asked !== wanted) {
      asked = wanted;
      const data = await ask("/api/offers");
      events = data.events;
      offers(data.offers);
      verdict(data.verdict);
      law(data.rules);
    }
  } catch {
    asked = ""; // the next state asks again
  } finally {
    asking = false;
  }
}

passKey();
follow({ stateShown: desk, entryMade: correctable });
