// A video or photo of the trial that is shown, from this device's camera or its files.
import { call } from "./api.js";

const find = (id) => document.getElementById(id);

find("film").addEventListener("change", async ({ target }) => {
  const trial = find("trial-number").textContent.replace(/\D/g, "");
  for (const file of target.files) {
    find("film-state").textContent = "Sending…";
    try {
      await call("POST", `/api/trials/${trial}/recordings`, file);
      find("film-state").textContent = `Stored with trial ${trial}.`;
    } catch (error) {
      find("film-state").textContent = `Not stored: ${error.message}`;
    }
  }
  target.value = "";
});
