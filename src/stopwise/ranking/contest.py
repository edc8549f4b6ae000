"""Several policies compared while their trials come in: the live form of ``analyze``."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.registry import edition_of
from stopwise.core.scores import numeric_array
from stopwise.core.snapshot import Resumable, encode_shaped, restore_shaped
from stopwise.errors import require
from stopwise.ranking.analysis import Analysis, Standing
from stopwise.ranking.analyze import rank
from stopwise.ranking.pairs import Board
from stopwise.ranking.rules import Rules
from stopwise.ranking.standings import standing
from stopwise.ranking.table import Table

__all__ = ["Contest"]

# All of a board that changes; what else it has follows from the rules and these.
_ACCOUNTS = ("log_e_now", "log_e", "p_value", "adjusted", "claims", "open", "implied", "n", "rows")


class Contest(Resumable):
    """Policies compared row by row; at every row it knows what ``analyze`` would say.

    A row is one trial of each policy that still needs one: the same block in a paired design,
    else the i-th trial of each. The probability that any order ever declared is false is at most
    alpha, whenever one stops, under the assumptions of ``analyze``.

    Parameters
    ----------
    policies
        Two or more names.
    method, alpha, n_max, bounds, design, adjust, baseline, ties, **parameters
        As for ``analyze``; the design is "independent" or "paired".

    Examples
    --------
    >>> from stopwise.ranking.contest import Contest
    >>> contest = Contest(["a", "b", "c"], n_max=100)
    >>> while contest.needed:
    ...     scores = {"a": 0.9, "b": 0.1, "c": 0.5 + contest.rows % 2 / 2}
    ...     contest.add({policy: scores[policy] for policy in contest.needed})
    >>> contest.decided, contest.rows < 100
    (True, True)
    >>> contest.analysis().order_text
    'a > c; c > b'
    """

    _kind = "Contest"

    def __init__(
        self,
        policies: Sequence[str],
        *,
        method: str = "nscore-plus",
        alpha: float = 0.05,
        n_max: int | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        design: str = "independent",
        adjust: str = "holm",
        baseline: str | None = None,
        ties: str = "strict",
        **parameters: Any,
    ) -> None:
        self.rules = Rules(
            policies=tuple(policies),
            method=method,
            alpha=alpha,
            n_max=n_max,
            bounds=bounds,
            design=design,
            adjust=adjust,
            baseline=baseline,
            ties=ties,
            parameters=parameters,
        )
        self._board = Board(self.rules.comparison, self.rules.budget, 1, 0)
        self._scores: list[Floats] = []

    @property
    def policies(self) -> tuple[str, ...]:
        """The names, in the order given."""
        return self.rules.policies

    @property
    def rows(self) -> int:
        """Rows seen."""
        return len(self._scores)

    @property
    def decided(self) -> bool:
        """Whether every pair is decided."""
        return not self._board.open.any()

    @property
    def needed(self) -> tuple[str, ...]:
        """Policies that have an undecided pair; none once n_max rows were seen."""
        if self.rows == self.rules.comparison.n_max:
            return ()
        tried = (self._board.open[0] & self.rules.family.of_policy).any(axis=1)
        return tuple(name for name, still in zip(self.policies, tried, strict=True) if still)

    def add(self, row: Mapping[str, float]) -> None:
        """Add one row of scores; a pair with a policy that is missing in it waits.

        Scores of policies that are no longer needed are kept, and change no decision.
        """
        comparison = self.rules.comparison
        require(
            self.rows != comparison.n_max,
            f"n_max = {comparison.n_max} rows are already in; declare a larger n_max beforehand "
            "to go on",
        )
        scores = np.full(len(self.policies), np.nan)
        for name, score in row.items():
            require(
                name in self.policies,
                f"policies are {', '.join(self.policies)}, but got a score of {name!r}",
            )
            known = numeric_array(score, repr(name))
            comparison.check(known, repr(name))
            scores[self.policies.index(name)] = known
        self._show(comparison.scale.unit(scores))
        self._scores.append(scores)

    def standings(self) -> tuple[Standing, ...]:
        """Return how each pair stands now."""
        self._board.adjust()
        outcome = self._board.result(None)
        family = self.rules.family
        return tuple(
            Standing(**standing(self.policies, family, outcome, pair))
            for pair in range(family.size)
        )

    def analysis(self, *, task: str | None = None, warnings: Sequence[str] = ()) -> Analysis:
        """Return the whole analysis of the rows seen, as ``analyze`` gives it."""
        table = Table(
            policies=self.policies,
            scores=np.array(self._scores).reshape(-1, len(self.policies)),
            design=self.rules.design,
            task=task,
            bounds=self.rules.comparison.bounds,
            warnings=tuple(warnings),
        )
        return rank(table, self.rules)

    def _show(self, scores: Floats) -> None:
        board = self._board
        if not board.runs.size:
            return
        seen = board.observe(scores[None], complete=False)
        if seen is not None and board.judge(seen, self.rows):
            board.adjust()
            board.settle()

    def _content(self) -> dict[str, Any]:
        board = self._board
        return {
            "rules": self.rules.settings(),
            "edition": edition_of(self.rules.method),
            "scores": encode_shaped(np.array(self._scores)),
            "runs": board.runs.tolist(),
            "state": [encode_shaped(array) for array in board.state],
            "account": [encode_shaped(array) for array in board.account],
            **{name: encode_shaped(getattr(board, name)) for name in _ACCOUNTS},
        }

    @classmethod
    def _resumed(cls, content: dict[str, Any]) -> Self:
        cls._require_edition(content["rules"]["method"], content)
        contest = cls(**content["rules"])
        _, scores = content["scores"]
        contest._scores = list(np.array(scores, dtype=float).reshape(-1, len(contest.policies)))
        board = contest._board
        for name in _ACCOUNTS:
            setattr(board, name, restore_shaped(content[name], getattr(board, name)))
        board.keep(np.array(content["runs"], dtype=np.int64))
        board.state = _restored(content["state"], board.state)
        # A procedure may drop, with its last axis, what can no longer be claimed.
        board.account = _restored(content["account"], board.account, free_last_axis=True)
        return contest


def _restored(encoded: list[Any], template: Any, *, free_last_axis: bool = False) -> Any:
    return type(template)(
        *(
            restore_shaped(array, like, free_last_axis=free_last_axis)
            for array, like in zip(encoded, template, strict=True)
        )
    )
