// The page at the robot: take a trial, run it, score it, undo it; through dropped connections too.
import { call, listen, NoConnection } from "./api.js";
import { stayAwake } from "./awake.js";
import { chooser } from "./chips.js";
import { forgetful, sharedState } from "./keeping.js";
import { offerChecks, today } from "./checks.js";
import { Queue } from "./queue.js";
import { showRobot, stopRobot } from "./robot.js";
import { kindOf, makeRubric } from "./rubric.js";
import { now } from "./time.js";
import { Timer } from "./timer.js";
import { cost, ended, inWords, said, savedState } from "./wording.js";

const find = (id) => document.getElementById(id);
// Why a trial may not count; the owner decides.
const INVALID = ["wrong setup", "robot or camera fault", "someone interfered", "wrong policy started"];
const sections = ["ready", "checks", "trial", "waiting", "draft", "done"];
const SIGNED_OUT = "This link was revoked, or has expired: ask the owner for a new one. What you entered is kept on this device.";
const SETTLED = 500; // a new trial takes no answer for so many milliseconds: a second tap was meant for the last

// What must survive a reload: the trial, what was entered for it, the clock, what was saved last, and
// what the server refused. Another study may be served at this address later: each has its own place.
const STUDY = find("stage").dataset.study;
const HOLD = 1000 * Number(find("stage").dataset.hold); // for so long a score can be taken back
const [kept, keep] = sharedState(`${STUDY}:operate`, showKept);
let rubric;
let tags;
let reasons; // why the trial is invalid
let shown = null; // the trial on this page, whatever other tabs have done meanwhile
let gone = false; // whether the trial shown was ended elsewhere
let connected = true;
let starting = false; // whether a start is on its way
let asked = 0; // how often a trial was asked for; only the last answer counts

const queue = new Queue(`${STUDY}:queue`, {
  told: () => showConnection(),
  stored: (item, answer) => {
    if (kept.saved?.key === item.body.key) {
      keep({ saved: { ...kept.saved, stored: true, score: answer.score, counted: answer.counted } });
    }
    showLast();
    look();
  },
  refused: async (item, error, again) => {
    if (again) {
      problem(SIGNED_OUT);
      return;
    }
    const why = (item.what === "score" && (await explain(item))) || error.message;
    const told = `Not stored: ${why.replace(/[^.?]$/, "$&.")} ${inWords(item)}`;
    keep({ refused: [kept.refused, told].filter(Boolean).join("\n"), wanted: false });
    find("stage").classList.remove("busy");
    problem("");
    if (kept.saved?.key === item.body.key) keep({ saved: null });
    showLast();
    look();
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
  const held = waitsHere() && queue.held(kept.saved.key) > 0;
  const lost = !connected || queue.offline;
  pill.className = `pill ${queue.waiting && !held ? "warn" : lost ? "bad" : "good"}`;
  if (held) pill.textContent = "kept here";
  else if (queue.trouble) pill.textContent = "server cannot store";
  else if (queue.waiting) pill.textContent = lost ? "waiting for connection" : "saving…";
  else pill.textContent = lost ? "no connection" : "connected";
  showLast();
  find("forgetful").hidden = !forgetful();
}

// What was entered last, above all else, for as long as it is the last.
function showLast() {
  const { saved } = kept;
  find("last").hidden = !saved;
  if (!saved) return;
  find("last").toggleAttribute("data-stored", saved.stored);
  const left = waitsHere() ? Math.ceil(queue.held(saved.key) / 1000) : 0;
  find("last-text").textContent = `Trial ${saved.trial.trial}: ${saved.said}`;
  find("last-state").textContent = savedState(saved, left, queue.trouble, queue.offline || !connected);
  find("undo").hidden = !left;
  find("waiting-why").textContent = waitsHere()
    ? `What comes next hangs on trial ${saved.trial.trial}: it is sent first.`
    : "Other stations hold the remaining trials. This page continues by itself.";
}

// Whether the score that was saved last is still on this device.
function waitsHere() {
  return Boolean(kept.saved && !kept.saved.stored && queue.find(kept.saved.key));
}

// How many entries the server must have before it is asked for a trial: all but one that is held.
function toArrive() {
  const held = waitsHere() && kept.saved.ahead && queue.held(kept.saved.key) > 0;
  return queue.waiting - (held ? 1 : 0);
}

function show(section) {
  for (const name of sections) find(name).hidden = name !== section;
  const moved = find("stage").dataset.section !== section;
  find("stage").dataset.section = section;
  find("trial").inert = false;
  if (section !== "trial") shown = null;
  if (moved) toTop();
  if (kept.section !== section) keep({ section });
  showConnection();
  stayAwake(section === "trial");
}

function toTop() {
  for (const part of document.querySelectorAll("html, .side")) part.scrollTop = 0;
}

// After a reload, and after another tab has done something: tabs show the same.
function showKept() {
  problem("");
  if (nextTask) nextTask.value = kept.task ?? "";
  const { section = "ready" } = kept;
  if (section === "trial" && kept.trial) showTrial();
  else if (section === "checks" && kept.checks?.day === today()) showChecks();
  else show(["trial", "checks"].includes(section) ? "ready" : section);
}

function showChecks() {
  offerChecks(kept, keep, take, problem);
  show("checks");
}

// --- the trial ---------------------------------------------------------------------------------

// A trial is asked for once all scores have arrived but the last: what comes next is chosen as if that
// one were not known yet, so that it can still be taken back.
async function take() {
  const turn = ++asked;
  problem("");
  find("stage").classList.add("busy"); // at once, however slow the network is
  if (toArrive()) {
    keep({ wanted: true });
    if (kept.section !== "trial") queue.hurry();
    return;
  }
  try {
    const after = waitsHere() ? kept.saved.trial.trial : null;
    const found = await call("POST", "/api/trials/next", { task: kept.task || null, after });
    if (turn !== asked) return;
    setConnected(true);
    keep({ wanted: false });
    if (found.trial) {
      begin(found.trial);
    } else if (found.checks.length) {
      const entered = kept.checks?.day === today() ? kept.checks : {};
      keep({ checks: { ...entered, day: today(), checks: found.checks } });
      showChecks();
    } else {
      show(found.finished ? "done" : "waiting");
      if (kept.task && !found.finished) problem(`No trial of “${kept.task}” can be run now: choose another task above.`);
    }
  } catch (error) {
    if (turn !== asked) return;
    if (error instanceof NoConnection) {
      setConnected(false);
      keep({ wanted: true });
      sayWaiting();
    } else if (error.status === 401) {
      location.assign("/join?ended");
    } else {
      keep({ wanted: false });
      if (!shown) show("ready");
      problem(error.message);
      look();
    }
  } finally {
    if (turn === asked) find("stage").classList.remove("busy");
  }
}

function begin(trial) {
  const same = kept.trial?.trial === trial.trial; // asked for again: its clock runs on
  keep({ trial, wanted: false, ...(same ? {} : { started: null, seconds: null }) });
  showTrial();
  if (same) return;
  toTop();
  for (const part of document.querySelectorAll("#rubric, #answers")) {
    part.inert = true;
    setTimeout(() => (part.inert = false), SETTLED);
  }
}

function draft() {
  return kept.drafts?.[kept.trial.trial] ?? {};
}

function keepDraft() {
  const invalid = { reason: reasons.chosen(), text: find("reason").value };
  const entered = { entered: rubric.entered(), note: find("note").value, tag: tags.chosen(), invalid };
  keep({ drafts: { ...kept.drafts, [shown.trial]: entered } });
}

function showTrial() {
  const { trial } = kept;
  shown = trial;
  find("code").textContent = trial.code;
  find("code").classList.toggle("long", trial.code.length > 6);
  find("trial-number").textContent = `trial ${trial.trial}`;
  find("condition").textContent = trial.condition ?? "";
  find("condition-row").hidden = trial.condition === null;
  find("task").textContent = trial.task;
  find("instructions").textContent = trial.instructions;
  const { entered, note, tag, invalid } = draft();
  find("note").value = note ?? "";
  find("more").open = Boolean(note);
  find("reason").value = invalid?.text ?? "";
  find("invalid").open = Boolean(invalid?.text || invalid?.reason);
  find("unneeded").hidden = trial.needed;
  find("question").textContent = kindOf(trial.rubric).asked(trial.rubric);
  rubric = makeRubric(trial.rubric, () => {
    keepDraft();
    showSave();
    if (rubric.atOnce) save();
  });
  if (entered != null && entered !== "") rubric.restore(entered);
  // Two buttons are where a thumb is; what has more is read first.
  find("save").hidden = rubric.atOnce;
  find("rubric").replaceChildren();
  find("answers").querySelector(".two")?.remove();
  find(kindOf(trial.rubric).near ? "answers" : "rubric").append(rubric.element);
  tags = chooser(find("tags"), trial.tags, keepDraft, tag);
  reasons = chooser(find("reasons"), INVALID, keepDraft, invalid?.reason);
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
  if (rubric.atOnce) rubric.element.inert = gone;
  find("given-back").textContent = cost(shown, begun());
}

function begun() {
  return Boolean(kept.started || shown.started || shown.episode);
}

// --- the clock ---------------------------------------------------------------------------------

const timer = new Timer(find("clock"), find("timer"), kept, keep, () => {
  queue.hurry(); // what is at the next trial does not take the last one back
  sendStart(true);
});

// Said again at half time until the trial is saved, also when the timer was stopped, a start keeps a
// long trial from being handed out again. One that did not arrive is said again once the server is
// back (lookAtTrial), but not to a runner: the robot must not move when nobody expects it.
async function sendStart(first) {
  const { trial } = kept;
  keep({ heard: now() });
  starting = true;
  try {
    await call("POST", `/api/trials/${trial.trial}/start`, {});
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

// A runner that was killed changes nothing, so nobody is told: it is asked for.
setInterval(() => kept.section === "trial" && kept.trial?.attended && connected && look(), 4000);

setInterval(() => {
  if (kept.saved && !kept.saved.stored) showConnection();
  sayWaiting();
  if (kept.section !== "trial" || !kept.trial) return;
  timer.show();
  showRobot(kept, keep, timer);
  if (kept.started && now() - kept.heard > 500 * kept.trial.seconds_left) sendStart();
}, 250);

// --- saving and undoing ------------------------------------------------------------------------

function save() {
  const trial = shown;
  const answer = rubric.answer();
  if (gone || answer === undefined) return;
  queue.hurry(); // only the last can be taken back
  const timed = kept.started ? Math.round(timer.seconds * 10) / 10 : null;
  const body = { answer, note: find("note").value.trim(), tag: tags.chosen(), seconds: timed };
  const ahead = !kindOf(trial.rubric).storedFirst(trial.rubric);
  // What stops the robot is not held.
  const about = { what: "score", hold: ahead && !trial.running ? HOLD : 0, rubric: trial.rubric };
  const key = queue.add(`/api/trials/${trial.trial}/score`, body, about);
  const { [trial.trial]: entered, ...others } = kept.drafts ?? {};
  const clock = { started: kept.started, seconds: timed };
  keep({
    saved: { trial, key, ahead, entered, clock, said: said(trial.rubric, answer), stored: false },
    ...{ drafts: others, trial: null, started: null, seconds: null, section: "ready" },
  });
  shown = null;
  find("trial").inert = true; // until the next is here
  setTimeout(() => shown || show(kept.section), 300);
  take();
}

// Only what was never sent can be taken back: nobody learns what a score does before it is final.
function undo() {
  const { saved } = kept;
  if (!queue.withdraw(saved.key)) return showLast();
  asked++; // what was on its way is not shown over the trial that is back
  find("stage").classList.remove("busy");
  const drafts = { ...kept.drafts, [saved.trial.trial]: saved.entered };
  keep({ trial: saved.trial, saved: null, wanted: false, drafts, ...saved.clock });
  showTrial();
}

function giveBack() {
  const { trial } = kept;
  const reason = [reasons.chosen(), find("reason").value.trim()].filter(Boolean).join(": ");
  if (!reason) {
    problem("Choose a reason, or write one.");
    return;
  }
  if (!confirm(`Give trial ${trial.trial} back? ${cost(trial, begun())}`)) return;
  release(reason);
}

function release(reason) {
  const { trial } = kept;
  problem("");
  queue.add(`/api/trials/${trial.trial}/release`, { reason }, { what: "release" });
  forget();
}

function forget() {
  keep({ trial: null, checks: null, started: null, seconds: null });
  show("ready");
}

// What is no longer needed is given back; one that has not begun the server takes back by itself.
function passOver() {
  if (begun()) release("no longer needed");
  take();
}

function sayWaiting() {
  if (!kept.wanted || !(queue.offline || !connected)) return;
  find("stage").classList.remove("busy");
  if (!shown) show("ready");
  problem("No connection: the next trial will load when the connection is back.");
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
  if (kept.wanted && !toArrive()) return take();
  try {
    const found = await call("GET", "/api/status");
    setConnected(true);
    find("tally").textContent = `${found.counted} trial${found.counted === 1 ? "" : "s"} so far`;
    find("names-out").hidden = !found.unblinded;
    const section = kept.section ?? "ready";
    if (section === "ready" && found.phase !== "running") {
      show(found.phase === "draft" ? "draft" : "done");
    } else if (section === "draft" && found.phase !== "draft") {
      location.reload(); // the plan that was locked may have another name and other tasks
    } else if (section === "waiting") {
      await take();
    } else if (section === "done" && found.phase === "running") {
      show("ready");
    } else if (section === "trial") {
      await lookAtTrial(found.phase === "finished");
    }
  } catch (error) {
    if (error instanceof NoConnection) setConnected(false);
    else if (error.status === 401) problem(SIGNED_OUT);
  }
}

async function lookAtTrial(finished) {
  const { trial } = kept;
  const started = !starting && kept.started; // the study need not know yet of one on its way
  const now = await whereabouts(trial.trial);
  if (kept.trial !== trial || toArrive()) return; // something was done here meanwhile
  const { attended, silent, episode, running, stopping, seconds } = now;
  keep({ trial: { ...trial, attended, silent, episode, running, stopping, seconds } });
  showRobot(kept, keep, timer);
  if (started && !now.started && now.status === "leased") attended ? notStarted() : sendStart();
  const unneeded = !now.needed && now.status === "leased";
  if (unneeded && finished && !begun() && !kept.drafts?.[trial.trial]) return take();
  find("unneeded").hidden = !unneeded;
  showGone(ended(now));
}

function whereabouts(trial) {
  return call("GET", `/api/trials/${trial}/whereabouts`);
}

// Why a score was not taken, if it is because of what was done elsewhere; else "".
async function explain(item) {
  const [, , , trial] = item.path.split("/");
  return ended(await whereabouts(trial).catch(() => ({ status: "unknown" })));
}

const nextTask = document.getElementById("next-task");
nextTask?.addEventListener("change", () => {
  keep({ task: nextTask.value });
  if (kept.section === "waiting") take();
});
find("take").addEventListener("click", take);
find("ask").addEventListener("click", take);
find("save").addEventListener("click", save);
find("stop").addEventListener("click", () => stopRobot(kept, keep, problem));
find("undo").addEventListener("click", undo);
for (const id of ["note", "reason"]) find(id).addEventListener("input", keepDraft);
find("give-back").addEventListener("click", giveBack);
find("put-away").addEventListener("click", forget);
find("pass-over").addEventListener("click", passOver);
find("problem-close").addEventListener("click", () => {
  keep({ refused: "" });
  problem("");
});
addEventListener("offline", () => setConnected(false));
addEventListener("online", look);
document.addEventListener("visibilitychange", () => stayAwake(kept.section === "trial"));

showKept();
listen(look, (alive) => (alive ? look() : setConnected(false)), () => problem(SIGNED_OUT));
navigator.serviceWorker?.register("/worker.js").catch(() => {}); // so that the page opens offline
document.documentElement.dataset.ready = ""; // until now, a tap would be lost
