// A time that never goes back, in milliseconds, for clocks and pauses: whoever sets the clock of a
// phone, or its network, changes neither how long a trial took nor when a score is sent.
import { read, write } from "./keeping.js";

const PLACE = "stopwise:time";
let date = Date.now();
let time = Math.max(date, Number(read(PLACE) ?? 0));

export function now() {
  const before = date;
  date = Date.now();
  time += Math.max(0, date - before);
  return time;
}

addEventListener("pagehide", () => write(PLACE, String(now())));
setInterval(() => write(PLACE, String(now())), 1000); // a page may also end without a word
