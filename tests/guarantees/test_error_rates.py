"""The promise: a policy that is not better is ever declared better with at most alpha.

Every study looks after each of 300 pairs. What each test would catch is shown at the end by
methods with one deliberate fault, which fail the same check.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import stopwise as sw
from stopwise.core.arrays import Floats, Ints
from stopwise.core.comparison import Comparison
from stopwise.core.method import Evidence, Method
from stopwise.core.nscore import NScore, NScoreState
from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.pair_rules import pair_rules
from stopwise.core.registry import find
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
    comparison = Comparison(pair_rules(alternative="two-sided", ties="paper", **settings))
    test, first = comparison.test, np.full((RUNS, 2), N + 1)
    state = test.start((RUNS, 2))
    for pair, (r0, r1) in enumerate(zip(*(own.T for own in null.scores(1)), strict=True), start=1):
        state = test.step(state, *comparison.directed(r0, r1))
        first = np.where((first > N) & test.evidence(state).rejected, pair, first)
    return first


@pytest.mark.parametrize("method", GENERAL)
def test_at_least_twelve_nulls_per_method(method: str) -> None:
    assert sum(case[0] == method for case in CASES) >= 12


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


@pytest.mark.parametrize("margin", [0.1, -0.1])
@pytest.mark.parametrize("method", GENERAL)
def test_margins_keep_the_error(method: str, margin: float) -> None:
    """True gap equal to the margin. Catches a margin of the wrong sign or scale."""
    rng = np.random.default_rng(4)
    scores0 = (rng.random((RUNS, N)) < 0.5) * 8.0 - 2.0
    scores1 = (rng.random((RUNS, N)) < 0.5 + margin) * 8.0 - 2.0

    sim = sw.simulate(
        method,
        scores0,
        scores1,
        bounds=(-2, 6),
        margin=8 * margin,
        workers=1,
        alternative="greater",
    )

    errors = int((sim.decision == 1).sum())
    assert_at_most(errors, RUNS, ALPHA)
    assert_pinned(f"{method}, gap equal to margin {margin}", [errors])


@pytest.mark.parametrize("name", ["bernoulli .5", "certain against even odds", "opposed outcomes"])
def test_extending_a_planned_study_keeps_the_error(name: str) -> None:
    """Bets stay predictable after n_max, where the plan has spent its evidence."""
    method = NScorePlus(n_max=N // 3, design=NULLS[name].design)

    errors = _errors(method, NULLS[name])

    assert_at_most(errors, RUNS, ALPHA)
    assert_pinned(f"nscore-plus extended to three times n_max, {name}", [errors])


def _extended_errors(null: Null, *, anew: bool = False) -> int:
    """Return the errors of studies that are extended twice, each time only if there is hope.

    ``anew`` is a sabotage: the extension is a test of its own, with fresh wealth.
    """
    scores0, scores1 = null.scores(1)
    method = NScorePlus(n_max=N // 6, design=null.design)
    state = method.start((RUNS,))
    rejected, going = np.zeros(RUNS, dtype=bool), np.ones(RUNS, dtype=bool)
    for column in range(N):
        if column == method.n_max:
            # As a user would: what looks hopeless is given up.
            going &= state.log_e > np.quantile(state.log_e[going], 0.2)
            method = replace(method, n_max=N // 2 if column < N // 2 else N)
            state = method.start((RUNS,)) if anew else state
        state = method.step(state, scores0[:, column], scores1[:, column])
        rejected |= going & method.evidence(state).rejected
    return int(rejected.sum())


@pytest.mark.parametrize("name", ["bernoulli .5", "certain against even odds", "opposed outcomes"])
def test_extensions_that_answer_to_the_data_keep_the_error(name: str) -> None:
    """Planned anew for the new n_max, from the wealth at hand. Catches wealth given back."""
    errors = _extended_errors(NULLS[name])

    assert_at_most(errors, RUNS, ALPHA)
    assert_pinned(f"nscore-plus, extended twice where there is hope, {name}", [errors])


def test_an_extension_with_fresh_wealth_is_found_out() -> None:
    """Sabotage: a study that failed is begun anew under the same alpha."""
    errors = _extended_errors(NULLS["bernoulli .5"], anew=True)

    assert binomtest(errors, RUNS, ALPHA, alternative="greater").pvalue < 1e-4


class PeekingNScore(NScore):
    """Sabotage: the bet is chosen after its own pair was seen."""

    def step(self, state: NScoreState, r0: Floats, r1: Floats) -> NScoreState:
        after = super().step(state, r0, r1)
        return after._replace(log_e=state.log_e + np.log1p(after.bet * (r1 - r0)))


class GenerousNScore(NScore):
    """Sabotage: the threshold is 1/(4 alpha)."""

    def evidence(self, state: NScoreState) -> Evidence:
        honest = super().evidence(state)
        return honest._replace(rejected=honest.p_value <= 4 * self.alpha)


class ShiftedNScore(NScore):
    """Sabotage: the increment tests the wrong null mean, off by .1."""

    def step(self, state: NScoreState, r0: Floats, r1: Floats) -> NScoreState:
        after = super().step(state, r0, r1)
        return after._replace(log_e=state.log_e + np.log1p(state.bet * (r1 - r0 + 0.1)))


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (PeekingNScore(), "bernoulli .5"),
        (GenerousNScore(), "bernoulli .5"),
        (ShiftedNScore(), "bernoulli .5"),
        # Not sabotages but the reason why dependent pairs must be declared as paired.
        (Savi(), "opposed outcomes"),
        (NScorePlus(n_max=N), "opposed outcomes"),
    ],
)
def test_the_check_can_fail(method: Method[Any], name: str) -> None:
    """Each fault is found by the very check that the honest methods pass."""
    errors = _errors(method, NULLS[name])

    assert binomtest(errors, RUNS, ALPHA, alternative="greater").pvalue < 1e-4


@pytest.mark.parametrize("ties", ["strict", "paper"])
def test_a_forgotten_split_shows_on_the_tightest_tie(ties: str) -> None:
    """The paper's convention, which does not split alpha, fails the check that strict passes."""
    scores = NULLS["opposed rare outcomes"].scores(7, runs=10_000)

    sim = sw.simulate(
        "nscore", *scores, alpha=0.2, design="paired", alternative="two-sided", ties=ties, workers=1
    )

    errors = int((sim.decision != -1).sum())
    implausible = binomtest(errors, 10_000, 0.2, alternative="greater").pvalue < 1e-4
    assert implausible == (ties == "paper")


def _errors(method: Method[Any], null: Null) -> int:
    scores0, scores1 = null.scores(1)
    state = method.start((RUNS,))
    rejected = np.zeros(RUNS, dtype=bool)
    for column in range(N):
        state = method.step(state, scores0[:, column], scores1[:, column])
        rejected |= method.evidence(state).rejected
    return int(rejected.sum())
