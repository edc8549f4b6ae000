"""A question about several policies: the one object that files, races, studies and plans drive.

A question knows its claims, who still needs trials, and when it is answered. A new one is a file in
this folder with a subclass of ``Question``, registered in ``questions/__init__.py``.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.pair_test import PairTest
from stopwise.core.readings.score import Shown
from stopwise.core.registry import edition_of
from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import require_whole
from stopwise.core.snapshot import Resumable
from stopwise.errors import InvalidInput, require
from stopwise.messages import counted
from stopwise.questions.analysis import Analysis
from stopwise.questions.reach import out_of_reach
from stopwise.questions.standing import Elimination, Standing, Way, rows_to_go, ways
from stopwise.rows.table import Table, side_by_side

if TYPE_CHECKING:
    from stopwise.study.verdict import TaskVerdict

T = TypeVar("T")
Answer = TypeVar("Answer", bound=Analysis)
# Which trials a row takes: of each policy that it needs, their numbers among its own, from 0.
Places = Mapping[str, range]
# The scores of the trials at these places; None instead of them all while the row is not complete.
FindRow = Callable[[Places], Mapping[str, Sequence[Shown]] | None]


class Question(Resumable):
    """A question about several policies; a row is one trial of each that still needs one."""

    # The type of its answers, which knows their words and their pages.
    answer: ClassVar[type[Analysis]] = Analysis
    # Settings that are usual where others run as many trials of each policy.
    of_files: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, rules: Rules, joined: Mapping[str, int] | None = None) -> None:  # noqa: ARG002
        self.rules = rules
        self._seen = 0
        # Of each policy, the trials that rows have taken, by their numbers.
        self._trials: dict[str, list[Any]] = {name: [] for name in rules.reading.run}

    policies = FromRules[tuple[str, ...]]("policies", "The names, in the order given.")

    @property
    def rows(self) -> int:
        return self._seen

    @property
    @abstractmethod
    def comparison(self) -> PairTest:
        """The test of one pair, which knows what scores there may be."""

    @property
    @abstractmethod
    def decided(self) -> bool:
        """Whether the question is answered."""

    @property
    @abstractmethod
    def tried(self) -> tuple[str, ...]:
        """Policies of which a further trial could change the answer."""

    @property
    @abstractmethod
    def futile(self) -> bool:
        """Whether a further decision by n_max has become too unlikely to be worth more trials."""

    @property
    def gave_up(self) -> bool:
        """Whether the question ended undecided, because that is binding."""
        return self.comparison.test.stops_at_futility and not self.needed and self.futile

    @abstractmethod
    def rows_for(self, policy: str) -> int:
        """Return the rows in which a policy was needed so far."""

    @abstractmethod
    def standings(self) -> tuple[Standing, ...]:
        """Standing of each pair now."""

    @staticmethod
    @abstractmethod
    def in_words(task: "TaskVerdict") -> str:
        """The result of a study on one task as a sentence."""

    @abstractmethod
    def analyze(self, table: Table) -> Analysis:
        """Return the whole analysis of a table of rows, under the same rules."""

    def _answered(self, answer: Answer) -> Answer:
        """Return an analysis with what else is known: of more than it claims, or of no claim."""
        first: list[str] = []
        rules = self.rules.reading.broader()
        if not (answer.eliminated or any(pair.decided for pair in answer.pairs)):
            first += out_of_reach(self)
        if rules is not None:
            other = type(self)(rules, self.joined).analyze(answer.aligned)
            level = f"(a claim of its own at alpha {rules.alpha:g})"
            first.append(f"for new scenes and runs {level}: {other.headline}")
        return replace(answer, warnings=(*first, *answer.warnings))

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.policies)}

    @property
    def needed(self) -> tuple[str, ...]:
        """Policies that the next row tries, each as often as it does; none after n_max rows."""
        if self.rows == self.rules.n_max:
            return ()
        run_before = set(self.rules.reading.run) - set(self.rules.reading.tried)
        return tuple(name for name in self.tried if name not in run_before)

    @property
    def numbered_apart(self) -> bool:
        """Whether the number of a trial among its policy's may differ from that of its row."""
        return False

    @property
    def places(self) -> Places:
        """The trials that the next row takes, by their numbers among those of their policy."""
        if self.rows == self.rules.n_max:
            return {}
        return {policy: self.rules.reading.trials(policy, self.rows) for policy in self.tried}

    @property
    def joined(self) -> Mapping[str, int]:
        """Rows that were seen when policies joined, of those that did so after the start."""
        return {}

    def join(self, policy: str) -> None:
        """Let a policy take part from the next row on, where the question allows for that."""
        raise InvalidInput(
            f"{policy!r} cannot join: with the goal {self.rules.goal!r} all policies take part "
            "from the start"
        )

    def taken(self, policy: str) -> int:
        """Return the number of the policy's next trial: those before it are looked at, or past."""
        return self.rules.reading.trials(policy, self.rows).start

    def passed_over(self, policy: str, number: int) -> bool:  # noqa: ARG002
        """Whether rows went by without this trial of a policy that was tried again later."""
        return False

    @property
    @abstractmethod
    def eliminated(self) -> Mapping[str, Elimination]:
        """Policies that were shown not to be the best, in the order in which they were."""

    @property
    def candidates(self) -> tuple[str, ...]:
        eliminated = self.eliminated
        return tuple(policy for policy in self.policies if policy not in eliminated)

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Candidates that need no more trials as long as the same policy leads."""
        return ()

    @property
    def best(self) -> str | None:
        return self.candidates[0] if len(self.candidates) == 1 else None

    @property
    def p_values(self) -> Mapping[str, float]:
        """Anytime p-values of "this is a best policy", where that is asked."""
        return {}

    def remaining(self, standings: Sequence[Standing]) -> int | None:
        """Return the rows still needed at the growth of evidence so far; None if unknown."""
        n_max = self.rules.n_max
        if self.decided or self.gave_up:
            return 0
        most = None if n_max is None else n_max - self.rows
        return rows_to_go(self.ways(standings).values(), most)

    def ways(self, standings: Sequence[Standing]) -> dict[str, Way]:
        return ways(standings, alpha=self.rules.alpha)

    def add(self, row: Mapping[str, Sequence[Any]]) -> None:
        """Add one row: the trials of each policy at its places, None for one without a score."""
        self._require_row(row)
        places = self.places
        cells = {
            name: self._cells(name, trials, len(places.get(name, ())))
            for name, trials in row.items()
            if any(trial is not None for trial in trials)
        }
        self.rules.reading.check_row(cells)
        self._keep({name: np.array(part, dtype=float).T for name, part in cells.items()})

    def _cells(self, name: str, trials: Sequence[Any], number: int) -> list[tuple[Any, ...]]:
        require(
            len(trials) == number,
            f"this row takes {counted(number, 'trial')} of {name!r}, but got "
            f"{counted(len(trials), 'score')}",
        )
        cells = [self.rules.reading.cell(name, trial) for trial in trials]
        for score in (score for cell in cells for score in cell if score is not None):
            self.comparison.unit_score(score, repr(name))
        return cells

    @abstractmethod
    def _keep(self, cells: Mapping[str, Floats]) -> Any:
        """Keep the trials of a row (kinds, trials) by their numbers, and show the row."""

    def shown(self, policy: str, score: float | None, proxy: float | None) -> Shown:
        offered = self.rules.reading.offered(score, proxy)
        if offered is None:
            self._require_gaps(policy)
        if isinstance(offered, tuple):
            self.comparison.unit_score(proxy, f"the proxy of {policy!r}")
        return offered

    def _require_gaps(self, policy: str) -> None:
        require(
            self.rules.reading.gaps,
            f"{policy!r} has no score of a scene, and none of the list may be left out: give the "
            "worst score where it failed",
        )

    def _require_row(self, names: Iterable[str]) -> None:
        known = self.rules.reading.run
        for name in names:
            require(name in known, f"policies are {', '.join(known)}, but got a score of {name!r}")
        require(
            self.rows != self.rules.n_max,
            f"n_max = {self.rules.n_max} rows are already in; to go on, a larger n_max would have "
            "had to be declared before",
            parameter="n_max",
        )

    def take(self, find: FindRow) -> Iterator[int]:
        """Take row i in once all places that earlier rows left in need of a trial have a result."""
        while (places := self.places) and (results := find(places)) is not None:
            for policy, scores in results.items():
                if None in scores:
                    self._require_gaps(policy)
            self.add(results)
            yield self.rows - 1

    def scores(self) -> list[dict[str, float]]:
        rows = [zip(self.policies, row, strict=True) for row in self.table().scores.tolist()]
        return [{name: score for name, score in row if not math.isnan(score)} for row in rows]

    def table(self, *, task: str | None = None, notes: Sequence[str] = ()) -> Table:
        """Return the rows so far as a table."""
        reading = self.rules.reading
        blank = np.full((reading.kinds, self.rows), np.nan)
        columns = []
        for name in self.policies:
            column = np.array(self._trials.get(name, ())).reshape(-1, reading.kinds).T
            if name in reading.constants:
                column = np.full_like(blank, reading.constants[name])
            columns.append(column)
        scores, *others = [
            side_by_side([blank[kind], *(column[kind] for column in columns)])[:, 1:]
            for kind in range(reading.kinds)
        ]
        return Table(
            policies=self.policies,
            scores=scores,
            design=self.rules.design,
            task=task,
            bounds=self.rules.bounds,
            notes=tuple(notes),
            other_scores=tuple(others),
        )

    def _content(self) -> dict[str, Any]:
        return {
            "rules": self.rules.settings(),
            "edition": edition_of(self.rules.method),
            "trials": self._trials,
            "rows": self.rows,
        }

    @classmethod
    def _resumed(cls, content: dict[str, Any]) -> Self:
        cls._require_edition(content["rules"]["method"], content)
        question = cls(Rules.of(**content["rules"]), content.get("joins"))
        cells = {
            name: np.array(trials, dtype=float).reshape(-1, question.rules.reading.kinds).T
            for name, trials in content["trials"].items()
        }
        for _ in range(require_whole(content["rows"], "rows", 0)):
            parts = {
                name: cells[name][:, numbers.start : numbers.stop]
                for name, numbers in question.places.items()
            }
            question._keep({name: part for name, part in parts.items() if part.size})
        return question

    def analysis(self, *, task: str | None = None, notes: Sequence[str] = ()) -> Analysis:
        return self.analyze(self.table(task=task, notes=notes))


def complete(result_of: Callable[[str, int], T], places: Places) -> dict[str, list[T]] | None:
    """Return the scores at these places; None while ``found`` raises ``LookupError`` at one."""
    try:
        return {
            policy: [result_of(policy, number) for number in numbers]
            for policy, numbers in places.items()
        }
    except LookupError:
        return None
