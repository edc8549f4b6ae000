// What the operator's page says.

// A share is shown as it is read, a number as it was measured.
const short = (value) => String(Number(value.toPrecision(3)));

// An answer in words: "success", "cup grasped, 0.5", "12.5 cm".
export function said(rubric, answer) {
  switch (rubric.kind) {
    case "binary":
      return answer ? "success" : "failure";
    case "milestones":
      return steps(rubric.milestones, answer);
    case "levels":
      return `${answer}, ${short(rubric.levels.find((level) => level.name === answer).value)}`;
    case "number":
      return `${answer} ${rubric.unit}`.trim();
    default:
      return { first: "the first was better", second: "the second was better", tie: "a tie" }[answer] ?? "run";
  }
}

// The steps that were reached, by the last of them if all before it were.
function steps(milestones, answer) {
  const reached = milestones.filter((step) => answer.includes(step.name));
  const share = sum(reached) / sum(milestones);
  const inTurn = milestones.slice(0, answer.length).every((step) => answer.includes(step.name));
  const names = inTurn ? answer.at(-1) : answer.join(", ");
  return answer.length ? `${names}, ${short(share)}` : "none of the steps, 0";
}

const sum = (milestones) => milestones.reduce((total, step) => total + step.weight, 0);

// What was entered, to be told to the owner if it cannot be stored.
export function inWords({ path, body, what, rubric }) {
  const [, , , trial] = path.split("/");
  const parts = [what === "score" ? said(rubric, body.answer) : body.reason, body.tag, body.note && `“${body.note}”`];
  return `You had entered for trial ${trial}: ${parts.filter(Boolean).join(", ")}.`;
}

export function question({ kind, first }) {
  if (kind === "milestones") return "How far did it get?";
  if (kind !== "preference") return "How did it go?";
  return first === undefined ? "First of two: watch how it goes." : "Which of the two was better?";
}

// What it costs to give a trial back.
export function cost({ given_back, rubric }, begun) {
  if (!begun) return "It has not begun: it will be handed out again.";
  if (given_back !== "worst") return "It has begun, and will be run again.";
  return `It has begun: unless the owner voids it, it counts as the worst score${worst(rubric)}.`;
}

function worst({ kind, lower_is_better: lower, levels, low, high }) {
  if (kind === "preference") return ", lost";
  const values = kind === "levels" ? levels.map((level) => level.value) : kind === "number" ? [low, high] : [0, 1];
  return `, ${short(lower ? Math.max(...values) : Math.min(...values))}`;
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
  if (stored) return counted || score === null ? "Stored." : "Stored, but not counted: another station had already filled this place.";
  if (left) return `Sent in ${left} s.`;
  if (trouble) return `${trouble} It will be sent when that is fixed, even if you close this page.`;
  if (lost) return "Waiting for a connection. It will be sent exactly once, even if you close this page.";
  return "Sending…";
}
