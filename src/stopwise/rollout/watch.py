"""Results that others write while they run, looked at again and again until it is enough."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.readings.averages import stored_scores
from stopwise.core.snapshot import other_edition
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
from stopwise.rollout.watch_state import Past, read_watch_state, write_watch_state
from stopwise.rows import scene_list
from stopwise.rows.groups import CODE as UNEQUAL_NUMBERS
from stopwise.rows.reading import require_direction
from stopwise.rows.table import Table
from stopwise.rows.task_mean import over_tasks, require_tasks_choice
from stopwise.rows.task_tables import tables
from stopwise.trackers import reporter_of
from stopwise.trackers.tracker import RowFunction


class PastChanged(InvalidInput):
    """Results that were looked at before are not what they were."""


class Watch:
    """Reads the same place again and again; each row of trials is looked at once, in order.

    A row counts when every policy that is still needed has its trial there, so that a slow one
    cannot bias what is compared. Files must only grow: what was looked at may not change, and new
    files must come after the old ones in the order of their names.

    Asked for the best, a policy that appears later, and was declared with ``later``, joins after
    the rows that are complete by then.

    ``reading`` has settings of ``read_trials``, ``settings`` those of ``StopRule``. Stored policies
    are not awaited. With a ``state`` file a later watch refuses a past that has changed, too.
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
        require(
            reading.get("bounds") != "data",
            named("bounds"),
            " must be declared: taken from growing data, the range would change along the way",
            code="bounds-of-data",
        )
        self._mean: dict[str, Any] | None = None
        if tasks is not None:
            self._mean = {"order": task_order, "weights": weights}
        self._stored = stored_scores(stored)
        require(
            not self._stored or tasks is None,
            "stored trials belong to one task, but the mean over tasks is asked for",
            parameter="stored",
        )
        _check_settings(self._stored, settings)
        self._design = "independent" if self._stored and design == "auto" else design
        self._source, self._reading, self._settings = source, dict(reading), for_files(settings)
        self._rules: dict[str, StopRule] = {}
        self._files = GrowingFiles(source)
        self._sights: tuple[TaskSight, ...] = ()
        self._state = state
        if state is not None:
            require_apart(state, source)
            require(state.parent.is_dir(), f"{state}: there is no folder {state.parent}")
        self._pasts = {} if state is None else read_watch_state(state)
        self._reporter = reporter_of(report_to, on_row)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        analyses = [sight.analysis for sight in self._sights]
        self._reporter.conclude(lambda: [one for one in analyses if one is not None])

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
        # A failed look has nothing to report.
        unchanged, before, self._sights = not self._files.changed(), self._sights, ()
        self._sights = before if unchanged and before else self._look()
        return self._sights

    def _look(self) -> tuple[TaskSight, ...]:
        with self._files.reading():
            trials = read_trials(self._source, **self._reading)
        require_direction(trials, self._settings)
        if self._mean is None:
            trials = scene_list.drawn(trials, self._settings, self._design)
            aligned = tables(trials, design=self._design, in_turn=False)
            require(
                len(aligned) == 1 or not self._stored,
                f"stored trials belong to one task, but the files have {len(aligned)}",
                parameter="stored",
            )
        else:
            aligned = [over_tasks(trials, design=self._design, growing=True, **self._mean)]
        gone = self._pasts.keys() - {table.task for table in aligned}
        if gone:
            raise PastChanged(f"task {gone.pop()!r} was there at an earlier look, but is gone now")
        sights = tuple(self._task(str(table.task), table, trials.policies) for table in aligned)
        if self._state is not None:
            write_watch_state(self._state, self._pasts)
        return sights

    def _task(self, task: str, table: Table, every: tuple[str, ...]) -> TaskSight:
        least = 2 if self._settings.get("reference") is None and not self._stored else 1
        if len(table.policies) < least <= len(every) and task not in self._pasts:
            needed = tuple(name for name in every if name not in table.policies)
            n_max, waiting = self._settings.get("n_max"), sum(table.counts)
            about: dict[str, Any] = {"rows": 0, "n_max": n_max, "waiting": waiting}
            return TaskSight(task=task, needed=needed, eliminated={}, **about)
        if task in self._pasts:
            _require_same(task, self._pasts[task], table)
        if task not in self._rules:
            self._rules[task] = self._begin(task, table)
        rule, past = self._rules[task], self._pasts[task]
        _follow(rule, past, table)
        for name in table.policies:
            if name not in rule.policies or name in rule.awaited:
                _join(task, rule, past, name)
        _follow(rule, past, table)
        return self._sight(task, rule, table)

    def _begin(self, task: str, table: Table) -> StopRule:
        settings = {
            "bounds": table.bounds or (0.0, 1.0),
            "design": table.design,
            **table.asked(self._settings),
        }
        known = self._pasts.get(task)
        first = table.policies if known is None else known.policies_at_first
        for name in self._stored:
            both = f"{name!r} has stored trials and is in the files, too: leave it out of one"
            require(name not in first, both, parameter="stored")
        settings["later"] = [name for name in settings.get("later", ()) if name not in first]
        policies = [*self._stored, *first, *settings["later"]]
        rule = StopRule(policies, **settings, stored=self._stored)
        rule.report_by(self._reporter, task)
        rules = plain({**rule.rules.identity(), **rule.stored_identity})
        past = Past(rules=rules, rows=np.zeros((0, len(rule.policies))))
        past = self._pasts.setdefault(task, past)
        if past.rules != rules:
            self._refuse_rules(task, past.rules, rules)
        for name, row in past.joined.items():
            rule.follow(partial(_row, rule, table.arranged(rule.policies), row))
            rule.join(name)
        return rule

    def _refuse_rules(
        self, task: str, before: Mapping[str, Any], rules: Mapping[str, Any]
    ) -> NoReturn:
        names = {**before, **rules}
        name = next(n for n in names if (n in before, before.get(n)) != (n in rules, rules.get(n)))
        if name == "edition":
            begun = f"{self._state}: task {task!r} was started"
            raise InvalidState(str(other_edition(rules["method"], before.get(name), begun)))
        raise PastChanged(
            f"task {task!r}: {name} was {before.get(name)!r} at earlier looks, but is now "
            f"{rules.get(name)!r}; keep it as it was, or start over without {self._state}"
        )

    def _sight(self, task: str, rule: StopRule, table: Table) -> TaskSight:
        # Trials without a partner wait for it.
        notes = [note for note in table.notes if getattr(note, "code", "") != UNEQUAL_NUMBERS]
        if table.bounds is None and self._settings.get("by") != "wins":
            notes.append("no bounds were declared: scores are assumed to lie in [0, 1]")
        scores = table.arranged(rule.policies)
        about = {"mean": table.mean, "training_runs": table.training_runs}
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


def _check_settings(stored: Mapping[str, Sequence[float]], settings: Mapping[str, Any]) -> None:
    """Raise at once where the settings are wrong, of whatever policies the files will have."""
    names = [*stored, "a new one"] if stored else ["one", "other"]
    later = [f"policy {number}" for number, _ in enumerate(settings.get("later", ()))]
    baseline = settings.get("baseline")
    if baseline is not None and baseline not in stored:
        baseline = names[-1]
    known: dict[str, Any] = {**settings, "baseline": baseline, "later": later}
    if stored:  # the bounds may be known with the files only
        scores = [0.0, 1.0, *(score for column in stored.values() for score in column)]
        known |= {"stored": stored, "bounds": (min(scores), max(scores))}
    StopRule([*names, *later], **known)


def _follow(rule: StopRule, past: Past, table: Table) -> None:
    """Show the rule the rows that are complete now."""
    scores = table.arranged(rule.policies)
    rule.follow(partial(_row, rule, scores, None))
    taken = _taken(rule)
    past.rows = scores[: max(taken)].copy()
    past.rows[np.arange(len(past.rows))[:, None] >= taken] = np.nan


def _join(task: str, rule: StopRule, past: Past, name: str) -> None:
    if name not in rule.rules.later:
        declared = ("policies that join later must be declared with ", Setting("later"), ": ")
        raise PastChanged(
            f"task {task!r}: the policies were {', '.join(rule.policies)}, but now there is "
            f"{name} as well; ",
            *(declared if rule.rules.takes("later") else ()),
            "start over with all of them",
        )
    try:
        rule.join(name)
    except InvalidInput as error:
        raise PastChanged(f"task {task!r}: {error}") from error
    past.joined[name] = rule.rows


def _row(
    rule: StopRule, scores: Floats, end: int | None, places: Places
) -> dict[str, list[float | None]] | None:
    if rule.rows == end:
        return None
    columns = {policy: index for index, policy in enumerate(rule.policies)}

    def score_at(policy: str, number: int) -> float | None:
        score = float(scores[number, columns[policy]])
        if np.isnan(score):
            raise LookupError
        return score

    row = complete(score_at, places)
    for policy, trials in (row or {}).items():
        for score in trials:
            if score is not None:
                rule.check(policy, score)
    return row


def _taken(rule: StopRule) -> Ints:
    return np.array([rule.taken(policy) for policy in rule.policies])


def _require_same(task: str, past: Past, table: Table) -> None:
    """Raise if what the files show is another comparison than at earlier looks."""
    known = [*past.policies_at_first, *past.joined]
    gone = [name for name in known if name not in table.policies]
    if gone:
        raise PastChanged(
            f"task {task!r}: the policies were {', '.join(known)}, but now there is no "
            f"{' and no '.join(gone)}"
        )
    if past.rules.get("design") != table.design:
        raise PastChanged(
            f"task {task!r}: the trials looked at so far showed the design "
            f"{past.rules.get('design')}, but now it is {table.design}: start over and declare "
            "the design"
        )
    looked_at = ~np.isnan(past.rows)
    scores = table.arranged(past.rules["policies"])[: len(past.rows)]
    if len(scores) < len(past.rows) or not np.array_equal(scores[looked_at], past.rows[looked_at]):
        raise PastChanged(
            f"task {task!r}: trials seen at an earlier look have changed; files may only grow, "
            "and new files must sort after the old ones by name"
        )
