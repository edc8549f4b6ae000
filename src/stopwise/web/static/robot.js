// With a runner at the station, Start starts the policy, and its end stops the clock.
const find = (id) => document.getElementById(id);

export function showRobot(kept, keep, timer) {
  const { attended, episode, running, seconds } = kept.trial;
  const silent = kept.started && Date.now() - kept.started > 10000;
  find("code-text").textContent = attended ? "Start starts the policy" : "Run the policy with code";
  find("robot").hidden = !attended || !(kept.started || episode);
  find("timer").hidden = attended && Boolean(kept.started || episode);
  if (episode && !running && kept.seconds == null) keep({ seconds: seconds ?? timer.seconds });
  if (running) find("robot").textContent = "The robot is running.";
  else if (episode) find("robot").textContent = "The robot has stopped: score what you saw.";
  else find("robot").textContent = silent ? "The runner is not answering: tell the owner." : "Starting…";
}
