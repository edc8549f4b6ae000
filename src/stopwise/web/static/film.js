// Videos and photos of the trial that is shown, from this device's camera or its files: kept in the
// browser until the server has them. It knows a file by its content: sent again, also from another
// tab, it is stored once.
import { call, NoConnection } from "./api.js";

const find = (id) => document.getElementById(id);
const PAUSE = 4000;
let sending = false;
let timer;
let refused = "";
let held = false; // whether this tab has said that something waits

const opened = new Promise((resolve, reject) => {
  const request = indexedDB.open(find("stage").dataset.study);
  request.onupgradeneeded = () => request.result.createObjectStore("films", { autoIncrement: true });
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

// Does one step with what is kept; resolves with what it gives once that is durable.
async function films(step) {
  const transaction = (await opened).transaction("films", "readwrite", { durability: "strict" });
  const request = step(transaction.objectStore("films"));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

function say(text) {
  const all = [refused, text].filter(Boolean).join(" ");
  for (const place of document.querySelectorAll(".film-state")) place.textContent = all;
}

// Returns whether the server has answered for good.
async function send({ trial, file }) {
  try {
    say("Sending the recording…");
    await call("POST", `/api/trials/${trial}/recordings`, file);
    say(`Stored with trial ${trial}.`);
  } catch (error) {
    if (error instanceof NoConnection || [401, 403, 408].includes(error.status)) {
      const why = error.told || "it will be sent when the connection is back, even if you close this page.";
      say(`Kept on this device: ${why}`);
      held = true;
      return false;
    }
    refused = `Not stored: ${error.message}.`;
    say("");
  }
  return true;
}

async function flush() {
  if (sending) return;
  sending = true;
  clearTimeout(timer);
  try {
    for (;;) {
      const [key] = await films((store) => store.getAllKeys(null, 1));
      if (key === undefined) {
        if (held) say("Everything kept here has been sent.");
        held = false;
        break;
      }
      const item = await films((store) => store.get(key));
      if (item && !(await send(item))) {
        timer = setTimeout(flush, PAUSE);
        break;
      }
      await films((store) => store.delete(key));
    }
  } catch {
    // where the browser keeps nothing, nothing waits
  } finally {
    sending = false;
  }
}

find("film").addEventListener("change", async ({ target }) => {
  const trial = find("trial-number").textContent.replace(/\D/g, "");
  refused = "";
  for (const file of target.files) {
    const item = { trial, file };
    try {
      await films((store) => store.add(item));
      navigator.storage?.persist?.(); // or a phone that is short of room may drop it
    } catch {
      if (!(await send(item))) say("Not stored, and this browser cannot keep data: choose it again later.");
    }
  }
  target.value = "";
  flush();
});
addEventListener("online", flush);
flush();
