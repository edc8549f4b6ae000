// The rubric of a task as something to touch. Each kind returns { element, answer() }, where answer
// is undefined until something was chosen.

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
      answer = option.answer;
      for (const other of element.children) other.setAttribute("aria-pressed", "false");
      made.setAttribute("aria-pressed", "true");
      changed();
    });
    element.append(made);
  }
  return { element, answer: () => answer };
}

function binary(_, changed) {
  const options = [
    { text: "Failure", kind: "failure", answer: false },
    { text: "Success", kind: "success", answer: true },
  ];
  return choice(options, changed, "two");
}

function levels(rubric, changed) {
  const options = rubric.levels.map((level) => ({
    text: level.name,
    detail: String(level.value),
    answer: level.name,
  }));
  return choice(options, changed, "stack");
}

function milestones(rubric, changed) {
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
      const now = !reached.has(step.name);
      if (now) reached.add(step.name);
      else reached.delete(step.name);
      made.setAttribute("aria-pressed", String(now));
      none.setAttribute("aria-pressed", "false");
      touched = reached.size > 0;
      changed();
    });
    return made;
  });
  // That nothing was reached must be said, not left out.
  const none = button("None of these", "failure");
  let touched = false;
  none.addEventListener("click", () => {
    reached.clear();
    for (const mark of marks) mark.setAttribute("aria-pressed", "false");
    none.setAttribute("aria-pressed", "true");
    touched = true;
    changed();
  });
  element.append(...marks, none);
  const inOrder = () => rubric.milestones.map((step) => step.name).filter((name) => reached.has(name));
  return { element, answer: () => (touched ? inOrder() : undefined) };
}

// A slider for a quick answer, and a field for a measured one: what the field says is sent.
function number(rubric, changed) {
  const element = document.createElement("div");
  element.className = "slider";
  const typed = typedNumber(rubric, () => {
    slider.value = typed.field.value;
    changed();
  });
  const { field } = typed;
  field.min = rubric.low;
  field.max = rubric.high;
  if (rubric.low >= 0) field.inputMode = "decimal"; // a keyboard that may have no minus
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = rubric.low;
  slider.max = rubric.high;
  slider.step = rubric.step ?? (rubric.high - rubric.low) / 100;
  slider.value = rubric.low;
  slider.setAttribute("aria-label", "Slider");
  const set = (value) => {
    field.value = slider.value = value;
    changed();
  };
  // Steps are sums of binary fractions: 9.9, not 9.899999999999999.
  const tidy = (found) => Math.min(rubric.high, Math.max(rubric.low, Number(found.toPrecision(12))));
  slider.addEventListener("input", () => set(tidy(slider.valueAsNumber)));
  const ends = document.createElement("div");
  ends.className = "ends";
  for (const end of [rubric.low, rubric.high]) {
    const text = document.createElement("button");
    text.type = "button";
    text.className = "link";
    text.textContent = `${end} ${rubric.unit}`;
    text.addEventListener("click", () => set(end));
    ends.append(text);
  }
  element.append(typed.element, slider, ends);
  return { element, answer: () => (field.validity.valid ? typed.answer() : undefined) };
}

// A number to its last digit.
function typedNumber(rubric, changed) {
  const element = document.createElement("label");
  element.textContent = `Score from ${rubric.low} to ${rubric.high} ${rubric.unit}`;
  const field = document.createElement("input");
  field.type = "number";
  field.step = "any";
  field.addEventListener("input", changed);
  element.append(field);
  return { element, field, answer: () => (field.value === "" ? undefined : field.valueAsNumber) };
}

// The first trial of a row is only said to be done; with the second comes the answer for both.
function preference(rubric, changed) {
  if (rubric.first === undefined) return choice([{ text: "It is over", answer: "done" }], changed, "stack");
  const options = [
    { text: "The first", detail: rubric.first, answer: "first" },
    { text: "This one, the second", answer: "second" },
    { text: "Neither: a tie", answer: "tie" },
  ];
  return choice(options, changed, "stack");
}

const KINDS = { binary, milestones, levels, number, preference };
const TYPED = { ...KINDS, number: typedNumber };

export function makeRubric(rubric, changed) {
  return KINDS[rubric.kind](rubric, changed);
}

export function makeTypedRubric(rubric, changed) {
  return TYPED[rubric.kind](rubric, changed);
}
