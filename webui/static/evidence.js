// The pictures that an event rests on, in a dialog: its clip, the dice enlarged, the deciding pictures.

import { sentence } from "./key.js";
import { clock, el, icon } from "./page.js";

const EVIDENT = new Set(["throw", "play", "doubt", "desync"]);
const AGAIN = 1000; // ms until evidence that is not yet written is asked for again
const PATIENCE = 60; // times that it is asked for
const TROUBLE = { changed: "This file is not the one that was written.", missing: "This file is missing." };

let dialog = null;
let opened = 0; // counts openings, so that an answer that comes late finds no other event's dialog

/** A button that shows the evidence of an event, if there can be any. */
export function evidence(told, item) {
  if (document.body.dataset.evidence !== "yes" || !EVIDENT.has(told.event.type)) return;
  const button = el("button", "evident", icon("camera"), el("span", "unseen", `Evidence: ${told.sentence}`));
  button.type = "button";
  button.title = "Evidence";
  button.addEventListener("click", () => open(told, button));
  item.classList.add("has-evidence");
  item.append(button);
}

function made() {
  const close = el("button", "quiet", "Close");
  close.type = "button";
  close.addEventListener("click", () => dialog.close());
  const heading = el("h2");
  heading.id = "evidence-title";
  const body = el("div", "exhibits");
  body.setAttribute("aria-live", "polite");
  const node = el("dialog", "evidence", el("div", "bar", heading, close), body);
  node.setAttribute("aria-labelledby", heading.id);
  document.body.append(node);
  return node;
}

async function open(told, button) {
  dialog ??= made();
  const mine = ++opened;
  dialog.querySelector("h2").textContent = told.sentence;
  dialog.onclose = () => {
    opened++;
    dialog.querySelector(".exhibits").replaceChildren(); // ends the clip
    button.focus();
  };
  show(el("p", "hint", "Looking for its pictures …"));
  dialog.showModal();
  for (let tries = 0; mine === opened; tries++) {
    let found;
    try {
      const answer = await fetch(`/evidence/${told.id}`);
      found = await answer.json();
      if (!answer.ok) throw new Error(sentence(found.error));
    } catch (error) {
      if (mine === opened) show(el("p", "trouble", icon("failed"), error.message));
      return;
    }
    if (mine !== opened) return;
    if (found.written) {
      show(...exhibit(found));
      return;
    }
    if (tries === PATIENCE) {
      show(el("p", "hint", "There is no evidence of this event."));
      return;
    }
    show(el("p", "hint", "Its evidence is being written …"));
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

function show(...nodes) {
  dialog.querySelector(".exhibits").replaceChildren(...nodes);
}

function exhibit(found) {
  const order = ["clip", "dice", "picture"];
  const files = found.files.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const words = [...found.notes.map(sentence)];
  if (found.removed) words.push(`Removed: ${found.removed}`);
  const hash = el("p", "hint", "Bound to the event with SHA-256 ", el("code", "", found.sha256.slice(0, 16)), " …");
  hash.title = found.sha256;
  return [...files.map(figure), ...words.map((text) => el("p", "hint note", text)), hash];
}

function figure({ kind, shows, begin, end, state, url }) {
  const when = kind === "clip" ? `${clock(begin)} to ${clock(end)}` : `at ${clock(begin)}`;
  const caption = el("figcaption", "", `${sentence(shows)}, ${when}`);
  if (state !== "whole") caption.append(el("span", "trouble", icon("failed"), TROUBLE[state]));
  const shown = state === "missing" ? [] : [kind === "clip" ? clip(url, shows) : picture(url, shows)];
  const node = el("figure", "", ...shown, caption);
  node.dataset.kind = kind;
  return node;
}

function clip(url, shows) {
  const video = el("video");
  Object.assign(video, { src: url, controls: true, loop: true, muted: true, playsInline: true });
  video.autoplay = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  video.setAttribute("aria-label", sentence(shows));
  return video;
}

/** A picture that opens in full size. */
function picture(url, shows) {
  const image = el("img");
  Object.assign(image, { src: url, alt: sentence(shows) });
  const link = el("a", "", image);
  Object.assign(link, { href: url, target: "_blank" });
  return link;
}
