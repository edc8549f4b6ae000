// The page at the robot: take a trial, run it, score it, undo it; through dropped connections too.
import { call, listen, NoConnection } from "./api.js";
import { Queue } from "./queue.js";
import { makeRubric } from "./rubric.js";
import { Timer } from "./timer.js";

const find = (id) => document.getElementById(id);
const sections = ["ready", "trial", "saved", "waiting", "draft", "done"];
const stationButton = find("station");

// What must survive a reload: the trial, the clock, and what was saved last.
// Another study may be served at this address later: each has a place of its own in this browser.
const STUDY = find("stage").dataset.study;
const PLACE = `${STUDY}:operate`;
const kept = JSON.parse(localStorage.getItem(PLACE) ?? "{}");
kept.station ??= stationButton.dataset.name;
let rubric;
let gone = false; // whether the trial shown was ended elsewhere
let connected = true;

function keep(changes) {
  Object.assign(kept, changes);
  localStorage.setItem(PLACE, JSON.stringify(kept));
}

const queue = new Queue(`${STUDY}:queue`, {
  told: () => showConnection(),
  stored: (item, answer) => {
    if (kept.saved && kept.saved.key === item.body.key) {
      keep({ saved: { ...kept.saved, stored: true, score: answer.score, counted: answer.counted } });
      if (kept.section === "saved") showSaved();
      look();
    }
  },
  refused: (item, error, again) => {
    if (again) problem("You were signed out: join again. Your entries are kept on this device.");
    else problem(`Not stored: ${error.message}`);
    if (!again && item.what !== "release") forget();
    if (!again && item.what === "score") explain(item);
  },
});

function problem(text) {
  find("problem-text").textContent = text;
  find("problem").hidden = !text;
}

function showConnection() {
  const pill = find("connection");
  const lost = !connected || queue.offline;
  pill.className = `pill ${queue.waiting ? "warn" : lost ? "bad" : "good"}`;
  if (queue.waiting) pill.textContent = lost ? "waiting for connection" : "saving…";
  else pill.textContent = lost ? "no connection" : kept.section === "saved" ? "saved" : "connected";
  if (kept.section === "saved") showSavedState();
}

function show(section) {
  for (const name of sections) find(name).hidden = name !== section;
  find("stage").dataset.section = section;
  keep({ section });
  showConnection();
  scrollTo(0, 0);
}

// --- the trial ---------------------------------------------------------------------------------

async function take() {
  problem("");
  try {
    const found = await call("POST", "/api/trials/next", { station: kept.station });
    setConnected(true);
    if (found.trial) {
      begin(found.trial);
    } else {
      show(found.finished ? "done" : "waiting");
    }
  } catch (error) {
    if (error instanceof NoConnection) {
      setConnected(false);
      problem("No connection: the next trial will load when it is back.");
      keep({ wanted: true });
    } else if (error.status === 401) {
      location.assign("/join");
    } else if (error.status === 409) {
      show("draft");
    } else {
      problem(error.message);
    }
  }
}

function begin(trial) {
  keep({ trial, wanted: false, saved: null, started: null, seconds: null });
  showTrial();
}

function showTrial() {
  const { trial } = kept;
  find("code").textContent = trial.code;
  find("code").classList.toggle("long", trial.code.length > 6);
  find("trial-number").textContent = `trial ${trial.trial}`;
  find("condition").textContent = trial.condition ?? "";
  find("condition-row").hidden = trial.condition === null;
  find("task").textContent = trial.task;
  find("instructions").textContent = trial.instructions;
  find("note").value = "";
  find("more").open = false;
  find("given-back").hidden = trial.given_back !== "worst";
  find("unneeded").hidden = trial.needed;
  find("question").textContent = question(trial.rubric);
  rubric = makeRubric(trial.rubric, showSave);
  find("rubric").replaceChildren(rubric.element);
  showGone("");
  showTags(trial.tags);
  timer.show();
  showRobot();
  show("trial");
}

// With a runner at the station, Start starts the policy, and its end stops the clock.
function showRobot() {
  const { attended, episode, running, seconds } = kept.trial;
  const silent = kept.started && Date.now() - kept.started > 10000;
  find("code-text").textContent = attended
    ? "Start starts the policy"
    : "Run the policy with code";
  find("robot").hidden = !attended || !(kept.started || episode);
  find("timer").hidden = attended && Boolean(kept.started || episode);
  if (episode && !running && kept.seconds == null) keep({ seconds: seconds ?? timer.seconds });
  if (running) find("robot").textContent = "The robot is running. Saving a score stops it.";
  else if (episode) find("robot").textContent = "The robot has stopped: score what you saw.";
  else find("robot").textContent = silent ? "The runner does not answer: tell the owner." : "Starting…";
}

function question({ kind, first }) {
  if (kind === "milestones") return "What was reached?";
  if (kind !== "preference") return "How did it go?";
  return first === undefined ? "First of two: watch how it goes." : "Which of the two was better?";
}

function showGone(text) {
  gone = text !== "";
  find("gone-text").textContent = text;
  find("gone").hidden = !gone;
  showSave();
}

function showSave() {
  find("save").disabled = gone || rubric.answer() === undefined;
}

function showTags(tags) {
  const chips = tags.map((tag) => {
    const chip = document.createElement("button");
    chip.type = "button";
    chip.className = "chip";
    chip.textContent = tag;
    chip.setAttribute("aria-pressed", "false");
    chip.addEventListener("click", () => {
      const now = chip.getAttribute("aria-pressed") !== "true";
      for (const other of chips) other.setAttribute("aria-pressed", "false");
      chip.setAttribute("aria-pressed", String(now));
    });
    return chip;
  });
  find("tags").replaceChildren(...chips);
  find("tags").hidden = !tags.length;
}

function chosenTag() {
  return find("tags").querySelector('[aria-pressed="true"]')?.textContent ?? null;
}

// --- the clock ---------------------------------------------------------------------------------

const timer = new Timer(find("clock"), find("timer"), kept, keep, sendStart);

// Said again at half time until the trial is saved, also when the timer was stopped, a start keeps a
// long trial from being handed out again. Not queued: later it would be old news.
async function sendStart() {
  const { trial } = kept;
  keep({ heard: Date.now() });
  try {
    await call("POST", `/api/trials/${trial.trial}/start`, { station: trial.station });
    setConnected(true);
  } catch (error) {
    if (error instanceof NoConnection) setConnected(false);
  }
}

setInterval(() => {
  if (kept.section !== "trial") return;
  timer.show();
  showRobot();
  if (kept.started && Date.now() - kept.heard > 500 * kept.trial.seconds_left) sendStart();
}, 250);

// --- saving and undoing ------------------------------------------------------------------------

function save() {
  const { trial } = kept;
  const timed = kept.started ? Math.round(timer.seconds * 10) / 10 : null;
  keep({ saved: { trial: trial.trial, station: trial.station, assignment: trial, stored: false } });
  const body = {
    answer: rubric.answer(),
    station: trial.station,
    note: find("note").value.trim(),
    tag: chosenTag(),
    seconds: timed,
  };
  const key = queue.add(`/api/trials/${trial.trial}/score`, body, "score");
  keep({ saved: { ...kept.saved, key } });
  showSaved();
}

function showSaved() {
  const { saved } = kept;
  find("saved-mark").classList.toggle("pending", !saved.stored);
  find("saved-text").textContent = saved.stored
    ? `Trial ${saved.trial} saved${result(saved)}`
    : `Trial ${saved.trial} is kept on this device`;
  show("saved");
}

// A number is shown as it was measured, a share of milestones as it is read.
function result({ assignment, score }) {
  const { kind } = assignment.rubric;
  if (score === null) return ": now run the second, to be compared with it";
  if (kind === "preference") return `: ${{ 0: "the first was better", 0.5: "a tie", 1: "the second was better" }[score]}`;
  return `: score ${kind === "number" ? score : Number(score.toPrecision(3))}`;
}

function showSavedState() {
  const { saved } = kept;
  find("saved-state").textContent = saved.stored
    ? saved.counted || saved.score === null
      ? "Stored."
      : "Stored, but not counted: another station had already filled this place."
    : queue.offline || !connected
      ? "Waiting for a connection. It will be sent exactly once, even if you close this page."
      : "Sending…";
}

function undo() {
  const { saved } = kept;
  const reason = saved && prompt("What was wrong with the score?")?.trim();
  if (!reason) return;
  queue.add(`/api/trials/${saved.trial}/undo`, { station: saved.station, reason }, "undo");
  keep({ trial: saved.assignment, saved: null, started: null, seconds: null });
  showTrial();
}

function giveBack(reason) {
  const { trial } = kept;
  if (!reason) {
    problem("Say why in the note first.");
    find("note").focus();
    return;
  }
  problem("");
  queue.add(`/api/trials/${trial.trial}/release`, { station: trial.station, reason }, "release");
  forget();
}

function forget() {
  keep({ trial: null, saved: null, started: null, seconds: null });
  show("ready");
}

// The next trial is asked for only when the last score has arrived, so that undoing stays possible.
function next() {
  if (queue.waiting) {
    problem("Your last score is kept on this device. The next trial will load when the connection is back.");
    keep({ wanted: true });
    queue.flush();
    return;
  }
  take();
}

// --- what the server tells ----------------------------------------------------------------------

function setConnected(now) {
  const back = now && !connected;
  connected = now;
  if (back) {
    problem("");
    queue.flush();
  }
  showConnection();
}

async function look() {
  if (kept.wanted && !queue.waiting) return take();
  try {
    const found = await call("GET", "/api/status");
    setConnected(true);
    find("tally").textContent = `${found.counted} trial${found.counted === 1 ? "" : "s"} so far`;
    const section = kept.section ?? "ready";
    if (section === "saved" && found.phase === "finished" && !queue.waiting) {
      show("done");
    } else if (section === "ready" && found.phase !== "running") {
      show(found.phase === "draft" ? "draft" : "done");
    } else if (section === "draft" && found.phase !== "draft") {
      show("ready");
    } else if (section === "waiting") {
      await take();
    } else if (section === "done" && found.phase === "running") {
      show("ready");
    } else if (section === "trial") {
      await lookAtTrial();
    }
  } catch (error) {
    if (error instanceof NoConnection) setConnected(false);
    else if (error.status === 401) problem("You were signed out: join again with your link.");
  }
}

async function lookAtTrial() {
  const { trial } = kept;
  const now = await whereabouts(trial.trial, trial.station);
  if (kept.trial !== trial || queue.waiting) return; // something was done here meanwhile
  const { attended, episode, running, seconds } = now;
  keep({ trial: { ...trial, attended, episode, running, seconds } });
  showRobot();
  find("unneeded").hidden = now.needed || now.status !== "leased";
  showGone(ended(now));
}

function whereabouts(trial, station) {
  return call("GET", `/api/trials/${trial}/whereabouts?station=${encodeURIComponent(station)}`);
}

// A trial that was ended, but not here: how; "" if it is under way.
function ended({ trial, status }) {
  const twice = "Is this station's link open in two places?";
  if (status === "scored") return `Trial ${trial} was already scored elsewhere. ${twice}`;
  if (status === "released") return `Trial ${trial} was already given back elsewhere. ${twice}`;
  if (status === "voided") return `The owner voided trial ${trial}: it does not count.`;
  return "";
}

// Why a score was not taken, if it is because of what was done elsewhere.
async function explain(item) {
  const [, , , trial] = item.path.split("/");
  const now = await whereabouts(trial, item.body.station).catch(() => ({ status: "unknown" }));
  if (ended(now)) problem(`Not stored. ${ended(now)}`);
}

function changeStation() {
  const name = prompt("Name of this station", kept.station)?.trim();
  if (!name || name === kept.station) return;
  keep({ station: name.slice(0, 100) });
  stationButton.textContent = kept.station;
  if (kept.section !== "saved") forget();
}

stationButton.textContent = kept.station;
stationButton.addEventListener("click", changeStation);
find("take").addEventListener("click", take);
find("ask").addEventListener("click", take);
find("next").addEventListener("click", next);
find("save").addEventListener("click", save);
find("undo").addEventListener("click", undo);
find("give-back").addEventListener("click", () => giveBack(find("note").value.trim()));
find("put-away").addEventListener("click", forget);
find("give-back-now").addEventListener("click", () => giveBack("no longer needed"));
find("problem-close").addEventListener("click", () => problem(""));
addEventListener("offline", () => setConnected(false));
addEventListener("online", look);

if (kept.section === "trial" && kept.trial) showTrial();
else if (kept.section === "saved" && kept.saved) showSaved();
else show("ready");
listen(look, (alive) => (alive ? look() : setConnected(false)));
document.documentElement.dataset.ready = ""; // until now, a tap would be lost
