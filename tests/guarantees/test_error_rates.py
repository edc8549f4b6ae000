"""The promise: a policy that is not better is ever declared better with at most alpha.

Every study looks after each of 300 pairs. What each test would catch is shown at the end by
methods with one deliberate fault, which fail the same check.
"""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import stopwise as sw
from stopwise.core.arrays import Floats, Ints
from stopwise.core.method import Method
from stopwise.core.nscore import NScore, NScoreState
from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.pair_test import PairTest
from stopwise.core.registry import find
from stopwise.core.rules import pair_rules
from stopwise.core.savi import Savi
from tests.guarantees.nulls import BINARY, NULLS, RUNS, N, Null
from tests.guarantees.pinned import assert_at_most, assert_pinned

pytestmark = pytest.mark.slow(
    "2,000 studies at each of 18 nulls: adds scores of all kinds to the exact tests of bets"
)

ALPHA = 0.05
GENERAL = ("nscore-plus", "nscore", "wsr", "savi")


def covered(method: str, null: Null) -> bool:
    """Whether the method's proof covers this null, and it accepts such scores."""
    if null.design not in sw.methods()[method].designs:
        return False
    if method == "step":
        return null.levels == BINARY and null.stationary
    return method != "savi" or null.levels is not None


CASES = [
    (method, name)
    for method in (*GENERAL, "step")
    for name, null in NULLS.items()
    if covered(method, null)
]


def rejected_at(method: str, null: Null) -> Ints:
    """Return after how many pairs each direction is rejected, more than N for never: (runs, 2).

    Each is tested at ALPHA by itself, so that the counts of all alternatives follow from these.
    """
    own: dict[str, Any] = {"level_values": null.levels} if method == "savi" else {}
    if method in ("nscore-plus", "step"):
        own = {"n_max": N}  # with it they plan for the deadline, and spend what they have there
    settings = {"method": method, "design": null.design, "alpha": ALPHA, **own}
    comparison = PairTest(pair_rules(alternative="two-sided", ties="paper", **settings))
    test, first = comparison.test, np.full((RUNS, 2), N + 1)
    state = test.start((RUNS, 2))
    for pair, (r0, r1) in enumerate(zip(*(own.T for own in null.scores(1)), strict=True), start=1):
        state = test.step(state, *comparison.directed(r0, r1))
        first = np.where((first > N) & test.evidence(state).rejected, pair, first)
    return first


@pytest.mark.parametrize(("method", "name"), CASES)
def test_errors_are_at_most_alpha(method: str, name: str) -> None:
    """Of each direction by itself, of the first of both, and with strict ties of either.

    Catches a mirrored direction that is not the mirror image, or shares its bet.
    """
    null, first = NULLS[name], rejected_at(method, NULLS[name])
    better, worse = (int(own.sum()) for own in (first <= N).T)
    either = int((first[:, 0] != first[:, 1]).sum())

    assert_at_most(better, RUNS, ALPHA)
    if null.tie:
        assert_at_most(worse, RUNS, ALPHA)
        both = 1 if find(method).splits_itself else 2
        assert_at_most(either, RUNS, both * ALPHA)
    assert_pinned(f"{method}, {name}", [better, worse, either])


class PeekingNScore(NScore):
    """Sabotage: the bet is chosen after its own pair was seen."""

    def step(self, state: NScoreState, r0: Floats, r1: Floats) -> NScoreState:
        after = super().step(state, r0, r1)
        return after._replace(log_e=state.log_e + np.log1p(after.bet * (r1 - r0)))


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (PeekingNScore(), "bernoulli .5"),
        # Not sabotages but the reason why dependent pairs must be declared as paired.
        (Savi(), "opposed outcomes"),
        (NScorePlus(n_max=N), "opposed outcomes"),
    ],
)
def test_the_check_can_fail(method: Method[Any], name: str) -> None:
    """Each fault is found by the very check that the honest methods pass."""
    errors = _errors(method, NULLS[name])

    assert binomtest(errors, RUNS, ALPHA, alternative="greater").pvalue < 1e-4


def _errors(method: Method[Any], null: Null) -> int:
    scores0, scores1 = null.scores(1)
    state = method.start((RUNS,))
    rejected = np.zeros(RUNS, dtype=bool)
    for column in range(N):
        state = method.step(state, scores0[:, column], scores1[:, column])
        rejected |= method.evidence(state).rejected
    return int(rejected.sum())
