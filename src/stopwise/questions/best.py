"""Which policy is the best, asked row by row: who may still be it, and who was dropped."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.comparison import Comparison
from stopwise.core.registry import edition_of
from stopwise.core.rules import Rules
from stopwise.core.scores import require_whole
from stopwise.core.snapshot import encode_shaped, restore_shaped, restore_state
from stopwise.errors import require
from stopwise.questions.best_analysis import BestAnalysis, answer
from stopwise.questions.candidates import Candidates
from stopwise.questions.pairs import has_e_process
from stopwise.questions.question import Places, Question
from stopwise.questions.standing import Elimination, Standing
from stopwise.rows.table import Table, side_by_side, unit_scores


class BestQuestion(Question):
    """The best policy; after every row it knows what ``analyze`` would say.

    The probability that a best policy is ever dropped is at most alpha, whenever one stops, under
    the assumptions of ``analyze``. So the candidates are at all times a confidence set of the best
    policy, and if one is left, it is named.

    Examples
    --------
    >>> from stopwise.core.rules import Rules
    >>> from stopwise.questions.best import BestQuestion
    >>> question = BestQuestion(Rules(policies=("a", "b", "c"), n_max=100, goal="best"))
    >>> mean = {"a": 0.9, "b": 0.1, "c": 0.5}
    >>> while question.needed:
    ...     question.add({policy: mean[policy] for policy in question.needed})
    >>> question.best, question.candidates
    ('a', ('a',))
    >>> question.eliminated["b"].leader
    'a'
    """

    _kind = "Best"

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self._comparison = comparison_of(rules)
        self._trials: list[list[float]] = [[] for _ in self.policies]
        self._board = start(self._comparison, 1)

    @property
    def rows(self) -> int:
        """Rows seen."""
        return self._board.rows

    @property
    def comparison(self) -> Comparison:
        """The test of "the opponent is better"."""
        return self._comparison

    @property
    def decided(self) -> bool:
        """Whether a best policy is named."""
        return self.best is not None

    @property
    def leader(self) -> str:
        """The policy of which most is expected now; no claim."""
        return self.policies[int(self._board.leader[0])]

    @property
    def eliminated(self) -> Mapping[str, Elimination]:
        """Policies that were shown not to be the best, in the order in which they were dropped."""
        rows, by = self._board.dropped[0], self._board.dropped_by[0]
        order = [place for place in np.argsort(rows, kind="stable").tolist() if rows[place]]
        return MappingProxyType(
            {
                self.policies[place]: Elimination(
                    row=int(rows[place]), leader=self.policies[int(by[place])]
                )
                for place in order
            }
        )

    @property
    def tried(self) -> tuple[str, ...]:
        """The candidates that are tried."""
        return self._named(self._board.count[0] > 0)

    @property
    def needed(self) -> tuple[str, ...]:
        """Policies that the next row tries, each as often as it does; none after n_max rows."""
        return tuple(policy for policy, own in self.places.items() for _ in own)

    @property
    def places(self) -> Places:
        """The trials that the next row takes, by their numbers among those of their policy."""
        if self.rows == self.rules.n_max:
            return {}
        counts = zip(self.policies, self._board.count[0].tolist(), strict=True)
        return {
            policy: range(self.taken(policy), self.taken(policy) + count)
            for policy, count in counts
            if count
        }

    def taken(self, policy: str) -> int:
        """Return the number of the policy's next trial."""
        if self.rules.design == "paired":
            return self.rows
        return len(self._trials[self._columns[policy]])

    @property
    def gaps(self) -> bool:
        """Whether a row took a trial that has no score."""
        return bool((self._board.trials < self._board.asked).any())

    def rows_for(self, policy: str) -> int:
        """Return the rows in which a policy was needed so far."""
        return int(self._board.tried_rows[0, self._columns[policy]])

    def standings(self) -> tuple[Standing, ...]:
        """Return no pairs: of none it is claimed which is better."""
        return ()

    def analyze(self, table: Table) -> BestAnalysis:
        """Return the whole analysis of a table of trials, under the same rules.

        Rows take the trials of each policy in order, as they would have been asked for.
        """
        unit_scores(table, self._comparison)  # validity rests on this check of the bounds
        question = type(self)(self.rules)
        values = question._replayed(table)
        return answer(question, table, values)

    def add(self, row: Mapping[str, float | Sequence[float | None]]) -> None:
        """Add one row of scores: several of a policy that it tries several times.

        None, or nothing, stands for a trial without a score. Scores of policies that the row does
        not try are left out.
        """
        self._require_room()
        for name in row:
            self._require_known(name)
        counts = {name: len(own) for name, own in self.places.items()}
        self._observe(
            {name: self._checked(name, count, row.get(name)) for name, count in counts.items()}
        )

    def scores(self) -> list[dict[str, float]]:
        """Return the scores that rows seen have taken, by the number of the trial."""
        rows = self.table().scores.tolist()
        named = [zip(self.policies, row, strict=True) for row in rows]
        return [{name: score for name, score in row if not math.isnan(score)} for row in named]

    def table(self, *, task: str | None = None, notes: Sequence[str] = ()) -> Table:
        """Return the trials that rows seen have taken: those of each policy in order."""
        columns = [np.array(own, dtype=float) for own in self._trials]
        return self._table(side_by_side(columns), task, notes)

    def remaining(self, standings: Sequence[Standing]) -> int | None:  # noqa: ARG002
        """Return the rows still needed at the growth of evidence so far; None if unknown."""
        board, n_max = self._board, self.rules.n_max
        if self.decided:
            return 0
        limit = math.inf if n_max is None else n_max - self.rows
        others = board.open[0].copy()
        others[board.leader[0]] = False
        gone = np.maximum(board.log_wealth[0, others], 0.0) / board.target
        with np.errstate(divide="ignore"):
            more = board.tried_rows[0, others] * (1 / gone - 1)
        slowest = min(float(np.max(more, initial=1.0, where=~np.isnan(more))), limit)
        return None if slowest == math.inf else math.ceil(slowest)

    def _row(
        self, found: Mapping[str, Sequence[float | None]]
    ) -> Mapping[str, Sequence[float | None]]:
        return found

    def _named(self, which: Bools) -> tuple[str, ...]:
        return tuple(name for name, so in zip(self.policies, which, strict=True) if so)

    def _checked(
        self, name: str, count: int, given: float | Sequence[float | None] | None
    ) -> list[float]:
        """Return so many scores of a policy, NaN for a trial without one."""
        scores = list(given) if isinstance(given, Sequence) else [given]
        require(
            len(scores) <= count,
            f"this row takes {count} trials of {name!r}, but got {len(scores)} scores",
        )
        for score in scores:
            if score is not None:
                self._comparison.unit_score(score, repr(name))
        known = [math.nan if score is None else float(score) for score in scores]
        return known + [math.nan] * (count - len(scores))

    def _observe(self, found: Mapping[str, list[float]]) -> Floats:
        """Show one row; return the average of each policy's trials in it, in [0, 1]."""
        for name, scores in found.items():
            own = self._trials[self._columns[name]]
            own += [math.nan] * (self.taken(name) - len(own))  # blocks that it was not in
            own += scores
        values, seen = np.full((1, len(self.policies)), np.nan), np.zeros_like(self._board.count)
        for name, scores in found.items():
            known = [score for score in scores if not math.isnan(score)]
            if known:
                column = self._columns[name]
                values[0, column] = math.fsum(known) / len(known)
                seen[0, column] = len(known)
        values = self._comparison.scale.unit(values)
        self._board.observe(values, seen)
        compared: Floats = values[0]
        return compared

    def _replayed(self, table: Table) -> Floats:
        """Take the rows of a table in; return the averages (rows, policies) that were compared."""
        columns = [self._columns[name] for name in table.policies]
        scores = np.full((len(table.scores), len(self.policies)), np.nan)
        scores[:, columns] = table.scores
        values = []
        while places := self.places:
            found = {
                name: scores[own.start : own.stop, self._columns[name]].tolist()
                for name, own in places.items()
            }
            if sum(not all(map(math.isnan, own)) for own in found.values()) < 2:
                break
            values.append(self._observe(found))
        return np.array(values).reshape(-1, len(self.policies))

    def _content(self) -> dict[str, Any]:
        board = self._board
        return {
            "rules": self.rules.settings(),
            "edition": edition_of(self.rules.method),
            "scores": self._trials,
            "rows": board.rows,
            "runs": board.runs.tolist(),
            "state": [encode_shaped(array) for array in board.state],
            **{name: encode_shaped(getattr(board, name)) for name in board.KEPT},
        }

    @classmethod
    def _resumed(cls, content: dict[str, Any]) -> Self:
        cls._require_edition(content["rules"]["method"], content)
        question = cls(Rules.recorded(**content["rules"]))
        question._trials = [list(map(float, own)) for own in content["scores"]]
        board = question._board
        for name in board.KEPT:
            setattr(board, name, restore_shaped(content[name], getattr(board, name)))
        board.rows = require_whole(content["rows"], "rows", 0)
        board.keep(np.searchsorted(board.runs, np.array(content["runs"], dtype=np.int64)))
        board.state = restore_state(content["state"], board.state, restore=restore_shaped)
        board.choose()
        return question


def comparison_of(rules: Rules) -> Comparison:
    """Return the test "the opponent is better" at the whole level, or say why there is none."""
    require(
        rules.alternative == "two-sided" and rules.margin == 0,
        f"a best policy is asked for without a direction and margin, but alternative is "
        f"{rules.alternative!r} and margin {rules.margin:g}",
    )
    require(
        rules.baseline is None,
        f"a best policy is asked for among all of them, but the baseline is {rules.baseline!r}",
        parameter="baseline",
    )
    comparison = Comparison(replace(rules, alternative="greater"))
    test = comparison.test
    require(
        has_e_process(comparison),
        f"the goal 'best' needs a method that bets: the evidence against a policy is a product of "
        f"factors against whoever leads, which {rules.method} does not have; choose nscore-plus, "
        "nscore, wsr or savi",
        parameter="method",
    )
    require(
        not test.uses_seed(rules.parameters),
        "the goal 'best' has no randomised last look",
        parameter="last_look",
    )
    return comparison


def start(comparison: Comparison, studies: int) -> Candidates:
    """Return the candidates of so many studies before the first row.

    The leader is tried once per row where a block is met once by each policy, and where a method
    takes only certain scores, of which an average is none.
    """
    rules = comparison.rules
    often = rules.allocation == "leader" and rules.design == "independent"
    return Candidates(
        comparison.test, studies, len(rules.policies), often=often and comparison.levels is None
    )


def simulate(rules: Rules, draw: Callable[[], Floats], studies: int) -> Candidates:
    """Return how so many studies end that go on until a best policy is named, or to n_max rows.

    They are the same as live ones: each row is shown to the very object that a question keeps.

    Parameters
    ----------
    rules
        What is declared; n_max must be.
    draw
        Returns a trial of each policy in each study: fresh scores (studies, policies) in [0, 1]. In
        the independent design it is called again for policies that a row tries several times.
    studies
        How many.
    """
    board = start(comparison_of(rules), studies)
    for _ in range(require_whole(rules.n_max, "n_max", 1)):
        if not board.count.any():
            break
        scores = draw()
        for times in range(1, int(board.count.max())):
            more = scores + (draw() - scores) / (times + 1)
            scores = np.where(board.count > times, more, scores)
        board.observe(np.where(board.count > 0, scores, np.nan), board.count)
    return board
