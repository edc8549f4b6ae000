"""The report of a study: the analysis, and everything that a reader must know of its course."""

from collections import defaultdict
from collections.abc import Callable
from itertools import compress
from typing import TYPE_CHECKING

import polars as pl
from markupsafe import Markup

from stopwise.errors import InvalidState, NotAllowed
from stopwise.messages import counted
from stopwise.questions.analysis import figures_of
from stopwise.report import html
from stopwise.report.html import Chapter
from stopwise.study import events
from stopwise.study.board import Slot
from stopwise.study.check_lists import Checked
from stopwise.study.recordings import FOLDER, PHOTOS
from stopwise.study.records import as_text
from stopwise.study.state import StudyState

if TYPE_CHECKING:
    from stopwise.study.reader import StudyReader

MOST_ROWS = 30  # rows of episodes that are shown
Place = Callable[[int, str], str]  # where the file of a trial's recording is, for a link
# The kinds of exits of a selection, short enough for a printed page.
EXITS = ("given back", "voided", "score raised", "score lowered", "no result")
TELL_SCORES = ("mean", "score raised", "score lowered", "mean of voided")
BY_PEOPLE = (
    events.Released,
    events.Corrected,
    events.Voided,
    events.Imported,
    events.Amended,
    Checked,
)


def beside(_: int, file: str) -> str:
    return f"{FOLDER}/{file}"


def study_report(study: "StudyReader", place: Place) -> str:
    """Return the page; the whole journal is verified first, and a broken one is refused."""
    verified = study.verify()
    if not verified.sound:
        raise InvalidState(f"the study failed verification: {'; '.join(verified.problems)}")
    verdict, asked = study.verdict(), {}
    try:
        asked = study.analyses()
    except NotAllowed:
        if not verdict.finished:
            raise
    without = [
        f"Nothing can be said about {task.task}: after {counted(task.rows, 'row')}, not every "
        "policy has a score."
        for task in verdict.tasks
        if verdict.finished and task.task not in asked
    ]
    analyses = list(asked.values())
    more = [*chapters(study), *recording_chapters(study, place)]
    return html.render(analyses, figures_of(analyses), more, doubts=verdict.doubts, without=without)


def chapters(study: "StudyReader") -> list[Chapter]:
    every = [
        _record(study),
        *_selection(study),
        *_groups(study),
        _by_people(study),
        _unscored(study),
        _overshoot(study),
    ]
    return [chapter for chapter in every if chapter.rows]


def _record(study: "StudyReader") -> Chapter:
    status, plan = study.status(), study.plan
    with study.reading() as state:
        after, started = state.after_unblinding, sum(bool(trial.episode) for trial in state.trials)
        locked_with = f"stopwise {state.stopwise}, {plan.method}, edition {state.edition}"
    revealed = "revealed" if status.unblinded else "not revealed: policies are shown as labels"
    rows = [
        ("study", plan.name),
        ("description", plan.description or "-"),
        ("plan, SHA-256", status.plan_digest or "-"),
        ("locked with", locked_with),
        ("journal", f"{counted(status.seq, 'entry')}, the last with SHA-256 {status.hash}"),
        ("names", "known throughout" if plan.blinding == "none" else revealed),
        ("trials handed out", str(status.assigned)),
        ("trials imported, not ordered or blinded by this study", str(status.imported)),
        ("started by a runner", str(started)),
        ("with a score", str(status.scored)),
        ("duplicate results, not counted", str(status.duplicates)),
        ("not needed and not run, up to n_max per policy", str(sum(study.trials_saved().values()))),
        ("recorded after unblinding", str(after)),
    ]
    return Chapter("How the study was run", ("", ""), tuple(rows))


def _selection(study: "StudyReader") -> list[Chapter]:
    """Section on excluded trials; without scores before unblinding, which would reveal labels."""
    made = []
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
        made.append(Chapter(title, columns, tuple(cells)))
    return made


def _groups(study: "StudyReader") -> list[Chapter]:
    """Section by station and day; only once names are known, since means reveal labels."""
    if not study.unblinded and study.plan.blinding != "none":
        return []
    names = study.plan.policy_names
    trials = study.records().filter(pl.col("score").is_not_null(), pl.col("used"))
    keys = {"operator": pl.col("who"), "station": pl.col("station")}
    made = []
    for whose, key in {**keys, "day": pl.col("assigned").str.slice(0, 10)}.items():
        named = trials.with_columns(key.alias(whose)).filter(pl.col(whose).is_not_null())
        if named[whose].n_unique() < 2:
            continue
        rows = []
        for (name, task), group in named.group_by(whose, "task"):
            means = dict(group.group_by("policy").agg(pl.col("score").mean()).iter_rows())
            back = str((group["status"] == "released").sum())
            cells = (_number(means.get(policy)) for policy in names)
            rows.append((str(name), str(task), str(len(group)), back, *cells))
        columns = (whose, "task", "trials", "given back", *(f"mean of {name}" for name in names))
        made.append(Chapter(f"Trials by {whose}", columns, tuple(sorted(rows))))
    return made


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _by_people(study: "StudyReader") -> Chapter:
    """Section by operator; without scores before unblinding, which would reveal labels."""
    rows = []
    with study.reading() as state:
        for entry in study.journal():
            event = entry.event
            if not isinstance(event, BY_PEOPLE):
                continue
            words = event.text(blinded=not study.unblinded)
            if isinstance(event, events.Corrected) and study.unblinded:
                words += f" (first entered as {_number(state.known(event.trial).first)})"
            rows.append((as_text(entry.time), entry.who, words))
    return Chapter("What people changed", ("when", "who", "what"), tuple(rows))


def _unscored(study: "StudyReader") -> Chapter:
    """Trials that began and have no score: their outcome may have been seen."""
    with study.reading() as state:
        rows = tuple(
            (str(trial.number), as_text(trial.when), trial.who)
            for trial in state.trials
            if trial.waiting or (trial.started and trial.status == "leased")
        )
    return Chapter("Trials that were started and never scored", ("trial", "when", "who"), rows)


def _overshoot(study: "StudyReader") -> Chapter:
    rows = tuple((task, policy, str(count)) for (task, policy), count in study.overshoot().items())
    return Chapter(
        "Overshoot: trials that were no longer needed when they were scored, not used",
        ("task", "policy", "trials"),
        rows,
    )


def filmed(address: str, title: str) -> Markup:
    size = Markup('title="{}" width="160" style="max-width: 100%"').format(title)
    if address.endswith(PHOTOS):
        photo = Markup('<a href="{0}"><img src="{0}" alt="{1}" {2} loading="lazy"></a>')
        return photo.format(address, title, size)
    return Markup('<video src="{}" {} controls preload="metadata"></video>').format(address, size)


def recording_chapters(study: "StudyReader", place: Place) -> list[Chapter]:
    with study.reading() as state:
        if not state.recordings:
            return []
        made = [] if state.names is None else [_differing(state, place)]
    lost = ", ".join(study.lost_recordings()) or "none"
    rows = (("recordings", str(len(state.recordings))), ("missing, or changed since", lost))
    return [Chapter("Recordings", ("", ""), rows), *(chapter for chapter in made if chapter.rows)]


def _differing(state: StudyState, place: Place) -> Chapter:
    films: dict[int, list[Markup]] = defaultdict(list)
    for number, file, _ in state.recordings:
        films[number].append(filmed(place(number, file), f"trial {number}"))

    def cell(slot: Slot | None) -> Markup:
        if slot is None or slot.score is None:
            return Markup("-")
        return Markup("<br>").join([f"{slot.score:.3g}", *films[slot.settled_by or 0]])

    rows = []
    for task, board in state.boards.items():
        for number, slots in enumerate(board.rows, 1):
            scores = [slot.score for slot in slots.values() if slot.score is not None]
            gap = max(scores, default=0.0) - min(scores, default=0.0)
            if gap and any(films[slot.settled_by or 0] for slot in slots.values()):
                cells = [cell(slots.get(arm)) for arm in state.arms]
                rows.append((-gap, task, number, cells))
    shown = state.shown()
    return Chapter(
        "Episodes on which the policies differed",
        ("task", "row", *(shown[arm] for arm in state.arms)),
        tuple(
            (task, str(number), *cells)
            for _, task, number, cells in sorted(rows, key=lambda row: row[:3])[:MOST_ROWS]
        ),
    )
