"""Results that others write while they run, looked at again and again until it is enough."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.plain_values import plain_values
from stopwise.core.registry import other_edition, uses_seed
from stopwise.data.read import read_trials
from stopwise.data.trials import Trials
from stopwise.errors import InvalidInput, InvalidState, require
from stopwise.messages import Message, named
from stopwise.questions.analysis import Analysis
from stopwise.questions.question import Places, complete
from stopwise.questions.standing import Standing
from stopwise.rollout.journal import plain
from stopwise.rollout.stop_rule import StopRule
from stopwise.rollout.watch_state import WatchedTask, read_watch_state, write_watch_state
from stopwise.rows.align import align


class PastChanged(InvalidInput):
    """Results that were looked at before are not what they were."""


@dataclass(frozen=True, kw_only=True)
class TaskSight:
    """How one task stands at one look.

    Attributes
    ----------
    stop, decided
        Whether to stop, and whether because every pair is decided.
    rows, n_max
        Rows looked at, and the declared greatest number.
    needed
        Policies that need more trials.
    waiting
        Trials that are there but not looked at: a row before them is not complete, or they were
        not needed.
    standings, remaining
        How each pair stands, and the rows still needed at the growth so far (None: unknown).
    analysis
        The ranking so far; None before the first row.
    """

    task: str
    stop: bool
    decided: bool
    rows: int
    n_max: int | None
    needed: tuple[str, ...]
    waiting: int
    standings: tuple[Standing, ...]
    remaining: int | None
    analysis: Analysis | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        shown = ("task", "stop", "decided", "rows", "n_max", "needed", "waiting", "remaining")
        analysis = None if self.analysis is None else self.analysis.to_dict()
        return {**plain_values(self, shown), "analysis": analysis}


class Watch:
    """Reads the same place again and again; each row of trials is looked at once, in order.

    A row counts when every policy that is still needed has its trial there, so that a slow one
    cannot bias what is compared. Files must only grow: what was looked at may not change, and new
    files must come after the old ones in the order of their names.

    Parameters
    ----------
    source
        Whatever ``read_trials`` takes: a folder, files, or policy: path.
    reading
        Settings of ``read_trials``.
    design
        "auto", "independent", "paired" or "stratified".
    settings
        Settings of ``StopRule``.
    state
        File that keeps the rows looked at, so that a later watch refuses a past that has changed
        as well; without it they are kept as long as this object.
    """

    def __init__(
        self,
        source: Any,
        *,
        reading: Mapping[str, Any],
        design: str = "auto",
        settings: Mapping[str, Any],
        state: Path | None = None,
    ) -> None:
        # So that what is wrong is said at once; the names of the policies are not known yet.
        StopRule(["one", "other"], **{**settings, "baseline": None})
        require(
            reading.get("bounds") != "data",
            named("bounds"),
            " must be declared: taken from growing data, the range would change along the way",
            code="bounds-of-data",
        )
        self._source, self._reading = source, dict(reading)
        self._design, self._settings = design, dict(settings)
        self._rules: dict[str, StopRule] = {}
        self._state = state
        if state is not None:
            _require_apart(state, source)
            require(state.parent.is_dir(), f"{state}: there is no folder {state.parent}")
        self._seen = {} if state is None else read_watch_state(state)

    def look(self) -> tuple[TaskSight, ...]:
        """Read everything, and say how each task stands.

        Raises
        ------
        PastChanged
            If what was looked at before has changed.
        InvalidState
            If the state was begun with another edition of the method.
        """
        trials = read_trials(self._source, **self._reading)
        for task in self._seen:
            if task not in trials.tasks:
                raise PastChanged(f"task {task!r} was there at an earlier look, but is gone now")
        sights = tuple(self._task(trials, task) for task in trials.tasks)
        if self._state is not None:
            write_watch_state(self._state, self._seen)
        return sights

    def _task(self, trials: Trials, task: str) -> TaskSight:
        aligned = align(trials, task=task, design=self._design)
        notes = list(aligned.notes)
        if aligned.bounds is None:
            text = "no bounds were declared: scores are assumed to lie in [0, 1]"
            notes.append(Message(text, code="bounds-undeclared"))
        bounds = aligned.bounds or (0.0, 1.0)
        if task in self._seen:
            _require_same(task, self._seen[task].rules, aligned.policies, aligned.design)
        if task not in self._rules:
            settings = {"bounds": bounds, "design": aligned.design, **self._settings}
            if task in self._seen and uses_seed(self._seen[task].rules):
                # A seed is drawn once: a later watch goes on with the one that was written down.
                settings.setdefault("seed", self._seen[task].rules["seed"])
            rule = StopRule(aligned.policies, **settings)
            rules, rows = plain(rule.rules.identity()), np.zeros((0, len(aligned.policies)))
            if self._seen.setdefault(task, WatchedTask(rules=rules, rows=rows)).rules != rules:
                self._refuse_rules(task, rules)
            self._rules[task] = rule
        rule = self._rules[task]
        self._feed(task, rule, aligned.scores)
        return self._sight(task, rule, aligned.scores, notes)

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
            raise InvalidState(str(other_edition(rules["method"], before[name], begun)))
        raise PastChanged(
            f"task {task!r}: {name} was {before.get(name)!r} at earlier looks, but is now "
            f"{rules.get(name)!r}; keep it as it was, or start over without {self._state}"
        )

    def _feed(self, task: str, rule: StopRule, scores: Floats) -> None:
        """Show the rule the rows that are complete now."""
        seen = self._seen[task].rows
        same = len(scores) >= len(seen) and np.array_equal(
            scores[: len(seen)][~np.isnan(seen)], seen[~np.isnan(seen)]
        )
        if not same:
            raise PastChanged(
                f"task {task!r}: trials seen at an earlier look have changed; files may only grow, "
                "and new files must sort after the old ones by name"
            )
        rule.follow(partial(_row, rule, scores))
        self._seen[task] = replace(self._seen[task], rows=scores[: rule.rows].copy())

    def _sight(self, task: str, rule: StopRule, scores: Floats, notes: list[str]) -> TaskSight:
        standings = rule.standings()
        return TaskSight(
            task=task,
            stop=rule.stop,
            decided=rule.decided,
            rows=rule.rows,
            n_max=rule.n_max,
            needed=rule.needed,
            waiting=int((~np.isnan(scores[rule.rows :])).sum()),
            standings=standings,
            remaining=rule.remaining(standings),
            analysis=rule.analysis(task=task, warnings=notes) if rule.rows else None,
        )


def _row(rule: StopRule, scores: Floats, places: Places) -> dict[str, list[float | None]] | None:
    """Return the scores of a row, or None as long as one of them is awaited."""
    columns = {policy: index for index, policy in enumerate(rule.policies)}

    def found(policy: str, number: int) -> float:
        score = float(scores[number, columns[policy]])
        if np.isnan(score):
            raise LookupError
        return score

    row = complete(found, places)
    for policy, own in (row or {}).items():
        for score in own:
            if score is not None:
                rule.check(policy, score)
    return row


def _require_same(
    task: str, rules: Mapping[str, Any], policies: tuple[str, ...], design: str
) -> None:
    """Raise if what the files show is another comparison than at earlier looks."""
    if rules["policies"] != list(policies):
        raise PastChanged(
            f"task {task!r}: the policies were {', '.join(rules['policies'])}, but now are "
            f"{', '.join(policies)}; start over with all of them"
        )
    if rules.get("design") != design:
        raise PastChanged(
            f"task {task!r}: the trials looked at so far showed the design {rules.get('design')}, "
            f"but now it is {design}: start over and declare the design"
        )


def _require_apart(state: Path, source: Any) -> None:
    """Raise if the state would be read as one of the results."""
    places = source.values() if isinstance(source, Mapping) else source
    for place in [places] if isinstance(places, str | Path) else places:
        require(
            not state.resolve().is_relative_to(Path(place).resolve()),
            f"{state}: the state must not be among the results, but {place} is watched",
        )
