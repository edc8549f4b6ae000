import { now } from "./time.js";

// With a runner at the station, Start starts the policy, and its end stops the clock.
const find = (id) => document.getElementById(id);

export function showRobot(kept, keep, timer) {
  const { attended, episode, running, seconds } = kept.trial;
  const silent = kept.started && now() - kept.started > 10000;
  find("code-text").textContent = attended ? "The policy starts with Start" : "Run the policy with code";
  find("code").classList.toggle("small", attended);
  find("robot").hidden = !attended || !(kept.started || episode);
  find("timer").hidden = attended && Boolean(kept.started || episode);
  if (episode && !running && kept.seconds == null) keep({ seconds: seconds ?? timer.seconds });
  if (running) find("robot").textContent = "The robot is running.";
  else if (episode) find("robot").textContent = "The robot has stopped: score what you saw.";
  else find("robot").textContent = silent ? "The runner is not answering: tell the owner." : "Starting…";
}
