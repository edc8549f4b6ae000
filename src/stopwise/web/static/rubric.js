// The rubrics of tasks, a kind each: what there is to touch, and its words. ``make`` returns { element,
// atOnce, answer(), entered(), restore(entered) }: answer is undefined until something was chosen;
// entered is what was touched so far, complete or not, from which the same page can be made again;
// atOnce, one tap says it all. ``said`` says an answer, ``asked`` the question, ``worst`` what a trial
// that is given back counts as; ``near``: it is where a thumb is.

// A share is shown as it is read, a number as it was measured.
const short = (value) => String(Number(value.toPrecision(3)));
const extreme = ({ lower_is_better: lower }, values) => short(lower ? Math.max(...values) : Math.min(...values));

function button(text, kind) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `choice ${kind}`;
  made.textContent = text;
  made.setAttribute("aria-pressed", "false");
  return made;
}

// One of several buttons.
function choice(options, changed, layout) {
  const element = document.createElement("div");
  element.className = layout;
  let answer;
  for (const option of options) {
    const made = button(option.text, option.kind ?? "");
    if (option.detail) {
      const detail = document.createElement("small");
      detail.textContent = option.detail;
      made.append(detail);
    }
    made.addEventListener("click", () => {
      choose(option.answer);
      changed();
    });
    element.append(made);
  }
  const choose = (given) => {
    answer = given;
    options.forEach((option, place) => {
      element.children[place].setAttribute("aria-pressed", String(option.answer === given));
    });
  };
  return { element, atOnce: true, answer: () => answer, entered: () => answer, restore: choose };
}

const binary = {
  near: true,
  make: (_, changed) =>
    choice(
      [
        { text: "Failure", kind: "failure", answer: false },
        { text: "Success", kind: "success", answer: true },
      ],
      changed,
      "two",
    ),
  said: (_, answer) => (answer ? "success" : "failure"),
  worst: (rubric) => extreme(rubric, [0, 1]),
};

const levels = {
  make: (rubric, changed) =>
    choice(
      rubric.levels.map(({ name, value }) => ({ text: name, detail: String(value), answer: name })),
      changed,
      "stack",
    ),
  said: (rubric, answer) => `${answer}, ${short(rubric.levels.find((level) => level.name === answer).value)}`,
  worst: (rubric) => extreme(rubric, rubric.levels.map((level) => level.value)),
};

function makeMilestones(rubric, changed) {
  const element = document.createElement("div");
  element.className = "stack";
  const reached = new Set();
  const total = rubric.milestones.reduce((sum, step) => sum + step.weight, 0);
  const marks = rubric.milestones.map((step) => {
    const made = button(step.name, "check");
    const share = document.createElement("small");
    share.textContent = `${Math.round((100 * step.weight) / total)} %`;
    made.append(share);
    made.addEventListener("click", () => {
      const given = reached.has(step.name) ? without(step.name) : upTo(step.name);
      choose(given.length ? given : undefined);
      changed();
    });
    return made;
  });
  // That nothing was reached must be said, not left out.
  const none = button("None of these", "failure");
  let touched = false;
  const choose = (given) => {
    reached.clear();
    for (const name of given ?? []) reached.add(name);
    touched = given !== undefined;
    rubric.milestones.forEach((step, place) => {
      marks[place].setAttribute("aria-pressed", String(reached.has(step.name)));
    });
    none.setAttribute("aria-pressed", String(touched && !reached.size));
  };
  none.addEventListener("click", () => {
    choose([]);
    changed();
  });
  element.append(...marks, none);
  const names = rubric.milestones.map((step) => step.name);
  const inOrder = () => names.filter((name) => reached.has(name));
  const without = (last) => inOrder().filter((name) => name !== last);
  // Steps come one after the other: who reached one reached those before it. What was left out is
  // taken off again by a tap.
  const upTo = (last) =>
    names.filter((name, place) => reached.has(name) || name === last || (!rubric.apart && place < names.indexOf(last)));
  const answer = () => (touched ? inOrder() : undefined);
  return { element, answer, entered: answer, restore: choose };
}

const milestones = {
  make: makeMilestones,
  asked: () => "How far did it get?",
  // The steps that were reached, by the last of them if all before it were.
  said(rubric, answer) {
    const sum = (steps) => steps.reduce((total, step) => total + step.weight, 0);
    const reached = rubric.milestones.filter((step) => answer.includes(step.name));
    const inTurn = rubric.milestones.slice(0, answer.length).every((step) => answer.includes(step.name));
    const names = inTurn ? answer.at(-1) : answer.join(", ");
    return answer.length ? `${names}, ${short(sum(reached) / sum(rubric.milestones))}` : "none of the steps, 0";
  },
  worst: (rubric) => extreme(rubric, [0, 1]),
};

// A slider for a quick answer, and a field for a measured one: what the field says is sent.
function makeNumber(rubric, changed) {
  const element = document.createElement("div");
  element.className = "slider";
  const label = document.createElement("label");
  label.textContent = `Score from ${rubric.low} to ${rubric.high} ${rubric.unit}`;
  const field = document.createElement("input");
  Object.assign(field, { type: "number", step: "any", min: rubric.low, max: rubric.high });
  if (rubric.low >= 0) field.inputMode = "decimal"; // a keyboard that may have no minus
  const slider = document.createElement("input");
  const step = rubric.step ?? (rubric.high - rubric.low) / 100;
  Object.assign(slider, { type: "range", min: rubric.low, max: rubric.high, step, value: rubric.low });
  slider.setAttribute("aria-label", "Slider");
  const set = (value) => {
    field.value = slider.value = value;
    changed();
  };
  // Steps are sums of binary fractions: 9.9, not 9.899999999999999.
  const tidy = (found) => Math.min(rubric.high, Math.max(rubric.low, Number(found.toPrecision(12))));
  slider.addEventListener("input", () => set(tidy(slider.valueAsNumber)));
  field.addEventListener("input", () => {
    slider.value = field.value;
    changed();
  });
  const ends = document.createElement("div");
  ends.className = "ends";
  for (const end of [rubric.low, rubric.high]) {
    const text = button(`${end} ${rubric.unit}`, "");
    text.className = "link";
    text.addEventListener("click", () => set(end));
    ends.append(text);
  }
  label.append(field);
  element.append(label, slider, ends);
  const restore = (text) => {
    field.value = slider.value = text;
  };
  const answer = () => (field.value === "" || !field.validity.valid ? undefined : field.valueAsNumber);
  return { element, answer, entered: () => field.value, restore };
}

const number = {
  make: makeNumber,
  said: (rubric, answer) => `${answer} ${rubric.unit}`.trim(),
  worst: (rubric) => extreme(rubric, [rubric.low, rubric.high]),
};

const count = {
  make({ of }, changed) {
    const numbers = Array.from({ length: of + 1 }, (_, answer) => ({ text: String(answer), answer }));
    return choice(numbers, changed, "numbers-grid");
  },
  asked: ({ of }) => `How many of ${of}?`,
  said: ({ of }, answer) => `${answer} of ${of}`,
  worst: (rubric) => extreme(rubric, [0, 1]),
};

// The first trial of a row is only said to be done; with the second comes the answer for both.
const preference = {
  make(rubric, changed) {
    if (rubric.first === undefined) return choice([{ text: "It is over", answer: "done" }], changed, "stack");
    const options = [
      { text: "The first", detail: rubric.first, answer: "first" },
      { text: "This one, the second", answer: "second" },
      { text: "Neither: a tie", answer: "tie" },
    ];
    return choice(options, changed, "stack");
  },
  // That one is shown beside the first, which is stored before.
  storedFirst: ({ first }) => first === undefined,
  asked: ({ first }) => (first === undefined ? "First of two: watch how it goes." : "Which of the two was better?"),
  said: (_, answer) => ({ first: "the first was better", second: "the second was better", tie: "a tie" })[answer] ?? "run",
  worst: () => "lost",
};

const KINDS = { binary, milestones, levels, number, count, preference };

export const kindOf = (rubric) => ({ asked: () => "How did it go?", storedFirst: () => false, ...KINDS[rubric.kind] });
export const makeRubric = (rubric, changed) => kindOf(rubric).make(rubric, changed);
