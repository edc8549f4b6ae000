"""The promise for many policies: any false order, ever, with probability at most alpha.

Every study looks after each row of trials. What the check would catch is shown at the end by
procedures with one deliberate fault, which fail it.
"""

import numpy as np
import pytest
from scipy.stats import binomtest

from stopwise.core.arrays import Bools, Floats
from stopwise.questions.family import Bonferroni, Family, Holm
from tests.guarantees.pinned import assert_at_most, assert_pinned

ALPHA = 0.2


class PairHolm(Holm):
    """Sabotage: textbook Holm, where a decided pair passes on all of its risk.

    A decided pair's false direction could still have been claimed before, so its share is spent.
    """

    def step(self, factor: Floats, claims: Bools, p_value: Floats) -> tuple[Floats, Bools]:
        undecided = ~claims.any(axis=-1)
        count = undecided.sum(axis=-1, keepdims=True)
        factor = np.where(undecided, count, factor)
        return Bonferroni.step(self, factor, claims, p_value)


def adversary(budget: Bonferroni, runs: int) -> int:
    """Decide pair after pair, each falsely with exactly the probability that its level allows.

    Pairs whose means differ by tiny gaps of very different size behave so in the long run.
    """
    rng = np.random.default_rng(7)
    size = budget.family.size
    factor = budget.start(runs)
    claims, p_value = np.zeros((runs, size, 2), dtype=bool), np.ones((runs, size, 2))
    for pair in range(size):
        factor, claims = budget.step(factor, claims, p_value)
        level = budget.alpha / factor[:, pair]
        false = rng.random(runs) < level
        p_value[:, pair, 0] = np.where(false, level, 1.0)
        p_value[:, pair, 1] = np.where(false, 1.0, 0.0)
    _, claims = budget.step(factor, claims, p_value)
    return int(claims[..., 0].any(axis=1).sum())


@pytest.mark.parametrize("ties", ["strict", "paper"])
def test_passing_on_risk_stands_up_to_an_adversary(ties: str) -> None:
    errors = adversary(Holm(family=Family(k=8, baseline=0, ties=ties), alpha=ALPHA), 4000)

    assert_at_most(errors, 4000, ALPHA)
    assert_pinned(f"family-wise, holm, adversary, ties {ties}", [errors])


def test_the_adversary_finds_textbook_holm_invalid_for_directions() -> None:
    family = Family(k=8, baseline=0, ties="paper")

    errors = adversary(PairHolm(family=family, alpha=ALPHA), 4000)

    assert binomtest(errors, 4000, ALPHA, alternative="greater").pvalue < 1e-4
