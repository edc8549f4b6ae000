// The owner's and the viewer's page: the live part is fetched anew after each change; forms become
// calls of the API.
import { call, listen, NoConnection } from "./api.js";
import { makeTypedRubric } from "./rubric.js";

const source = document.querySelector("main").dataset.source;
const pill = document.getElementById("connection");
let fetching = false;
let again = false;
let newest = 0; // entry of the journal; the evidence of a page may be older for a while
const sending = new Set(); // forms: a second tap must not store a change twice
const rubrics = new Map(); // by form, once its trial is known

async function refresh() {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  try {
    const response = await fetch(source, { redirect: "error" });
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
    setTimeout(refresh, 1000);
  }
}

function isBehind() {
  return Number(document.getElementById("live-evidence").dataset.seq) < newest;
}

function replaceParts(text) {
  const scrolled = document.querySelector(".journal")?.scrollTop ?? 0;
  const opened = [...document.querySelectorAll("details[id][open]")];
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const part of [...fresh.body.children]) document.getElementById(part.id)?.replaceWith(part);
  const journal = document.querySelector(".journal");
  if (journal) journal.scrollTop = scrolled;
  showLocalTimes();
  for (const old of opened) {
    const same = document.getElementById(old.id);
    if (!same || same === old) continue;
    same.querySelector(".part")?.replaceChildren(...(old.querySelector(".part")?.children ?? []));
    same.open = true; // with what it showed, until the new one is there
  }
}

// The server writes UTC; here is the time on the wall.
function showLocalTimes() {
  for (const time of document.querySelectorAll("time[data-seconds]")) {
    time.textContent = new Date(1000 * Number(time.dataset.seconds)).toLocaleString();
  }
}

function connection(alive) {
  pill.className = `pill ${alive ? "good" : "bad"}`;
  pill.textContent = alive ? "live" : "no connection";
}

// Fields named "changes.x" become { changes: { x } }; empty ones of these are left out.
function contentOf(form) {
  const content = {};
  for (const [name, value] of new FormData(form)) {
    const [head, tail] = name.split(".");
    if (tail === undefined) content[head] = value;
    else if (value !== "") content[head] = { ...content[head], [tail]: Number(value) };
  }
  if (rubrics.has(form)) content.answer = rubrics.get(form).answer();
  return content;
}

async function send(form, submitter) {
  const state = form.querySelector(".form-state");
  const sure = submitter?.dataset.sure ?? form.dataset.sure;
  if (sending.has(form) || (sure && !confirm(sure))) return;
  sending.add(form);
  const content = contentOf(form);
  const path = form.dataset.action.replace(/\{(\w+)\}/g, (_, name) => {
    const value = content[name];
    delete content[name];
    return encodeURIComponent(value);
  });
  state.className = "form-state soft";
  state.textContent = "…";
  try {
    const answer = await call(form.dataset.method, path, content);
    if (submitter?.dataset.then) {
      await call("POST", submitter.dataset.then);
      location.reload();
    } else if (form.dataset.stay === undefined) {
      location.reload();
    }
    state.textContent = "Stored.";
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

// A form that asks for a score shows the rubric of the trial that is named in it.
async function showRubric(form) {
  const trial = form.elements.trial.value;
  const state = form.querySelector(".form-state");
  hideRubric(form);
  state.textContent = "";
  if (trial === "") return;
  const path = `/api/trials/${encodeURIComponent(trial)}/rubric`;
  const found = await call("GET", path).catch((error) => error);
  if (trial !== form.elements.trial.value) return; // another was named meanwhile
  if (found instanceof Error) {
    showFailure(state, found);
    return;
  }
  const rubric = makeTypedRubric(found, () => {
    form.querySelector("button.secondary").disabled = rubric.answer() === undefined;
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
  form.querySelector("button.secondary").disabled = true;
}

function showToken(form, answer) {
  const place = form.parentElement.querySelector(".new-token");
  place.hidden = false;
  place.querySelector("img").src = answer.qr;
  place.querySelector(".token-link").value = answer.link;
}

async function revoke(button) {
  if (!confirm(`Revoke the token of ${button.dataset.name}?`)) return;
  await call("DELETE", `/api/tokens/${encodeURIComponent(button.dataset.revoke)}`).catch((error) =>
    alert(error.message),
  );
  refresh();
}

for (const form of document.querySelectorAll("form[data-action]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form, event.submitter);
  });
}
for (const form of document.querySelectorAll("form[data-rubric]")) {
  form.elements.trial.addEventListener("input", () => showRubric(form));
  form.addEventListener("reset", () => hideRubric(form));
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-revoke]");
  if (button) revoke(button);
  if (event.target.matches(".token-link")) event.target.select();
});
// What is folded is fetched when someone looks.
document.addEventListener(
  "toggle",
  async (event) => {
    const { target } = event;
    if (!target.open || !target.dataset.part) return;
    const response = await fetch(target.dataset.part, { redirect: "error" }).catch(() => null);
    if (!response?.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    target.querySelector(".part").replaceChildren(...fresh.body.children);
  },
  true,
);
document.getElementById("leave").addEventListener("click", async () => {
  await call("POST", "/api/leave").catch(() => {});
  location.assign("/join");
});
// A store that takes nothing changes nothing, so nobody is told: it is asked for.
setInterval(async () => {
  const found = await call("GET", "/api/health").catch((error) => ({ detail: error.told ?? "" }));
  const trouble = document.getElementById("trouble");
  trouble.textContent = found.detail;
  trouble.hidden = !found.detail;
}, 5000);

showLocalTimes();
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
);
document.documentElement.dataset.ready = ""; // until now, a tap would be lost
