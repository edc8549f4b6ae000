// The owner's and the viewer's page: the live part is fetched anew after each change; forms become
// calls of the API.
import { call, listen, NoConnection } from "./api.js";

const source = document.querySelector("main").dataset.source;
const pill = document.getElementById("connection");
let fetching = false;
let again = false;

async function refresh() {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  try {
    const response = await fetch(source, { redirect: "error" });
    if (response.ok) replaceParts(await response.text());
  } catch {
    connection(false);
  }
  fetching = false;
  if (again) {
    again = false;
    setTimeout(refresh, 300);
  }
}

function replaceParts(text) {
  const scrolled = document.querySelector(".journal")?.scrollTop ?? 0;
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const part of [...fresh.body.children]) document.getElementById(part.id)?.replaceWith(part);
  const journal = document.querySelector(".journal");
  if (journal) journal.scrollTop = scrolled;
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
  return content;
}

async function send(form, submitter) {
  const state = form.querySelector(".form-state");
  const sure = submitter?.dataset.sure ?? form.dataset.sure;
  if (sure && !confirm(sure)) return;
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
    state.className = "form-state bad-text";
    state.textContent = error instanceof NoConnection ? "No connection: try again." : error.message;
  }
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
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-revoke]");
  if (button) revoke(button);
  if (event.target.matches(".token-link")) event.target.select();
});
document.getElementById("leave").addEventListener("click", async () => {
  await call("POST", "/api/leave").catch(() => {});
  location.assign("/join");
});

let first = true;
listen(
  () => {
    if (!first) refresh();
    first = false;
  },
  (alive) => {
    connection(alive);
    if (alive && !first) refresh();
  },
);
document.documentElement.dataset.ready = ""; // until now, a tap would be lost
