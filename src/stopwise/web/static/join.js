// The token stands after "#", which browsers never send; it is handed over once and then removed.
import { call } from "./api.js";

const state = document.getElementById("join-state");
const form = document.getElementById("join-form");

async function join(text) {
  const token = decodeURIComponent(text.trim().split("#").pop());
  state.className = "soft";
  state.textContent = "Joining…";
  try {
    const found = await call("POST", "/api/join", { token });
    location.replace(found.page);
  } catch (error) {
    state.className = "bad-text";
    state.textContent = error.message;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  join(form.elements.token.value);
});

function joinByFragment() {
  const fragment = location.hash.slice(1);
  if (!fragment) return;
  history.replaceState(null, "", "/join");
  join(fragment);
}

if (location.search === "?ended") state.textContent = "Your link was revoked, or has expired: ask the owner for a new one.";
addEventListener("hashchange", joinByFragment);
joinByFragment();
