// The owner's and the viewer's page: the live part is fetched anew after each change; forms become
// calls of the API.
import { call, listen, NoConnection } from "./api.js";
import { stayAwake } from "./awake.js";
import { makeRubric } from "./rubric.js";

const { source, awake } = document.querySelector("main").dataset;
const pill = document.getElementById("connection");
let fetching = false;
let again = false;
let newest = 0; // entry of the journal; what a page shows may be older for a while
const asked = new URLSearchParams(); // how many trials, and which task, if not as at first
const sending = new Set(); // forms: a second tap must not store a change twice
const rubrics = new Map(); // by form, once its trial is known

async function refresh() {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  try {
    const response = await fetch(`${source}?${asked}`, { redirect: "error" });
    if (response.ok) {
      replaceParts(await response.text());
      again ||= isBehind();
    }
  } catch {
    connection(false);
  }
  fetching = false;
  if (again) {
    again = false;
    setTimeout(refresh, 1000); // what is shown is not the newest
  }
}

function isBehind() {
  const shown = [...document.querySelectorAll("[data-seq]")];
  return shown.some((part) => Number(part.dataset.seq) < newest);
}

function replaceParts(text) {
  const scrolled = [...document.querySelectorAll(".tall")].map((list) => list.scrollTop);
  const chosen = document.querySelector("input[name=trial]:checked")?.value;
  const focused = document.activeElement;
  const { top } = focused.getBoundingClientRect();
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const part of [...fresh.body.children]) document.getElementById(part.id)?.replaceWith(part);
  document.querySelectorAll(".tall").forEach((list, place) => (list.scrollTop = scrolled[place] ?? 0));
  const same = document.querySelector(`input[name=trial][value="${chosen}"]`);
  if (same) same.checked = true;
  showLocalTimes();
  keepInPlace(focused, top, same);
}

// What has the focus keeps it, and its place on the screen, though more may stand above it now.
function keepInPlace(focused, top, chosen) {
  let now = focused;
  if (!focused.isConnected) {
    now = focused.id ? document.getElementById(focused.id) : chosen;
    now?.focus({ preventScroll: true });
  }
  if (now && now !== document.body) scrollBy(0, now.getBoundingClientRect().top - top);
}

// The server writes UTC; here is the time on the wall.
function showLocalTimes() {
  const today = new Date().toDateString();
  for (const time of document.querySelectorAll("time[data-seconds]")) {
    const then = new Date(1000 * Number(time.dataset.seconds));
    const brief = { timeStyle: "short", dateStyle: then.toDateString() === today ? undefined : "short" };
    time.textContent = then.toLocaleString([], time.dataset.brief === undefined ? {} : brief);
  }
}

function connection(alive) {
  pill.className = `pill ${alive ? "good" : "bad"}`;
  pill.textContent = alive ? "live" : "no connection";
}

// Fields named "changes.x" become { changes: { x } }; empty ones of these are left out.
function contentOf(form, submitter) {
  const content = {};
  for (const [name, value] of new FormData(form)) {
    const [head, tail] = name.split(".");
    if (tail === undefined) content[head] = value;
    else if (value !== "") content[head] = { ...content[head], [tail]: Number(value) };
  }
  if (submitter?.matches(".correct")) content.answer = rubrics.get(form).answer();
  if (submitter?.dataset.forGood !== undefined) content.redraw = false;
  return content;
}

async function send(form, submitter) {
  const state = form.querySelector(".form-state");
  const content = contentOf(form, submitter);
  const { trial } = content;
  delete content.trial;
  const filled = (text) => text?.replace("{trial}", trial);
  const early = document.querySelector("[data-phase]")?.dataset.phase === "running" && form.dataset.early;
  const sure = early || filled(submitter?.dataset.sure ?? form.dataset.sure);
  if (sending.has(form) || (sure && !confirm(sure))) return;
  sending.add(form);
  const path = filled(submitter?.dataset.action ?? form.dataset.action);
  state.className = "form-state soft";
  state.textContent = "…";
  try {
    const answer = await call(form.dataset.method, path, content);
    const notes = (answer.notes ?? []).map((note) => `${note}.`).join(" ");
    const then = submitter?.dataset.then;
    for (const draft of form.querySelectorAll("textarea")) draft.defaultValue = draft.value;
    if (then && (!notes || confirm(`${notes} ${submitter.dataset.still}`))) {
      await call("POST", then);
      location.reload();
    } else if (form.dataset.next) {
      location.assign(form.dataset.next);
    }
    state.textContent = answer.said ?? (notes ? `Stored. ${notes}` : "Stored.");
    if (form.dataset.show === "token") showToken(form, answer);
    if (!form.querySelector("textarea")) form.reset();
    refresh();
  } catch (error) {
    showFailure(state, error);
  } finally {
    sending.delete(form);
  }
}

function showFailure(state, error) {
  state.className = "form-state bad-text";
  state.textContent =
    error instanceof NoConnection ? error.told || "No connection: try again." : error.message;
}

// A form that asks for a score shows the rubric of the trial that is chosen in it.
async function showRubric(form) {
  const chosen = form.querySelector("input[name=trial]:checked");
  const trial = chosen.value;
  const state = form.querySelector(".form-state");
  hideRubric(form);
  state.textContent = "";
  for (const button of form.querySelectorAll(".void")) button.disabled = chosen.dataset.void === undefined;
  if (chosen.dataset.correct === undefined) return;
  const path = `/api/trials/${encodeURIComponent(trial)}/rubric`;
  const found = await call("GET", path).catch((error) => error);
  if (trial !== form.querySelector("input[name=trial]:checked")?.value) return; // now another
  if (found instanceof Error) {
    showFailure(state, found);
    return;
  }
  const rubric = makeRubric(found, () => {
    form.querySelector(".correct").disabled = rubric.answer() === undefined;
  });
  const title = document.createElement("p");
  title.className = "soft";
  title.textContent = `Trial ${trial} should have been`;
  form.querySelector(".rubric").replaceChildren(title, rubric.element);
  rubrics.set(form, rubric);
}

function hideRubric(form) {
  rubrics.delete(form);
  form.querySelector(".rubric").replaceChildren();
  for (const button of form.querySelectorAll(".correct, .void")) button.disabled = true;
}

function showToken(form, answer) {
  const place = form.parentElement.querySelector(".new-token");
  place.hidden = false;
  place.querySelector("img").src = answer.qr;
  place.querySelector(".token-link").value = answer.link;
  place.querySelector(".notice").hidden = !["127.0.0.1", "localhost"].includes(new URL(answer.link).hostname);
}

// One of several parts of the page is shown: the one that the address names.
function showTab() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  if (!tabs.length) return;
  const named = document.getElementById(location.hash.slice(1))?.closest("[role=tabpanel]")?.id;
  for (const tab of tabs) {
    const panel = tab.getAttribute("aria-controls");
    const shown = panel === (named ?? tabs[0].getAttribute("aria-controls"));
    tab.setAttribute("aria-selected", String(shown));
    document.getElementById(panel).hidden = !shown;
  }
}

addEventListener("hashchange", showTab);
showTab();
// What was typed and not saved asks before it is left.
addEventListener("beforeunload", (event) => {
  const drafts = [...document.querySelectorAll("textarea")];
  if (drafts.some((draft) => draft.value !== draft.defaultValue)) event.preventDefault();
});
document.addEventListener("submit", (event) => {
  if (!event.target.dataset.method) return;
  event.preventDefault();
  send(event.target, event.submitter);
});
document.addEventListener("change", ({ target }) => target.name === "trial" && showRubric(target.form));
document.addEventListener("reset", ({ target }) => target.dataset.rubric !== undefined && hideRubric(target));
document.addEventListener("click", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (tab) {
    history.replaceState(null, "", `#${tab.getAttribute("aria-controls")}`);
    showTab();
  }
  if (event.target.matches(".token-link")) event.target.select();
  for (const name of ["trials", "task"]) {
    if (event.target.dataset[name] === undefined) continue;
    asked.set(name, event.target.dataset[name]);
    refresh();
  }
  // The whole line of a trial is there to be tapped.
  if (!event.target.matches("input")) event.target.closest(".trials tr")?.querySelector("input")?.click();
});
document.getElementById("plan")?.addEventListener("toggle", async ({ target }) => {
  const found = await call("GET", "/api/plan").catch((error) => ({ text: error.message }));
  target.querySelector("pre").textContent = found.text;
});
// A report takes seconds where there is much: it is made while this page is still there.
document.getElementById("report")?.addEventListener("click", async (event) => {
  event.preventDefault();
  const link = event.target;
  const began = Date.now();
  const show = () => (link.textContent = `Report: ${Math.round((Date.now() - began) / 1000)} s…`);
  const timer = setInterval(show, 1000);
  show();
  const response = await fetch(link.href).catch(() => null);
  clearInterval(timer);
  link.textContent = "Report";
  if (response) location.assign(link.href);
  else connection(false);
});
// A store that takes nothing changes nothing, so nobody is told: it is asked for.
setInterval(async () => {
  const found = await call("GET", "/api/health").catch((error) => ({ detail: error.told ?? "" }));
  const trouble = document.getElementById("trouble");
  trouble.textContent = found.detail;
  trouble.hidden = !found.detail;
}, 5000);

showLocalTimes();
if (location.hash === "#names") {
  const names = document.getElementById("names");
  names?.scrollIntoView(); // to the top of the screen; the focus alone leaves them anywhere on it
  names?.focus({ preventScroll: true });
}
if (awake !== undefined) setInterval(() => stayAwake(true), 5000);
let opened = false;
listen(
  (seq) => {
    newest = seq;
    if (isBehind()) refresh();
  },
  (alive) => {
    connection(alive);
    if (alive && opened) refresh(); // people may have come and gone meanwhile
    opened ||= alive;
  },
  () => location.assign("/join?ended"),
);
document.documentElement.dataset.ready = ""; // until now, a tap would be lost
