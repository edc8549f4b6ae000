// The start-of-day check list of a station: ticked like milestones.
import { call } from "./api.js";
import { makeRubric } from "./rubric.js";

const find = (id) => document.getElementById(id);
export const today = () => new Date().toDateString(); // what was ticked on another day says nothing

// kept.checks: the list, which items ask for a photo, and what was entered so far; keep: how to
// change it; done: called when it is stored; problem: with what is wrong, in words.
export function offerChecks(kept, keep, done, problem) {
  const { station } = kept;
  const { checks, photos, ticked, note } = kept.checks;
  const milestones = checks.map((name) => ({ name, weight: 1 }));
  const change = (now) => keep({ checks: { ...kept.checks, ...now } });
  const list = makeRubric({ kind: "milestones", milestones }, () => change({ ticked: list.entered() }));
  if (ticked) list.restore(ticked);
  const sent = (item) => kept.checks && change({ photos: kept.checks.photos.filter((other) => other !== item) });
  find("check-list").replaceChildren(list.element, ...photos.map((item) => camera(item, station, sent)));
  find("check-note").value = note ?? "";
  find("check-note").oninput = () => change({ note: find("check-note").value });
  find("checked").onclick = async () => {
    const body = { station, ticked: list.answer() ?? [], note: find("check-note").value };
    find("stage").classList.add("busy"); // at once, however slow the network is
    try {
      await call("POST", "/api/stations/check", body);
      keep({ checks: null });
      await done();
    } catch (error) {
      problem(error.message);
    } finally {
      find("stage").classList.remove("busy");
    }
  };
}

// Takes a photo of one item and sends it at once.
function camera(item, station, sent) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  const state = document.createElement("span");
  label.className = "quiet";
  Object.assign(input, { type: "file", accept: "image/jpeg,image/png,image/webp" });
  input.setAttribute("capture", "environment");
  state.setAttribute("role", "status");
  input.addEventListener("change", async () => {
    if (!input.files.length) return;
    state.textContent = "Sending…";
    try {
      const query = new URLSearchParams({ station, item });
      await call("POST", `/api/stations/photo?${query}`, input.files[0]);
      state.textContent = "Photo stored.";
      sent(item);
    } catch (error) {
      state.textContent = `Not stored: ${error.message}`;
      input.value = "";
    }
  });
  label.append(`Photo: ${item}`, input, state);
  return label;
}
