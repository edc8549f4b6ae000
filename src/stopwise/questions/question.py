"""What is asked of several policies: the one object that files, races, studies and plans drive.

A question knows its claims, who still needs trials, and when it is answered. A new one is a file in
this folder with a subclass of ``Question``, registered in ``questions/__init__.py``.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.comparison import Comparison
from stopwise.core.rules import FromRules, Rules
from stopwise.core.snapshot import Resumable
from stopwise.errors import require
from stopwise.questions.analysis import Analysis
from stopwise.questions.standing import Standing
from stopwise.rows.table import Table

# The scores of the policies asked for in a row, without those that have none to offer; None while
# the row is not complete.
FindRow = Callable[[int, tuple[str, ...]], Mapping[str, float] | None]


class Question(Resumable):
    """A question about several policies, asked row by row.

    A row is one trial of each policy that still needs one: the same block in a paired design, else
    the i-th trial of each. Rows are looked at in order, each when it is complete, so that slow
    trials cannot bias the answer.

    Parameters
    ----------
    rules
        What was declared.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._scores: list[Floats] = []

    policies = FromRules[tuple[str, ...]]("policies", "The names, in the order given.")

    @property
    def rows(self) -> int:
        """Rows seen."""
        return len(self._scores)

    @property
    @abstractmethod
    def comparison(self) -> Comparison:
        """The test of one pair, which knows what scores there may be."""

    @property
    @abstractmethod
    def decided(self) -> bool:
        """Whether the question is answered."""

    @property
    @abstractmethod
    def tried(self) -> tuple[str, ...]:
        """Policies of which a further trial could change the answer."""

    @abstractmethod
    def rows_for(self, policy: str) -> int:
        """Return the rows in which a policy was needed so far."""

    @abstractmethod
    def standings(self) -> tuple[Standing, ...]:
        """Return where each pair stands now."""

    @abstractmethod
    def analyze(self, table: Table) -> Analysis:
        """Return the whole analysis of a table of rows, under the same rules."""

    @abstractmethod
    def _show(self, scores: Floats) -> None:
        """Take in one row of scores in [0, 1], NaN for policies without a trial in it."""

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.policies)}

    @property
    def needed(self) -> tuple[str, ...]:
        """Policies that need more trials; none once n_max rows were seen."""
        return () if self.rows == self.rules.n_max else self.tried

    def add(self, row: Mapping[str, float]) -> None:
        """Add one row of scores; a pair with a policy that is missing in it waits.

        Scores of policies that are no longer needed are kept, and change no decision.
        """
        require(
            self.rows != self.rules.n_max,
            f"n_max = {self.rules.n_max} rows are already in; to go on, a larger n_max would have "
            "had to be declared before",
            parameter="n_max",
        )
        scores = np.full(len(self.policies), np.nan)
        for name, score in row.items():
            require(
                name in self._columns,
                f"policies are {', '.join(self.policies)}, but got a score of {name!r}",
            )
            self.comparison.unit_score(score, repr(name))
            scores[self._columns[name]] = score
        self._show(self.comparison.scale.unit(scores))
        self._scores.append(scores)

    def take(self, find: FindRow) -> Iterator[int]:
        """Take rows in, in order and each when it is complete; yield each number afterwards.

        This is the rule on which every answer rests, whatever came late or out of order: row i
        counts once ``find`` has a result for each policy that rows 0 to i - 1 left in need of one.
        """
        while (needed := self.needed) and (row := find(self.rows, needed)) is not None:
            self.add(row)
            yield self.rows - 1

    def scores(self) -> list[dict[str, float]]:
        """Return the scores of each row seen."""
        rows = [zip(self.policies, row.tolist(), strict=True) for row in self._scores]
        return [{name: score for name, score in row if not math.isnan(score)} for row in rows]

    def table(self, *, task: str | None = None, notes: Sequence[str] = ()) -> Table:
        """Return the rows seen as a table."""
        return Table(
            policies=self.policies,
            scores=np.array(self._scores).reshape(-1, len(self.policies)),
            design=self.rules.design,
            task=task,
            bounds=self.rules.bounds,
            notes=tuple(notes),
        )

    def analysis(self, *, task: str | None = None, notes: Sequence[str] = ()) -> Analysis:
        """Return the whole analysis of the rows seen, as ``analyze`` gives it."""
        return self.analyze(self.table(task=task, notes=notes))


def complete(found: Mapping[str, float | None], needed: Sequence[str]) -> dict[str, float] | None:
    """Return the scores of the needed policies, or None as long as one has no result.

    A result of None is one without a score: the policy is left out of the row.
    """
    if any(policy not in found for policy in needed):
        return None
    results = {policy: found[policy] for policy in needed}
    return {policy: score for policy, score in results.items() if score is not None}
