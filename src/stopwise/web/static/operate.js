// The page at the robot: take a trial, run it, score it, undo it; through dropped connections too.
import { call, listen, NoConnection } from "./api.js";
import { stayAwake } from "./awake.js";
import { chooser } from "./chips.js";
import { forgetful, sharedState } from "./keeping.js";
import { offerChecks, today } from "./checks.js";
import { Queue } from "./queue.js";
import { showRobot } from "./robot.js";
import { makeRubric } from "./rubric.js";
import { Timer } from "./timer.js";
import { ended, inWords, question, result, savedState } from "./wording.js";

const find = (id) => document.getElementById(id);
// Why a trial may not count; the owner decides.
const INVALID = ["wrong setup", "robot or camera fault", "someone interfered", "wrong policy started"];
const sections = ["ready", "checks", "trial", "saved", "waiting", "draft", "done"];
const stationButton = find("station");

// What must survive a reload: the trial, what was entered for it, the clock, what was saved last, and
// what the server refused. Another study may be served at this address later: each has its own place.
const STUDY = find("stage").dataset.study;
const HOLD = 1000 * Number(find("stage").dataset.hold); // for so long a score can be taken back
const [kept, keep] = sharedState(`${STUDY}:operate`, showKept);
kept.station ??= stationButton.dataset.name;
let rubric;
let tags;
let why; // the trial is invalid
let gone = false; // whether the trial shown was ended elsewhere
let connected = true;
let starting = false; // whether a start is on its way

const queue = new Queue(`${STUDY}:queue`, {
  told: () => showConnection(),
  stored: (item, answer) => {
    if (kept.saved && kept.saved.key === item.body.key) {
      keep({ saved: { ...kept.saved, stored: true, score: answer.score, counted: answer.counted } });
      if (kept.section === "saved") showSaved();
      look();
    }
  },
  refused: async (item, error, again) => {
    if (again) {
      problem("You were signed out: join again. Your entries are kept on this device.");
      return;
    }
    const why = (item.what === "score" && (await explain(item))) || error.message;
    const told = `Not stored: ${why.replace(/[^.?]$/, "$&.")} ${inWords(item)}`;
    keep({ refused: [kept.refused, told].filter(Boolean).join("\n"), wanted: false });
    find("stage").classList.remove("busy");
    problem("");
    if (item.what !== "release" && kept.saved?.key === item.body.key) forget();
  },
});

// What was refused stays until it is closed, whatever else there is to say.
function problem(text) {
  const all = [kept.refused, text].filter(Boolean).join("\n");
  find("problem-text").textContent = all;
  find("problem").hidden = !all;
}

function showConnection() {
  const pill = find("connection");
  const held = kept.saved && !kept.saved.stored && queue.held(kept.saved.key) > 0;
  const lost = !connected || queue.offline;
  pill.className = `pill ${queue.waiting && !held ? "warn" : lost ? "bad" : "good"}`;
  if (held) pill.textContent = "kept here";
  else if (queue.trouble) pill.textContent = "server cannot store";
  else if (queue.waiting) pill.textContent = lost ? "waiting for connection" : "saving…";
  else pill.textContent = lost ? "no connection" : kept.section === "saved" ? "saved" : "connected";
  if (kept.section === "saved") showSavedState();
  find("forgetful").hidden = !forgetful;
}

function show(section) {
  for (const name of sections) find(name).hidden = name !== section;
  const moved = find("stage").dataset.section !== section;
  find("stage").dataset.section = section;
  if (moved) for (const part of document.querySelectorAll("html, .side")) part.scrollTop = 0;
  if (kept.section !== section) keep({ section });
  showConnection();
  stayAwake(section === "trial");
}

// After a reload, and after another tab has done something: tabs show the same.
function showKept() {
  stationButton.textContent = kept.station;
  problem("");
  if (kept.section === "trial" && kept.trial) showTrial();
  else if (kept.section === "checks" && kept.checks?.day === today()) showChecks();
  else if (kept.section === "saved" && kept.saved) showSaved();
  else show(["trial", "checks", "saved"].includes(kept.section) ? "ready" : (kept.section ?? "ready"));
}

function showChecks() {
  offerChecks(kept, keep, take, problem);
  show("checks");
}

// --- the trial ---------------------------------------------------------------------------------

async function take() {
  problem("");
  find("stage").classList.add("busy"); // at once, however slow the network is
  try {
    const found = await call("POST", "/api/trials/next", { station: kept.station });
    setConnected(true);
    if (found.trial) {
      begin(found.trial);
    } else if (found.checks.length) {
      const entered = kept.checks?.day === today() ? kept.checks : {};
      keep({ checks: { ...entered, day: today(), checks: found.checks } });
      showChecks();
    } else {
      show(found.finished ? "done" : "waiting");
    }
  } catch (error) {
    if (error instanceof NoConnection) {
      setConnected(false);
      problem("No connection: the next trial will load when the connection is back.");
      keep({ wanted: true });
    } else if (error.status === 401) {
      location.assign("/join");
    } else if (error.status === 409) {
      show("draft");
    } else {
      problem(error.message);
    }
  } finally {
    find("stage").classList.remove("busy");
  }
}

function begin(trial) {
  const same = kept.trial?.trial === trial.trial; // asked for again: its clock runs on
  keep({ trial, wanted: false, saved: null, ...(same ? {} : { started: null, seconds: null }) });
  showTrial();
}

function draft() {
  return kept.drafts?.[kept.trial.trial] ?? {};
}

function keepDraft() {
  const now = { entered: rubric.entered?.(), note: find("note").value, tag: tags.chosen(), why: why.chosen() };
  keep({ drafts: { ...kept.drafts, [kept.trial.trial]: now } });
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
  const { entered, note, tag, why: reason } = draft();
  find("note").value = note ?? "";
  find("more").open = Boolean(note);
  find("invalid").open = Boolean(reason);
  find("given-back").hidden = trial.given_back !== "worst";
  find("unneeded").hidden = trial.needed;
  find("question").textContent = question(trial.rubric);
  rubric = makeRubric(trial.rubric, () => {
    keepDraft();
    showSave();
  });
  if (entered != null && entered !== "") rubric.restore?.(entered);
  find("rubric").replaceChildren(rubric.element);
  tags = chooser(find("tags"), trial.tags, keepDraft, tag);
  why = chooser(find("reasons"), INVALID, keepDraft, reason);
  showGone("");
  timer.show();
  showRobot(kept, keep, timer);
  show("trial");
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

// --- the clock ---------------------------------------------------------------------------------

const timer = new Timer(find("clock"), find("timer"), kept, keep, () => sendStart(true));

// Said again at half time until the trial is saved, also when the timer was stopped, a start keeps a
// long trial from being handed out again. One that did not arrive is said again once the server is
// back (lookAtTrial), but not to a runner: the robot must not move when nobody expects it.
async function sendStart(first) {
  const { trial } = kept;
  keep({ heard: Date.now() });
  starting = true;
  try {
    await call("POST", `/api/trials/${trial.trial}/start`, { station: trial.station });
    setConnected(true);
  } catch (error) {
    const away = error instanceof NoConnection;
    if (away) setConnected(false);
    if (first && trial.attended) notStarted(away ? error.told : error.message);
    else if (error.status === 409) problem(error.message);
  } finally {
    starting = false;
  }
}

function notStarted(why) {
  keep({ started: null, seconds: null });
  timer.show();
  showRobot(kept, keep, timer);
  problem(why || "The server did not answer Start. If the robot does not move, tap Start again when the connection is back.");
}

setInterval(() => {
  if (kept.section === "saved" && !kept.saved.stored) showConnection();
  sayWaiting();
  if (kept.section !== "trial") return;
  timer.show();
  showRobot(kept, keep, timer);
  if (kept.started && Date.now() - kept.heard > 500 * kept.trial.seconds_left) sendStart();
}, 250);

// --- saving and undoing ------------------------------------------------------------------------

function save() {
  const { trial } = kept;
  const timed = kept.started ? Math.round(timer.seconds * 10) / 10 : null;
  const { entered: _, ...remarks } = draft();
  const body = {
    answer: rubric.answer(),
    station: trial.station,
    note: find("note").value.trim(),
    tag: tags.chosen(),
    seconds: timed,
  };
  const key = queue.add(`/api/trials/${trial.trial}/score`, body, "score", trial.running ? 0 : HOLD); // it stops the robot
  const { [trial.trial]: __, ...others } = kept.drafts ?? {};
  const saved = { trial: trial.trial, station: trial.station, assignment: trial, stored: false, key };
  keep({ saved: { ...saved, remarks }, drafts: others });
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

function showSavedState() {
  const { saved } = kept;
  const left = saved.stored ? 0 : Math.ceil(queue.held(saved.key) / 1000);
  find("undo").hidden = !left;
  const lost = queue.offline || !connected;
  find("saved-state").textContent = savedState(saved, left, queue.trouble, lost);
}

// Only what was never sent can be taken back: nobody learns what a score does before it is final.
function undo() {
  const { saved } = kept;
  if (!queue.withdraw(saved.key)) return showSaved();
  const drafts = { ...kept.drafts, [saved.trial]: saved.remarks };
  keep({ trial: saved.assignment, saved: null, drafts, section: "trial" });
  showTrial();
}

function giveBack(reason) {
  const { trial } = kept;
  if (!reason) {
    problem("Choose a reason, or say why in the note.");
    return;
  }
  problem("");
  queue.add(`/api/trials/${trial.trial}/release`, { station: trial.station, reason }, "release");
  forget();
}

function forget() {
  keep({ trial: null, saved: null, checks: null, started: null, seconds: null });
  show("ready");
}

// The next trial is asked for only when the last score has arrived; with that, the score is final.
function next() {
  if (!queue.waiting) return take();
  keep({ wanted: true });
  find("stage").classList.add("busy");
  queue.hurry();
  return undefined;
}

function sayWaiting() {
  if (!kept.wanted || !queue.waiting || !(queue.offline || !connected)) return;
  find("stage").classList.remove("busy");
  problem("Your last score is kept on this device. The next trial will load when the connection is back.");
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
  const started = !starting && kept.started; // the study need not know yet of one on its way
  const now = await whereabouts(trial.trial, trial.station);
  if (kept.trial !== trial || queue.waiting) return; // something was done here meanwhile
  const { attended, episode, running, seconds } = now;
  keep({ trial: { ...trial, attended, episode, running, seconds } });
  showRobot(kept, keep, timer);
  if (started && !now.started && now.status === "leased") attended ? notStarted() : sendStart();
  find("unneeded").hidden = now.needed || now.status !== "leased";
  showGone(ended(now));
}

function whereabouts(trial, station) {
  return call("GET", `/api/trials/${trial}/whereabouts?station=${encodeURIComponent(station)}`);
}

// Why a score was not taken, if it is because of what was done elsewhere; else "".
async function explain(item) {
  const [, , , trial] = item.path.split("/");
  return ended(await whereabouts(trial, item.body.station).catch(() => ({ status: "unknown" })));
}

function changeStation() {
  const name = prompt("Name of this station", kept.station)?.trim();
  if (!name || name === kept.station) return;
  keep({ station: name.slice(0, stationButton.dataset.longest) });
  stationButton.textContent = kept.station;
  if (kept.section !== "saved") forget();
}

stationButton.addEventListener("click", changeStation);
find("take").addEventListener("click", take);
find("ask").addEventListener("click", take);
find("next").addEventListener("click", next);
find("save").addEventListener("click", save);
find("undo").addEventListener("click", undo);
find("note").addEventListener("input", keepDraft);
find("give-back").addEventListener("click", () => {
  giveBack([why.chosen(), find("note").value.trim()].filter(Boolean).join(": "));
});
find("put-away").addEventListener("click", forget);
find("give-back-now").addEventListener("click", () => giveBack("no longer needed"));
find("problem-close").addEventListener("click", () => {
  keep({ refused: "" });
  problem("");
});
addEventListener("offline", () => setConnected(false));
addEventListener("online", look);
document.addEventListener("visibilitychange", () => stayAwake(kept.section === "trial"));

showKept();
listen(look, (alive) => (alive ? look() : setConnected(false)));
navigator.serviceWorker?.register("/worker.js").catch(() => {}); // so that the page opens offline
document.documentElement.dataset.ready = ""; // until now, a tap would be lost
