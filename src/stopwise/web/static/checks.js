// The start-of-day check list of a station: ticked like milestones, and asked for anew after a reload.
import { call } from "./api.js";
import { makeRubric } from "./rubric.js";

const find = (id) => document.getElementById(id);

// found: the list, and which items ask for a photo; done: called when it is stored; problem: with
// what is wrong, in words.
export function offerChecks(found, station, done, problem) {
  const milestones = found.checks.map((name) => ({ name, weight: 1 }));
  const list = makeRubric({ kind: "milestones", milestones }, () => {});
  find("check-list").replaceChildren(list.element, ...found.photos.map((item) => camera(item, station)));
  find("checked").onclick = async () => {
    const body = { station, ticked: list.answer() ?? [], note: find("check-note").value };
    find("stage").classList.add("busy"); // at once, however slow the network is
    try {
      await call("POST", "/api/stations/check", body);
      await done();
    } catch (error) {
      problem(error.message);
    } finally {
      find("stage").classList.remove("busy");
    }
  };
}

// Takes a photo of one item and sends it at once.
function camera(item, station) {
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
    } catch (error) {
      state.textContent = `Not stored: ${error.message}`;
      input.value = "";
    }
  });
  label.append(`Photo: ${item}`, input, state);
  return label;
}
