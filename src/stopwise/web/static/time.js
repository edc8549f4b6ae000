// A time that never goes back, in milliseconds, for clocks and pauses: whoever sets the clock of a
// phone, or its network, changes neither how long a trial took nor when a score is sent.
import { read, write } from "./keeping.js";

const PLACE = "stopwise:time";
const DAY = 86400000; // a phone may sleep that long; a larger step of its clock is a change of it
let date = Date.now();
let ticks = performance.now();
let time = Math.max(date, Number(read(PLACE) ?? 0));

export function now() {
  const byDate = Date.now() - date;
  const byTicks = Math.max(0, performance.now() - ticks); // may stand still while a phone sleeps
  time += byDate >= 0 && byDate < byTicks + DAY ? byDate : byTicks;
  date = Date.now();
  ticks = performance.now();
  return time;
}

addEventListener("pagehide", () => write(PLACE, String(now())));
setInterval(() => write(PLACE, String(now())), 1000); // a page may also end without a word
