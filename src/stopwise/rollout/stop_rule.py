"""When to stop: a rule for anyone's own loop, whatever the order in which results arrive."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from stopwise.core.arrays import Floats
from stopwise.core.keywords import described, flat
from stopwise.core.readings.averages import stored_scores
from stopwise.core.readings.fixed_list import numbers_of
from stopwise.core.readings.score import Shown
from stopwise.core.rules import Delegated, FromRules, Rules
from stopwise.core.scores import as_float, is_number, require_whole
from stopwise.core.settings import StopSettings
from stopwise.core.snapshot import Resumable
from stopwise.errors import InvalidInput, require
from stopwise.messages import Setting
from stopwise.questions import pose, resume
from stopwise.questions.analysis import Analysis
from stopwise.questions.question import FindRow, Places, complete
from stopwise.questions.reach import out_of_reach, warn
from stopwise.questions.standing import Elimination, Standing
from stopwise.trackers import reporter_of
from stopwise.trackers.reporter import Reporter
from stopwise.trackers.tracker import RowFunction


@described
class StopRule(Resumable):
    """Tells you when to stop, and which policies still need trials.

    Every trial has a place, fixed before it is run: its policy and its row. The rule looks at rows
    in order, each as soon as it is complete; a result that comes early waits. So the
    verdict does not depend on the order of arrival, and slow trials cannot bias it. The guarantee
    is that of ``stopwise.analyze`` on the rows looked at.

    Parameters
    ----------
    policies
        Two or more names; one or more with a ``reference``, the number to compare them with.
    stored
        Scores of policies that were tried before the study and are not tried again, at least n_max
        of each: a row holds the average of a group of them, whose size follows from n_max. They
        are assumed to come from the conditions of today. With ``list_size`` the scores of its
        scenes, in the order in which the others try them.
    proxy_scores
        Of a proxy whose mean is not known: its scores (scenes, policies) in simulated scenes.
    report_to
        "wandb" or "tensorboard", a run of one of these, an object with the methods of
        ``stopwise.trackers.tracker.Tracker``, or several. Each row is reported there, and the
        report page when the rule stops, or at ``finish``.
    on_row
        A function that is called with the number of each row and its values by name, such as
        ``mean/new``, in a thread of its own. If it fails, that is said once.
    **settings
        As for ``stopwise.analyze``.

    Examples
    --------
    >>> import stopwise as sw
    >>> rule = sw.StopRule(["base", "new"], n_max=100)
    >>> outcome = {"base": 0.2, "new": 0.9}
    >>> while not rule.stop:
    ...     for policy in rule.needed:
    ...         rule.add(policy, outcome[policy])
    >>> rule.rows, rule.analysis().order_text
    (5, 'new > base')
    >>> rule = sw.StopRule(["base", "new"], stored={"base": [0.1, 0.2, 0.3, 0.2] * 50}, n_max=50)
    >>> rule.needed
    ('new',)
    >>> while not rule.stop:
    ...     rule.add("new", 0.9)
    >>> rule.rows, rule.analysis().order_text
    (5, 'new > base')
    """

    _kind = "StopRule"
    _reporter = Reporter(())
    _on_row: Callable[[], None] | None = None

    @flat(StopSettings)
    def __init__(
        self,
        policies: Sequence[str],
        *,
        stored: Mapping[str, Sequence[float] | Floats] | None = None,
        proxy_scores: ArrayLike | None = None,
        report_to: Any = None,
        on_row: RowFunction | None = None,
        **settings: Unpack[StopSettings],
    ) -> None:
        require(
            not isinstance(policies, str),
            f"policies must be a list of names, but got {policies!r}",
            parameter="policies",
        )
        self.stored = stored_scores(stored)
        rules = Rules.of(
            proxy_scores=proxy_scores,
            policies=tuple(policies),
            groups=numbers_of(self.stored, settings),
            stored=tuple(self.stored),
            **settings,
        )
        self.question = pose(rules)
        warn(out_of_reach(self.question))
        for name, scores in self.stored.items():
            cells = [rules.reading.cell(name, score) for score in scores]
            self.question.comparison.check(np.array(cells), f"stored trials of {name!r}")
        # Results that are not looked at yet, by number; None where a policy has none to offer.
        self._waiting: dict[int, dict[str, Shown]] = {}
        self._next = dict.fromkeys(rules.reading.run, 0)
        self.report_by(reporter_of(report_to, on_row))

    rules = Delegated[Rules]("question.rules", "What was declared.")
    policies = FromRules[tuple[str, ...]]("policies", "The names, in the order given.")
    rows = Delegated[int]("question.rows", "Rows looked at.")
    n_max = FromRules[int | None]("n_max", "The declared maximum number of rows.")
    alpha = FromRules[float]("alpha", "The probability of any false claim.")
    design = FromRules[str]("design", 'The design, "independent" or "paired".')
    bounds = FromRules[tuple[float, float]]("bounds", "The declared range of the score.")
    best = Delegated[str | None]("question.best", "The policy shown to be the best, or None.")
    candidates = Delegated[tuple[str, ...]]("question.candidates", "Those that may be the best.")
    eliminated = Delegated[Mapping[str, Elimination]](
        "question.eliminated", "Policies that were shown not to be the best, and when."
    )
    p_values = Delegated[Mapping[str, float]](
        "question.p_values", 'Anytime p-values of "this is a best policy" (goal "best").'
    )
    needed = Delegated[tuple[str, ...]](
        "question.needed", "Policies that the next row tries, each as often as it does."
    )

    @property
    def places(self) -> Places:
        """The trials of the next row that are still to be run, by their numbers."""
        places, tried = self.question.places, self.rules.reading.tried
        return {name: numbers for name, numbers in places.items() if name in tried}

    @property
    def awaited(self) -> tuple[str, ...]:
        """Policies that were declared to come later, and have not joined yet."""
        return tuple(name for name in self.rules.later if name not in self.question.joined)

    @property
    def waits(self) -> bool:
        """Whether nothing is to be tried until a policy that was declared to come has joined."""
        over = self.decided or self.rows == self.n_max or self.gave_up
        return bool(self.awaited) and self.stop and not over

    @property
    def stop(self) -> bool:
        """Whether everything is decided, n_max rows were looked at, or binding futility says so."""
        return not self.needed

    decided = Delegated[bool]("question.decided", "Whether the question is answered.")
    futile = Delegated[bool]("question.futile", "Whether a decision by n_max is too unlikely.")
    gave_up = Delegated[bool](
        "question.gave_up", "Whether it stopped for that, with binding futility."
    )

    @property
    def waiting(self) -> int:
        """Results that are not looked at, because their row is not complete or not needed."""
        return sum(map(len, self._waiting.values()))

    def add(
        self,
        policy: str,
        score: float | None,
        row: int | None = None,
        *,
        proxy: float | None = None,
    ) -> None:
        """Take one result in.

        Parameters
        ----------
        policy
            Whose it is.
        score
            A number within the bounds; None leaves the policy out of the row, which is valid only
            if that does not depend on the score, nor beside a proxy on the scene.
        row
            The place it was given beforehand, from 0: its number among the policy's trials, which
            is the row unless a row tries a policy several times; by default the next one.
        proxy
            With a proxy, its score of the same trial; with audits, a judge's, and score None where
            people were not asked.
        """
        require(
            policy in self._next,
            f"policies are {', '.join(self._next)}, but got a result of {policy!r}",
        )
        require(policy not in self.stored, f"{policy!r} has stored trials and is not tried again")
        # In the paired design others may have met blocks without it.
        following = max(self._next[policy], self.question.taken(policy))
        row = following if row is None else require_whole(row, "row", 0)
        known = self._waiting.get(row, {})
        require(
            row >= self.question.taken(policy)
            or policy not in self.needed
            or self.question.passed_over(policy, row),
            f"row {row} has already been looked at, but got another result of {policy!r} for it",
        )
        require(policy not in known, f"{policy!r} already has a result in row {row}")
        if score is not None:
            self.check(policy, score)
            score = as_float(score)
        self._waiting.setdefault(row, {})[policy] = self.question.shown(policy, score, proxy)
        self._next[policy] = max(self._next[policy], row + 1)
        before = self.rows
        self.follow(self._row)
        if self.rows > before:
            self._forget()
        if self.stop and not self.waits:
            self.finish()

    def taken(self, policy: str) -> int:
        """Return the number of the policy's next trial: those before it were looked at."""
        return self.question.taken(policy)

    def join(self, policy: str) -> None:
        """Let a policy that was declared with ``later`` take part from the next row on.

        When it does may answer to all results so far.
        """
        self.question.join(policy)
        if self.design == "paired":  # blocks that it was not in
            self._next[policy] = self.taken(policy)

    def follow(self, find: FindRow) -> None:
        """Look at rows in their order, as far as ``find`` has them complete.

        For those who keep results themselves: ``find(places)`` gets, for each policy of the row,
        the numbers of its trials, and returns their scores (None for a trial without one), or None
        as long as one is awaited. It is not asked for stored trials.
        """

        def find_all(places: Places) -> Mapping[str, Sequence[Shown]] | None:
            tried = self.rules.reading.tried
            run = find({name: numbers for name, numbers in places.items() if name in tried})
            if run is None:
                return None
            before = {name: numbers for name, numbers in places.items() if name not in tried}
            return {
                **run,
                **{name: self.stored[name][n.start : n.stop] for name, n in before.items()},
            }

        for _ in self.question.take(find_all if self.stored else find):
            if self._on_row is not None:
                self._on_row()

    def report_by(self, reporter: Reporter, task: str | None = None) -> None:
        """Report the rows from now on by what others may report by as well."""
        self._reporter = reporter
        if reporter:
            self._on_row = reporter.on_rows(self.question, task)

    def finish(self) -> None:
        """Report the answer so far with its page, and close what was opened for that.

        Where everything is decided, or n_max is reached, ``add`` does it.
        """
        self._reporter.conclude(lambda: [self.analysis()])

    def check(self, policy: str, score: float) -> None:
        """Raise unless this is a number within the bounds that the method accepts."""
        try:
            self.question.comparison.unit_score(score, repr(policy))
        except InvalidInput as error:
            low, high = self.bounds
            if not is_number(score) or low <= score <= high:
                raise
            raise InvalidInput(f"{error}; give the range with ", Setting("bounds")) from error

    @property
    def stored_identity(self) -> dict[str, str]:
        """What tells these stored scores from others: the SHA-256 of each policy's."""
        return {
            f"stored trials of {name!r}": hashlib.sha256(json.dumps(scores).encode()).hexdigest()
            for name, scores in self.stored.items()
        }

    def standings(self) -> tuple[Standing, ...]:
        """Current standing of each pair."""
        return self.question.standings()

    def analysis(self, *, task: str | None = None, warnings: Sequence[str] = ()) -> Analysis:
        """Return the whole analysis of the rows looked at."""
        return self.analysis_of_now(task=task, warnings=warnings)()

    def analysis_of_now(
        self, *, task: str | None, warnings: Sequence[str], **about: Any
    ) -> Callable[[], Analysis]:
        """Function that analyses the rows looked at so far, when called."""
        table = self.question.table(task=task, notes=warnings).having(self.stored)
        return partial(copy(self.question).analyze, replace(table, **about))

    def __repr__(self) -> str:
        shown = ("policies", "n_max", "rows", "needed", "decided")
        return f"StopRule({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def _row(self, places: Places) -> dict[str, list[Shown]] | None:
        return complete(lambda policy, number: self._waiting[number][policy], places)

    def _forget(self) -> None:
        """Keep only results that a row may still take: one may leave a policy out for a while."""
        first = {policy: self.question.taken(policy) for policy in self._next}
        left = {
            row: {policy: score for policy, score in results.items() if row >= first[policy]}
            for row, results in self._waiting.items()
        }
        self._waiting = {row: results for row, results in left.items() if results}

    def _content(self) -> dict[str, Any]:
        return {
            "question": self.question.to_json(),
            "waiting": [[row, results] for row, results in self._waiting.items()],
            "next": self._next,
            "stored": self.stored,
        }

    @classmethod
    def _resumed(cls, content: dict[str, Any]) -> Self:
        rule = cls.__new__(cls)
        rule.question = resume(content["question"])
        stored = content["stored"]
        rule.stored = {str(name): list(map(float, scores)) for name, scores in stored.items()}
        rule._waiting = {int(row): dict(results) for row, results in content["waiting"]}
        rule._next = {str(policy): int(row) for policy, row in content["next"].items()}
        return rule
