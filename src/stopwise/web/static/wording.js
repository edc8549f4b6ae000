// What the operator's page says.

import { kindOf } from "./rubric.js";

export const said = (rubric, answer) => kindOf(rubric).said(rubric, answer);

// What was entered, to be told to the owner if it cannot be stored.
export function inWords({ path, body, what, rubric }) {
  const [, , , trial] = path.split("/");
  const parts = [what === "score" ? said(rubric, body.answer) : body.reason, body.tag, body.note && `“${body.note}”`];
  return `You had entered for trial ${trial}: ${parts.filter(Boolean).join(", ")}.`;
}

// What it costs to give a trial back.
export function cost({ rubric }, begun) {
  if (!begun) return "It has not begun: it will be handed out again.";
  return `It has begun: unless the owner voids it, it counts as the worst score, ${kindOf(rubric).worst(rubric)}.`;
}

// A trial that was ended, but not here: how; "" if it is under way.
export function ended({ trial, status }) {
  const twice = "Is this station's link open in two places?";
  if (status === "scored") return `Trial ${trial} was already scored elsewhere. ${twice}`;
  if (status === "released") return `Trial ${trial} was already given back elsewhere. ${twice}`;
  if (status === "voided") return `Trial ${trial} was voided, by the owner or because its policy could not be started: it does not count.`;
  return "";
}

// What becomes of a score: it can be taken back for so many seconds, has trouble, or no connection.
export function savedState({ stored, counted, score }, left, trouble, lost) {
  if (stored) return counted || score === null ? "Stored." : "Stored, but not counted: another result had filled its place, or the owner had voided the trial.";
  if (left) return `Sent in ${left} s.`;
  if (trouble) return `${trouble} It will be sent when that is fixed, even if you close this page.`;
  if (lost) return "Waiting for a connection. It will be sent exactly once, even if you close this page.";
  return "Sending…";
}
