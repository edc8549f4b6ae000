"""Results that others write while they run, looked at again and again until it is enough."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.editions import other_edition
from stopwise.core.readings.averages import stored_scores
from stopwise.data.growing import GrowingFiles
from stopwise.data.read import read_trials
from stopwise.data.sources import require_apart
from stopwise.errors import InvalidInput, InvalidState, require
from stopwise.messages import Setting, named
from stopwise.questions import for_files
from stopwise.questions.question import Places, complete
from stopwise.rollout.journal import plain
from stopwise.rollout.sight import TaskSight
from stopwise.rollout.stop_rule import StopRule
from stopwise.rollout.watch_state import WatchedTask, read_watch_state, write_watch_state
from stopwise.rows import scene_list
from stopwise.rows.groups import CODE as UNEQUAL_NUMBERS
from stopwise.rows.reading import require_direction
from stopwise.rows.table import Table
from stopwise.rows.task_mean import over_tasks, require_tasks_choice
from stopwise.rows.task_tables import tables
from stopwise.trackers import reporter_of
from stopwise.trackers.tracker import RowFunction

# What lets a policy join after the first look, with the goal "best".
_TO_COME_LATER = ("policies that join later must be declared with ", Setting("later"), ": ")


class PastChanged(InvalidInput):
    """Results that were looked at before are not what they were."""


class Watch:
    """Reads the same place again and again; each row of trials is looked at once, in order.

    A row counts when every policy that is still needed has its trial there, so that a slow one
    cannot bias what is compared. Files must only grow: what was looked at may not change, and new
    files must come after the old ones in the order of their names.

    Asked for the best, a policy that appears later, and was declared with ``later``, joins after
    the rows that are complete by then.

    Parameters
    ----------
    source
        Whatever ``read_trials`` takes: a folder, files, or policy: path.
    reading
        Settings of ``read_trials``.
    design
        "auto", "independent", "paired" or "stratified".
    settings
        Settings of ``StopRule``; ``later`` names policies that may appear after the first look.
        Asked for the best, the usual ``allocation`` is "even", as for ``stopwise.analyze``.
    tasks, task_order, weights
        As for ``stopwise.analyze``, with a weight for every task: which tasks there will be has to
        be known beforehand.
    stored
        Scores of policies that were tried before, at least n_max each: they are not awaited, and
        the files have one task.
    state
        File that keeps the rows looked at, so that a later watch refuses a past that has changed
        as well; without it they are kept as long as this object.
    report_to
        Trackers that are told each row, under the name of its task, and get the report when the
        watch is closed (see ``StopRule``).
    on_row
        A function that is called with the number of each row and its values (see ``StopRule``).
    """

    def __init__(
        self,
        source: Any,
        *,
        reading: Mapping[str, Any],
        design: str = "auto",
        settings: Mapping[str, Any],
        tasks: str | None = None,
        task_order: str = "rounds",
        weights: Mapping[str, float] | None = None,
        stored: Mapping[str, Sequence[float]] | None = None,
        state: Path | None = None,
        report_to: Any = None,
        on_row: RowFunction | None = None,
    ) -> None:
        require_tasks_choice(tasks, task_order, weights, by=settings.get("by"))
        require(
            tasks is None or bool(weights),
            "the mean over tasks of growing files needs ",
            named("weights"),
            " of every task, since the tasks must be known in advance",
        )
        declared = {"order": task_order, "weights": weights}
        self._mean: dict[str, Any] | None = None if tasks is None else declared
        # So that what is wrong is said at once; the names of the policies are not known yet.
        baseline = None if settings.get("baseline") is None else "one"
        later = list(settings.get("later", ()))
        names = [f"policy {number}" for number in range(len(later))]
        known = {**settings, "baseline": baseline, "later": names}
        self._stored = stored_scores(stored)
        if self._stored:
            _check_stored(self._stored, tasks, known, baseline=settings.get("baseline"))
            design = "independent" if design == "auto" else design
        else:
            StopRule(["one", "other", *names], **known)
        require(
            reading.get("bounds") != "data",
            named("bounds"),
            " must be declared: taken from growing data, the range would change along the way",
            code="bounds-of-data",
        )
        self._source, self._reading = source, dict(reading)
        self._design, self._settings = design, for_files(settings)
        self._rules: dict[str, StopRule] = {}
        self._files = GrowingFiles(source)
        self._sights: tuple[TaskSight, ...] = ()
        self._state = state
        if state is not None:
            require_apart(state, source)
            require(state.parent.is_dir(), f"{state}: there is no folder {state.parent}")
        self._seen = {} if state is None else read_watch_state(state)
        self._reporter = reporter_of(report_to, on_row)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Report what was seen last, with its page."""
        analyses = [sight.analysis for sight in self._sights]
        self._reporter.conclude(lambda: [analysis for analysis in analyses if analysis is not None])

    def look(self) -> tuple[TaskSight, ...]:
        """Read what has changed, and say how each task stands.

        The last line of a table counts once it has an end: before, a number may be cut off.

        Raises
        ------
        PastChanged
            If what was looked at before has changed.
        InvalidState
            If the state was begun with another edition of the method.
        """
        # After a look that failed there is nothing to say again.
        unchanged, before, self._sights = not self._files.changed(), self._sights, ()
        self._sights = before if unchanged and before else self._look()
        return self._sights

    def _look(self) -> tuple[TaskSight, ...]:
        with self._files.reading():
            trials = read_trials(self._source, **self._reading)
        require_direction(trials, self._settings)
        if self._mean is None:
            trials = scene_list.drawn(trials, self._settings, self._design)
            by_task = tables(trials, design=self._design, in_turn=False)
            require(
                len(by_task) == 1 or not self._stored,
                f"stored trials belong to one task, but the files have {len(by_task)}",
                parameter="stored",
            )
        else:
            by_task = [over_tasks(trials, design=self._design, growing=True, **self._mean)]
        for task in self._seen:
            if task not in [table.task for table in by_task]:
                raise PastChanged(f"task {task!r} was there at an earlier look, but is gone now")
        sights = tuple(self._task(str(table.task), table, trials.policies) for table in by_task)
        if self._state is not None:
            write_watch_state(self._state, self._seen)
        return sights

    def _task(self, task: str, aligned: Table, every: tuple[str, ...]) -> TaskSight:
        least = 2 if self._settings.get("reference") is None and not self._stored else 1
        if len(aligned.policies) < least <= len(every) and task not in self._seen:
            return self._not_begun(task, aligned, every)
        # Trials without a partner wait for it.
        notes = [note for note in aligned.notes if getattr(note, "code", "") != UNEQUAL_NUMBERS]
        if aligned.bounds is None and self._settings.get("by") != "wins":
            text = "no bounds were declared: scores are assumed to lie in [0, 1]"
            notes.append(text)
        if task in self._seen:
            _require_same(task, self._seen[task], aligned)
        if task not in self._rules:
            self._rules[task] = self._begin(task, aligned)
        rule = self._rules[task]
        self._follow(task, rule, aligned)
        for name in aligned.policies:
            if name not in rule.policies or name in rule.awaited:
                self._join(task, rule, name)
        self._follow(task, rule, aligned)
        return self._sight(task, rule, aligned, notes)

    def _not_begun(self, task: str, aligned: Table, every: tuple[str, ...]) -> TaskSight:
        """Standing of a task in which only one policy has trials so far."""
        return TaskSight(
            task=task,
            stop=False,
            decided=False,
            futile=False,
            best=None,
            eliminated={},
            rows=0,
            n_max=self._settings.get("n_max"),
            needed=tuple(name for name in every if name not in aligned.policies),
            waiting=sum(aligned.counts),
        )

    def _begin(self, task: str, aligned: Table) -> StopRule:
        """Return the rule of a task before its first row, with the policies it began with."""
        settings = {
            "bounds": aligned.bounds or (0.0, 1.0),
            "design": aligned.design,
            **aligned.asked(self._settings),
        }
        before = self._seen.get(task)
        first = aligned.policies if before is None else _there_at_first(before)
        for name in self._stored:
            both = f"{name!r} has stored trials and is in the files, too: leave it out of one"
            require(name not in first, both, parameter="stored")
        later = [name for name in settings.get("later", ()) if name not in first]
        rule = StopRule(
            [*self._stored, *first, *later],
            **{**settings, "later": later, "stored": self._stored},
        )
        rule.report_by(self._reporter, task)
        rules = plain({**rule.rules.identity(), **rule.stored_identity})
        rows = np.zeros((0, len(rule.policies)))
        if self._seen.setdefault(task, WatchedTask(rules=rules, rows=rows)).rules != rules:
            self._refuse_rules(task, rules)
        for name, row in self._seen[task].joined.items():
            rule.follow(partial(_row, rule, aligned.arranged(rule.policies), row))
            rule.join(name)
        return rule

    def _join(self, task: str, rule: StopRule, name: str) -> None:
        """Let a policy take part that has just appeared, if it may."""
        if name not in rule.rules.later:
            raise PastChanged(
                f"task {task!r}: the policies were {', '.join(rule.policies)}, but now there is "
                f"{name} as well; ",
                *(_TO_COME_LATER if rule.rules.takes("later") else ()),
                "start over with all of them",
            )
        try:
            rule.join(name)
        except InvalidInput as error:
            raise PastChanged(f"task {task!r}: {error}") from error
        self._seen[task] = replace(
            self._seen[task], joined={**self._seen[task].joined, name: rule.rows}
        )

    def _refuse_rules(self, task: str, rules: Mapping[str, Any]) -> NoReturn:
        before = self._seen[task].rules
        unknown = object()
        name = next(
            name
            for name in {**before, **rules}
            if before.get(name, unknown) != rules.get(name, unknown)
        )
        if name == "edition":
            begun = f"{self._state}: task {task!r} was started"
            raise InvalidState(str(other_edition(rules["method"], before.get(name), begun)))
        raise PastChanged(
            f"task {task!r}: {name} was {before.get(name)!r} at earlier looks, but is now "
            f"{rules.get(name)!r}; keep it as it was, or start over without {self._state}"
        )

    def _follow(self, task: str, rule: StopRule, aligned: Table) -> None:
        """Show the rule the rows that are complete now."""
        scores = aligned.arranged(rule.policies)
        rule.follow(partial(_row, rule, scores, None))
        taken = _taken(rule)
        rows = scores[: max(taken)].copy()
        rows[np.arange(len(rows))[:, None] >= taken] = np.nan
        self._seen[task] = replace(self._seen[task], rows=rows)

    def _sight(self, task: str, rule: StopRule, aligned: Table, notes: list[str]) -> TaskSight:
        scores = aligned.arranged(rule.policies)
        about = {"mean": aligned.mean, "training_runs": aligned.training_runs}
        analyze = rule.analysis_of_now(task=task, warnings=notes, **about) if rule.rows else None
        after = np.arange(len(scores))[:, None] >= _taken(rule)
        return TaskSight.of(
            rule,
            task=task,
            stop=rule.stop and not rule.waits,
            decided=rule.decided,
            futile=rule.futile,
            best=rule.best,
            eliminated=rule.eliminated,
            waiting=int((after & ~np.isnan(scores)).sum()),
            notes=tuple(notes),
            analyze=analyze,
        )


def _row(
    rule: StopRule, scores: Floats, end: int | None, places: Places
) -> dict[str, list[float | None]] | None:
    """Return the scores of a row, or None as long as one is awaited, and at the row ``end``."""
    if rule.rows == end:
        return None
    columns = {policy: index for index, policy in enumerate(rule.policies)}

    def found(policy: str, number: int) -> float | None:
        score = float(scores[number, columns[policy]])
        if np.isnan(score):
            raise LookupError
        return score

    row = complete(found, places)
    for policy, episodes in (row or {}).items():
        for score in episodes:
            if score is not None:
                rule.check(policy, score)
    return row


def _taken(rule: StopRule) -> Ints:
    """Number of trials of each policy that were looked at or skipped."""
    return np.array([rule.taken(policy) for policy in rule.policies])


def _there_at_first(before: WatchedTask) -> list[str]:
    """Return the policies that were there at the first look."""
    rules = before.rules
    # A reference is written down among the policies, but no file has it.
    others = {*rules.get("later", ()), rules["baseline"] if "reference" in rules else None}
    others.update(rules.get("stored", ()))
    return [name for name in rules["policies"] if name not in others]


def _check_stored(
    stored: Mapping[str, Sequence[float]],
    tasks: str | None,
    settings: Mapping[str, Any],
    baseline: str | None,
) -> None:
    """Raise at once where stored trials do not go with the settings, of whatever new policy."""
    require(
        tasks is None,
        "stored trials belong to one task, but the mean over tasks is asked for",
        parameter="stored",
    )
    new = "a new one"
    if baseline is not None:
        baseline = baseline if baseline in stored else new
    # The bounds may be known with the files only.
    every = [0.0, 1.0, *(score for rules in stored.values() for score in rules)]
    rules = {**settings, "baseline": baseline, "bounds": (min(every), max(every)), "stored": stored}
    StopRule([*stored, new], **rules)


def _require_same(task: str, seen: WatchedTask, aligned: Table) -> None:
    """Raise if what the files show is another comparison than at earlier looks."""
    known = [*_there_at_first(seen), *seen.joined]
    gone = [name for name in known if name not in aligned.policies]
    if gone:
        raise PastChanged(
            f"task {task!r}: the policies were {', '.join(known)}, but now there is no "
            f"{' and no '.join(gone)}"
        )
    if seen.rules.get("design") != aligned.design:
        raise PastChanged(
            f"task {task!r}: the trials looked at so far showed the design "
            f"{seen.rules.get('design')}, but now it is {aligned.design}: start over and declare "
            "the design"
        )
    looked_at = ~np.isnan(seen.rows)
    past = aligned.arranged(seen.rules["policies"])[: len(seen.rows)]
    if len(past) < len(seen.rows) or not np.array_equal(past[looked_at], seen.rows[looked_at]):
        raise PastChanged(
            f"task {task!r}: trials seen at an earlier look have changed; files may only grow, "
            "and new files must sort after the old ones by name"
        )
