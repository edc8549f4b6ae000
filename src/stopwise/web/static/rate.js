// Second ratings: recordings of trials that others ran, one after the other.
import { call } from "./api.js";
import { sharedState } from "./keeping.js";
import { makeRubric } from "./rubric.js";

const find = (id) => document.getElementById(id);
const [kept, keep] = sharedState(`${find("stage").dataset.study}:rate`, () => {}); // survives a reload
let shown;
let rubric;

function player(file) {
  const video = /\.(mp4|mov|webm)$/.test(file);
  const made = document.createElement(video ? "video" : "img");
  made.src = `/api/trials/${shown.trial}/recordings/${file}`;
  if (video) Object.assign(made, { controls: true, playsInline: true, preload: "metadata" });
  else made.alt = "Photo of the trial";
  return made;
}

async function next() {
  find("problem").hidden = true;
  try {
    shown = (await call("GET", "/api/ratings/next")).rating;
  } catch (error) {
    return problem(error);
  }
  find("rating").hidden = !shown;
  find("nothing").hidden = Boolean(shown);
  if (!shown) return;
  find("recordings").replaceChildren(...shown.recordings.map(player));
  find("task").textContent = shown.task;
  find("instructions").textContent = shown.instructions;
  find("condition").textContent = shown.condition ? `Start from ${shown.condition}` : "";
  const { trial } = shown;
  rubric = makeRubric(shown.rubric, () => {
    keep({ trial, entered: rubric.entered() });
    showSave();
  });
  if (kept.trial === trial && kept.entered != null) rubric.restore(kept.entered);
  find("rubric").replaceChildren(rubric.element);
  showSave();
  scrollTo(0, 0);
}

function showSave() {
  find("save").disabled = rubric.answer() === undefined;
}

function problem(error) {
  find("problem").textContent = error.message;
  find("problem").hidden = false;
}

find("save").addEventListener("click", async () => {
  find("save").disabled = true;
  try {
    await call("POST", `/api/trials/${shown.trial}/rating`, { answer: rubric.answer() });
  } catch (error) {
    find("save").disabled = false;
    return problem(error);
  }
  await next();
});
find("again").addEventListener("click", next);
await next();
document.documentElement.dataset.ready = ""; // until now, a tap would be lost
