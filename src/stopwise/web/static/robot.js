// With a runner at the station, Start starts the policy, and its end stops the clock.
import { call, NoConnection } from "./api.js";
import { now } from "./time.js";

const find = (id) => document.getElementById(id);
const QUIET = 10000; // milliseconds without an answer of the runner

export function showRobot(kept, keep, timer) {
  const { attended, episode, running, seconds, silent } = kept.trial;
  const begun = Boolean(kept.started || episode);
  find("code-text").textContent = attended ? "The policy starts with Start" : "Run the policy with code";
  find("code").classList.toggle("small", attended);
  find("robot").hidden = !attended || !(begun || silent);
  find("timer").hidden = attended && begun;
  find("stop").hidden = !attended || !begun || (Boolean(episode) && !running);
  if (episode && !running && kept.seconds == null) keep({ seconds: seconds ?? timer.seconds });
  find("robot-text").textContent = told(kept, Boolean(silent) || (kept.started && now() - kept.started > QUIET));
}

function told({ trial: { episode, running, stopping, silent } }, quiet) {
  if (running && silent) return "The runner does not answer: stop the robot by hand, then score what you saw.";
  if (running) return stopping ? "Stopping…" : "The robot is running.";
  if (episode) return "The robot has stopped: score what you saw.";
  if (stopping) return "Stopped before it began: give the trial back.";
  return quiet ? "The runner does not answer: tell the owner." : "Starting…";
}

// Stops the robot; what comes of it is told with the trial.
export async function stopRobot(kept, keep, problem) {
  const { trial } = kept;
  try {
    await call("POST", `/api/trials/${trial.trial}/stop`, {});
    if (kept.trial === trial) keep({ trial: { ...trial, stopping: true } });
  } catch (error) {
    const away = error instanceof NoConnection;
    problem(away ? "The server did not answer Stop: stop the robot by hand." : error.message);
  }
}
