// What the operator's page says.

// What was entered, to be told to the owner if it cannot be stored.
export function inWords({ path, body, what }) {
  const [, , , trial] = path.split("/");
  const { answer } = body;
  const said = typeof answer === "boolean" ? (answer ? "success" : "failure") : answer;
  const chosen = Array.isArray(said) ? said.join(", ") || "none of these" : said;
  const parts = [what === "score" ? chosen : body.reason, body.tag, body.note && `“${body.note}”`];
  return `You had entered for trial ${trial}: ${parts.filter((part) => part || part === 0).join(", ")}.`;
}

export function question({ kind, first }) {
  if (kind === "milestones") return "What was reached?";
  if (kind !== "preference") return "How did it go?";
  return first === undefined ? "First of two: watch how it goes." : "Which of the two was better?";
}

// A number is shown as it was measured, a share of milestones as it is read.
export function result({ assignment, score }) {
  const { kind } = assignment.rubric;
  if (score === null) return ": now run the second, to be compared with it";
  if (kind === "preference") return `: ${{ 0: "the first was better", 0.5: "a tie", 1: "the second was better" }[score]}`;
  return `: score ${kind === "number" ? score : Number(score.toPrecision(3))}`;
}

// A trial that was ended, but not here: how; "" if it is under way.
export function ended({ trial, status }) {
  const twice = "Is this station's link open in two places?";
  if (status === "scored") return `Trial ${trial} was already scored elsewhere. ${twice}`;
  if (status === "released") return `Trial ${trial} was already given back elsewhere. ${twice}`;
  if (status === "voided") return `The owner voided trial ${trial}: it does not count.`;
  return "";
}

// What becomes of a score: it can be taken back for so many seconds, has trouble, or no connection.
export function savedState({ stored, counted, score }, left, trouble, lost) {
  if (stored && (counted || score === null)) return "Stored.";
  if (stored) return "Stored, but not counted: another station had already filled this place.";
  if (left) return `It is sent with the next trial, or in ${left} s. Until then you can undo it.`;
  if (trouble) return `${trouble} It will be sent when that is fixed, even if you close this page.`;
  if (lost) return "Waiting for a connection. It will be sent exactly once, even if you close this page.";
  return "Sending…";
}
