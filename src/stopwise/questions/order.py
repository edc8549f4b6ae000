"""Which policies are better than which: all pairs, or all with a baseline, asked row by row."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.comparison import Comparison
from stopwise.core.delegated import Delegated
from stopwise.core.registry import edition_of
from stopwise.core.rules import Rules
from stopwise.core.snapshot import encode_shaped, restore_shaped, restore_state
from stopwise.errors import require
from stopwise.questions.analysis import Analysis
from stopwise.questions.pairs import PairStates
from stopwise.questions.question import Question
from stopwise.questions.rank import rank
from stopwise.questions.ranking import Ranking
from stopwise.questions.standing import Elimination, Standing, eliminations, only_best, standing_of
from stopwise.rows.table import Table

# All of the pairs that changes; what else they have follows from the rules and these.
_ACCOUNTS = ("log_e_now", "log_e", "p_value", "adjusted", "claims", "open", "implied", "n", "rows")


class OrderQuestion(Question):
    """The order of the policies; after every row it knows what ``analyze`` would say.

    The probability that any order ever declared is false is at most alpha, whenever one stops,
    under the assumptions of ``analyze``.

    Examples
    --------
    >>> from stopwise.core.rules import Rules
    >>> from stopwise.questions.order import OrderQuestion
    >>> question = OrderQuestion(Rules(policies=("a", "b", "c"), n_max=100))
    >>> while question.needed:
    ...     scores = {"a": 0.9, "b": 0.1, "c": 0.5 + question.rows % 2 / 2}
    ...     question.add({policy: scores[policy] for policy in question.needed})
    >>> question.decided, question.rows < 100
    (True, True)
    >>> question.analysis().order_text
    'a > c; c > b'
    """

    _kind = "Contest"  # the name under which it has always been saved

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        require(
            rules.alternative == "two-sided" and rules.margin == 0,
            "an order is asked in both directions and without a margin, but alternative is "
            f"{rules.alternative!r} and margin {rules.margin:g}",
        )
        self._ranking = Ranking(rules)
        self._pairs = PairStates(self._ranking.comparison, self._ranking.budget, 1, 0)
        self._tried = self.policies

    comparison = Delegated[Comparison]("_ranking.comparison", "The test of each pair.")
    tried = Delegated[tuple[str, ...]]("_tried", "Policies that have an undecided pair.")

    @property
    def decided(self) -> bool:
        """Whether every pair is decided."""
        return not self._pairs.open.any()

    @property
    def eliminated(self) -> Mapping[str, Elimination]:
        """Policies that were shown to be worse than another, in the order in which they were."""
        pairs = self._pairs
        return eliminations(self.policies, self._ranking.family, pairs.claims[0], pairs.rows[0])

    @property
    def best(self) -> str | None:
        """The policy that was shown to be the best, or None."""
        candidates = self.candidates  # first, since standings are more work
        return only_best(self.rules, candidates, self.standings() if len(candidates) == 1 else ())

    def rows_for(self, policy: str) -> int:
        """Return the rows until all pairs of the policy were decided, or all."""
        if policy in self._tried:
            return self.rows
        own = self._ranking.family.of_policy[self._columns[policy]]
        return int(self._pairs.rows[0, own].max())

    def standings(self) -> tuple[Standing, ...]:
        """Return where each pair stands now."""
        self._pairs.adjust()
        outcome, family = self._pairs.result(None), self._ranking.family
        return tuple(
            Standing(**standing_of(self.policies, family, outcome, pair))
            for pair in range(family.size)
        )

    def analyze(self, table: Table) -> Analysis:
        """Return the whole analysis of a table of rows, under the same rules."""
        return rank(table, self._ranking)

    def _show(self, scores: Floats) -> None:
        pairs = self._pairs
        if not pairs.runs.size:
            return
        seen = pairs.observe(scores[None], complete=False)
        if seen is not None and pairs.judge(seen, self.rows):
            pairs.adjust()
            pairs.settle()
            self._settle()

    def _settle(self) -> None:
        tried = (self._pairs.open[0] & self._ranking.family.of_policy).any(axis=1)
        self._tried = tuple(name for name, still in zip(self.policies, tried, strict=True) if still)

    def _content(self) -> dict[str, Any]:
        pairs = self._pairs
        return {
            "rules": self.rules.settings(),
            "edition": edition_of(self.rules.method),
            "scores": encode_shaped(np.array(self._scores)),
            **({"trials": self._grouped} if self._grouped else {}),
            "runs": pairs.runs.tolist(),
            "state": [encode_shaped(array) for array in pairs.state],
            "account": [encode_shaped(array) for array in pairs.account],
            **{name: encode_shaped(getattr(pairs, name)) for name in _ACCOUNTS},
        }

    @classmethod
    def _resumed(cls, content: dict[str, Any]) -> Self:
        cls._require_edition(content["rules"]["method"], content)
        question = cls(Rules.recorded(**content["rules"]))
        _, scores = content["scores"]
        question._scores = list(np.array(scores, dtype=float).reshape(-1, len(question.policies)))
        trials = content.get("trials", {})
        question._grouped = {name: list(map(float, own)) for name, own in trials.items()}
        pairs = question._pairs
        for name in _ACCOUNTS:
            setattr(pairs, name, restore_shaped(content[name], getattr(pairs, name)))
        pairs.keep(np.array(content["runs"], dtype=np.int64))
        pairs.state = restore_state(content["state"], pairs.state, restore=restore_shaped)
        # A procedure may drop, with its last axis, what can no longer be claimed.
        pairs.account = restore_state(
            content["account"], pairs.account, free_last_axis=True, restore=restore_shaped
        )
        question._settle()
        return question
