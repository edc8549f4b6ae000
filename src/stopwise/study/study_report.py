"""The report of a study: the analysis, and all that a reader must know of how it came about."""

from collections import defaultdict
from collections.abc import Callable
from itertools import compress
from typing import TYPE_CHECKING, TypeVar

import polars as pl
from markupsafe import Markup

from stopwise.errors import InvalidState, NotAllowed
from stopwise.messages import counted
from stopwise.questions.analysis import figures_of
from stopwise.report import html
from stopwise.report.html import Chapter
from stopwise.study import events
from stopwise.study.check_lists import Checked
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.recordings import FOLDER, PHOTOS
from stopwise.study.records import as_text
from stopwise.study.state import StudyState

if TYPE_CHECKING:
    from stopwise.study.reader import StudyReader

Kind = TypeVar("Kind", bound=Event)
MOST_ROWS = 30  # rows of episodes that are shown
Place = Callable[[int, str], str]  # where the file of a trial's recording is, for a link
# The kinds of exits of a selection, short enough for a printed page.
EXITS = ("given back", "voided", "score raised", "score lowered", "no result")
TELL_SCORES = ("mean", "score raised", "score lowered", "mean of voided")


def beside(_: int, file: str) -> str:
    return f"{FOLDER}/{file}"


def study_report(study: "StudyReader", place: Place) -> str:
    """Return the page; the whole journal is verified first, and a broken one is refused."""
    found = study.verify()
    if not found.sound:
        raise InvalidState(f"the study failed verification: {'; '.join(found.problems)}")
    verdict, asked = study.verdict(), {}
    try:
        asked = study.analyses()
    except NotAllowed:
        if not verdict.finished:
            raise
    why = "not every policy has a score"
    without = [
        f"Nothing can be said about {own.task}: after {counted(own.rows, 'row')}, {why}."
        for own in verdict.tasks
        if verdict.finished and own.task not in asked
    ]
    analyses = list(asked.values())
    told = [*chapters(study), *recording_chapters(study, place)]
    return html.render(analyses, figures_of(analyses), told, doubts=verdict.doubts, without=without)


def chapters(study: "StudyReader") -> list[Chapter]:
    entries = study.journal()
    found = [
        _record(study),
        *_selection(study),
        *_groups(study),
        _checks(study, entries),
        _amendments(entries),
        _voided(entries),
        _withdrawn(entries, shown=study.unblinded),
        _unscored(study, entries),
        _overshoot(study),
        _imports(entries),
    ]
    return [chapter for chapter in found if chapter.rows]


def _record(study: "StudyReader") -> Chapter:
    status, plan = study.status(), study.plan
    with study._ledger.reading() as state:
        after, started = state.after_unblinding, sum(bool(trial.episode) for trial in state.trials)
        version, edition = state.stopwise, state.edition
    same = "within an edition, the same scores give the same evidence"
    locked_with = f"stopwise {version}, {plan.method}, edition {edition} ({same})"
    rows = [
        ("study", plan.name),
        ("description", plan.description or "-"),
        ("plan, SHA-256", status.plan_digest or "-"),
        ("locked with", locked_with),
        ("journal", f"{counted(status.seq, 'entry')}, the last with SHA-256 {status.hash}"),
        ("blinding", "none" if plan.blinding == "none" else f"a code per {plan.blinding}"),
        ("names", _names(blind=plan.blinding != "none", unblinded=status.unblinded)),
        ("trials handed out", str(status.assigned)),
        *([("trials imported", str(status.imported))] if status.imported else []),
        *([("started by a runner", str(started))] if started else []),
        ("with a score", str(status.scored)),
        ("duplicate results, not counted", str(status.duplicates)),
        ("not needed and not run, up to n_max per policy", str(sum(study.trials_saved().values()))),
        ("recorded after unblinding", str(after)),
    ]
    return Chapter("How the study was run", ("", ""), tuple(rows))


def _names(*, blind: bool, unblinded: bool) -> str:
    if not blind:
        return "known throughout"
    return "revealed" if unblinded else "not revealed: policies are shown as labels"


def _selection(study: "StudyReader") -> list[Chapter]:
    """Tell no score before unblinding: a mean beside the evidence tells whose trials these are."""
    found = []
    for whose, rows in study.selection().items():
        if not any(any(row.numbers) for row in rows):
            continue
        table: list[tuple[str, ...]] = [
            (whose, "handed out", "count", "mean", *EXITS, "mean of voided")
        ]
        for row in rows:
            counts = (str(row.taken), str(row.counted), _number(row.mean))
            table.append((row.name, *counts, *map(str, row.numbers), _number(row.voided_mean)))
        shown = [study.unblinded or name not in TELL_SCORES for name in table[0]]
        columns, *cells = (tuple(compress(row, shown)) for row in table)
        title = f"Selection, by {whose}: trials that people took out or changed"
        found.append(Chapter(title, columns, tuple(cells)))
    return found


def _groups(study: "StudyReader") -> list[Chapter]:
    """Only where names are known: beside the evidence, means would tell whose trials these are."""
    if not study.unblinded and study.plan.blinding != "none":
        return []
    trials = study.records().filter(pl.col("score").is_not_null(), pl.col("used"))
    days = pl.col("assigned").str.slice(0, 10)
    returned = bool((trials["status"] == "released").any())
    found = []
    for whose, key in {
        "operator": pl.col("who"),
        "station": pl.col("station"),
        "day": days,
    }.items():
        named = trials.with_columns(key.alias(whose)).filter(pl.col(whose).is_not_null())
        if named[whose].n_unique() < 2:
            continue
        rows = []
        for (name, task), group in named.group_by(whose, "task", maintain_order=True):
            means = dict(group.group_by("policy").agg(pl.col("score").mean()).iter_rows())
            cells = [_number(means.get(policy)) for policy in study.plan.policy_names]
            back = [str((group["status"] == "released").sum())] if returned else []
            rows.append((str(name), str(task), str(len(group)), *back, *cells))
        means_of = (f"mean of {policy}" for policy in study.plan.policy_names)
        columns = (whose, "task", "trials", *["given back"] * returned, *means_of)
        found.append(Chapter(f"Trials by {whose}", columns, tuple(sorted(rows))))
    return found


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _told(entries: list[Entry], kind: type[Kind]) -> list[tuple[str, str, Kind]]:
    return [
        (as_text(entry.time), entry.who, entry.event)
        for entry in entries
        if isinstance(entry.event, kind)
    ]


def _amendments(entries: list[Entry]) -> Chapter:
    rows = tuple(
        (
            when,
            who,
            "; ".join(f"{name} = {value}" for name, value in event.changes.items())
            or "remark only",
            event.reason,
        )
        for when, who, event in _told(entries, events.Amended)
    )
    return Chapter("Amendments after the lock", ("when", "who", "what", "reason"), rows)


def _checks(study: "StudyReader", entries: list[Entry]) -> Chapter:
    rows = tuple(
        (
            event.station,
            when,
            who,
            ", ".join(item for item in study.plan.checks if item not in event.ticked) or "-",
            event.note or "-",
        )
        for when, who, event in _told(entries, Checked)
    )
    columns = ("station", "when", "who", "not ticked", "note")
    return Chapter("Start-of-day check lists", columns, rows)


def _voided(entries: list[Entry]) -> Chapter:
    places = {True: "tried again", False: "left empty"}
    rows = tuple(
        (str(event.trial), when, who, event.reason, places[event.redraw])
        for when, who, event in _told(entries, events.Voided)
    )
    return Chapter("Voided trials", ("trial", "when", "who", "reason", "its place"), rows)


def _withdrawn(entries: list[Entry], *, shown: bool) -> Chapter:
    """Before unblinding no score is shown: beside the evidence, it tells the label of a trial."""
    scores: dict[int, str] = {}
    rows: list[list[str]] = []
    open_rows: dict[int, list[str]] = {}
    trials = 0
    for entry in entries:
        match entry.event:
            case events.Assigned():
                trials += 1
            case events.Imported(rows=imported):
                for score in (score for row in imported for score in row.values()):
                    trials += 1
                    scores[trials] = f"{score:.3g}"
            case events.Undone(trial=trial, reason=reason):
                what = [str(trial), as_text(entry.time), entry.who, reason]
                rows.append([*what, scores[trial], "none"])
                open_rows[trial] = rows[-1]
            case events.Scored(trial=trial, score=score):
                scores[trial] = _number(score)
                if trial in open_rows:
                    open_rows.pop(trial)[-1] = scores[trial]
    columns = ("trial", "when", "who", "reason", "score", "new score")
    cut = len(columns) if shown else 4
    title = "Withdrawn scores" if shown else "Withdrawn scores (shown after unblinding)"
    return Chapter(title, columns[:cut], tuple(tuple(row[:cut]) for row in rows))


def _unscored(study: "StudyReader", entries: list[Entry]) -> Chapter:
    """Return trials that were begun and have no score: their outcome may have been seen."""
    found = study.records()
    alone = set(found.filter(found["score"].is_null() & (found["status"] == "scored"))["trial"])
    begun: dict[int, tuple[str, str, str, str]] = {}
    for entry in entries:
        match entry.event:
            case events.Started(trial=trial) | events.Undone(trial=trial):
                begun[trial] = (str(trial), as_text(entry.time), entry.who, "no result yet")
            case events.Released(trial=trial, reason=reason) if trial in begun:
                begun[trial] = (*begun[trial][:3], f"given back: {reason or 'no reason given'}")
            case events.Scored(trial=trial, score=None) if trial in alone:
                begun[trial] = (str(trial), as_text(entry.time), entry.who, "not compared")
            case events.Scored(trial=trial) | events.Voided(trial=trial):
                begun.pop(trial, None)
    return Chapter(
        "Trials started but never scored",
        ("trial", "started", "who", "what happened"),
        tuple(begun.values()),
    )


def _overshoot(study: "StudyReader") -> Chapter:
    rows = tuple((task, policy, str(count)) for (task, policy), count in study.overshoot().items())
    return Chapter(
        "Overshoot: trials that were no longer needed when they were scored, not used",
        ("task", "policy", "trials"),
        rows,
    )


def _imports(entries: list[Entry]) -> Chapter:
    again = {True: "declared to be different trials", False: "-"}
    rows = tuple(
        (when, who, event.source, str(event.trials), event.reason, again[event.again])
        for when, who, event in _told(entries, events.Imported)
    )
    return Chapter(
        "Imported trials: this study did not control their order and blinding",
        ("when", "who", "source", "trials", "reason", "same scores as before"),
        rows,
    )


def filmed(address: str, title: str) -> Markup:
    size = Markup('title="{}" width="160" style="max-width: 100%"').format(title)
    if address.endswith(PHOTOS):
        photo = Markup('<a href="{0}"><img src="{0}" alt="{1}" {2} loading="lazy"></a>')
        return photo.format(address, title, size)
    return Markup('<video src="{}" {} controls preload="metadata"></video>').format(address, size)


def recording_chapters(study: "StudyReader", place: Place) -> list[Chapter]:
    with study._ledger.reading() as state:
        if not state.recordings:
            return []
        found = [] if state.names is None else [_differing(state, place)]
    lost = study.lost_recordings()
    note = ", ".join(lost) or "none"
    rows = (("recordings", str(len(state.recordings))), ("missing, or changed since", note))
    return [Chapter("Recordings", ("", ""), rows), *(chapter for chapter in found if chapter.rows)]


def _differing(state: StudyState, place: Place) -> Chapter:
    files: dict[int, list[str]] = defaultdict(list)
    for number, file, _ in state.recordings:
        files[number].append(file)
    found = []
    for task, board in state.boards.items():
        for row, slots in enumerate(board.rows):
            tried = {arm: slots[arm] for arm in state.arms if arm in slots}
            tried = {arm: slot for arm, slot in tried.items() if slot.settled_by is not None}
            scores = [slot.score for slot in tried.values() if slot.score is not None]
            if (
                len(scores) > 1
                and max(scores) > min(scores)
                and any(files[slot.settled_by or 0] for slot in tried.values())
            ):
                found.append((min(scores) - max(scores), task, row, tried))
    rows = []
    for _, task, row, tried in sorted(found, key=lambda item: item[:3])[:MOST_ROWS]:
        cells = []
        for arm in state.arms:
            slot = tried.get(arm)
            number = 0 if slot is None or slot.settled_by is None else slot.settled_by
            films = (filmed(place(number, file), f"trial {number}") for file in files[number])
            said = "-" if slot is None or slot.score is None else f"{slot.score:.3g}"
            cells.append(Markup("<br>").join([said, *films]))
        rows.append((task, str(row + 1), *cells))
    shown = state.shown()
    columns = ("task", "row", *(shown[arm] for arm in state.arms))
    return Chapter("Episodes on which the policies differed", columns, tuple(rows))
