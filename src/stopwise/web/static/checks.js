// The start-of-day check list of a station: ticked like milestones.
import { call } from "./api.js";
import { makeRubric } from "./rubric.js";

const find = (id) => document.getElementById(id);
export const today = () => new Date().toDateString(); // what was ticked on another day says nothing

// kept.checks: the list, and what was entered so far; keep: how to
// change it; done: called when it is stored; problem: with what is wrong, in words.
export function offerChecks(kept, keep, done, problem) {
  const { checks, ticked, note } = kept.checks;
  const milestones = checks.map((name) => ({ name, weight: 1 }));
  const change = (now) => keep({ checks: { ...kept.checks, ...now } });
  const list = makeRubric({ kind: "milestones", apart: true, milestones }, () => change({ ticked: list.entered() }));
  if (ticked) list.restore(ticked);
  find("check-list").replaceChildren(list.element);
  find("check-note").value = note ?? "";
  find("check-note").oninput = () => change({ note: find("check-note").value });
  find("checked").onclick = async () => {
    const body = { ticked: list.answer() ?? [], note: find("check-note").value };
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
