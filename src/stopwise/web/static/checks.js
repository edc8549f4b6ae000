// The start-of-day check list of a station: ticked like milestones, and asked for anew after a reload.
import { call } from "./api.js";
import { makeRubric } from "./rubric.js";

const find = (id) => document.getElementById(id);

// done: called when it is stored; problem: with what is wrong, in words.
export function offerChecks(checks, station, done, problem) {
  const milestones = checks.map((name) => ({ name, weight: 1 }));
  const list = makeRubric({ kind: "milestones", milestones }, () => {});
  find("check-list").replaceChildren(list.element);
  find("checked").onclick = async () => {
    const body = { station, ticked: list.answer() ?? [], note: find("check-note").value };
    try {
      await call("POST", "/api/stations/check", body);
      await done();
    } catch (error) {
      problem(error.message);
    }
  };
}
