// With a runner at the station, Start starts the policy, and its end stops the clock.
const find = (id) => document.getElementById(id);

export function showRobot(kept, keep, timer) {
  const { attended, episode, running, seconds } = kept.trial;
  const { audited } = kept.trial.rubric; // it was run before, and is only asked about
  find("invalid").hidden = Boolean(audited);
  const silent = kept.started && Date.now() - kept.started > 10000;
  find("code-text").textContent = audited
    ? "This trial is over"
    : attended
      ? "Start starts the policy"
      : "Run the policy with code";
  find("robot").hidden = audited || !attended || !(kept.started || episode);
  find("timer").hidden = audited || (attended && Boolean(kept.started || episode));
  if (episode && !running && kept.seconds == null) keep({ seconds: seconds ?? timer.seconds });
  if (running) find("robot").textContent = "The robot is running.";
  else if (episode) find("robot").textContent = "The robot has stopped: score what you saw.";
  else find("robot").textContent = silent ? "The runner is not answering: tell the owner." : "Starting…";
}
