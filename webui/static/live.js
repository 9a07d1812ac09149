// The live page: the camera's picture, one at a time, and the position as a table.

import { evidence } from "./evidence.js";
import { $, SIDES, drawPicture, el, follow, setText } from "./page.js";

const FRAME = 200; // ms between pictures
const IDLE = 1000; // ms between pictures while there are none

function shown(next) {
  table(next);
  setText($("rate"), next.frames_per_second ? `${next.frames_per_second.toFixed(1)} frames/s` : "");
  const camera = next.health.find(({ part }) => part === "camera");
  blind(camera && camera.state === "failed" ? `Camera: ${camera.message || "failed"}` : "");
}

// --- the position as a table ----------------------------------------------------------------------

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
  let number = 0;
  for (;;) {
    let pause = FRAME;
    try {
      if (document.hidden || document.body.dataset.link === "lost") {
        pause = IDLE;
      } else {
        const drawn = await drawPicture($("picture"), number);
        if (drawn !== null) {
          number = drawn;
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

follow({ stateShown: shown, entryMade: evidence });
pictures();
