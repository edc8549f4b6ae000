"""Every bet is fair: under the null hypothesis no factor has a mean above 1, whatever was seen.

With a claim at 1/alpha and not before, that is the whole proof of a level (Ville's inequality), at
every null: of any scores, that change with time or with the past. Nothing is left to chance here.

A factor is a function of the two scores of a pair. It is straight in each of them, so its mean over
independent scores is its value at the two means; in the paired design it is a straight function of
their difference alone, so its mean is its value at the difference of means.
"""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.method import Method
from stopwise.core.nscore import NScore, NScoreState
from stopwise.core.nscore_plus import NScorePlus, bets
from stopwise.core.readings.rounds import RoundsTest
from stopwise.core.registry import create, find

ALPHA = 0.05
GRID = np.linspace(0.0, 1.0, 21)
LEVELS = (0.0, 0.25, 0.5, 1.0)
HISTORIES = 6  # of each kind
PAIRS = 24
# By name: how scores of both policies are drawn, so that states of all kinds are reached.
DRAWS: dict[str, Any] = {
    "even": lambda rng, size: rng.choice(LEVELS, size),
    "won": lambda rng, size: np.stack([np.zeros(size[1]), rng.choice(LEVELS[2:], size[1])]),
    "rare losses": lambda rng, size: (rng.random(size) < [[0.1], [0.95]]) * 1.0,
    "equal": lambda _, size: np.full(size, 0.5),
}


def drawn(rng: np.random.Generator) -> Floats:
    """Return one more pair of scores (2, histories) in histories of each kind."""
    return np.concatenate(
        [draw(rng, (2, HISTORIES)) + np.zeros((2, 1)) for draw in DRAWS.values()], axis=1
    )


CASES = [
    (name, design, margin)
    for name in ("nscore-plus", "nscore-plus, n_max", "nscore", "wsr", "savi")
    for design in ("independent", "paired")
    for margin in (0.0, 0.1, -0.1)
    if design in find(name.split(",")[0]).designs
]


def method_of(name: str, design: str, margin: float, **settings: Any) -> Method[Any]:
    method = name.split(",", maxsplit=1)[0]
    own: dict[str, Any] = {"level_values": LEVELS} if method == "savi" else {}
    n_max = PAIRS - 6 if "n_max" in name else None
    common = {"alpha": ALPHA, "n_max": n_max, "design": design, "margin": margin, **settings}
    return create(method, parameters=own, **common)


def factors(method: Method[Any], state: Any, r0: Floats, r1: Floats) -> Floats:
    """Return the factor of each pair of scores (axis 0), in each of the states (axis 1)."""
    before = method.evidence(state).log_e
    grown = [
        method.evidence(method.step(state, *np.broadcast_arrays(*both, before)[:2])).log_e
        for both in zip(r0, r1, strict=True)
    ]
    found: Floats = np.exp(np.stack(grown) - before)
    return found


def assert_fair(method: Method[Any]) -> None:
    """Fail unless each bet is fair in every state that any of the histories leads to."""
    rng = np.random.default_rng(5)
    state = method.start((len(DRAWS) * HISTORIES,))
    # Savi takes no scores between its levels: it is straight between the outermost.
    known = np.array([0.0, 1.0]) if method.name == "savi" else np.array([0.0, 0.3, 0.7, 1.0])
    r0, r1 = (part.ravel() for part in np.meshgrid(known, known))
    edge = GRID[(GRID + method.margin >= 0) & (GRID + method.margin <= 1)]
    for pair in range(PAIRS):
        found = factors(method, state, r0, r1)
        assert found.min() >= 0, "a factor is negative"
        corners = factors(method, state, np.array([0.0, 0, 1, 1]), np.array([0.0, 1, 0, 1]))
        apart = np.stack([(1 - r0) * (1 - r1), (1 - r0) * r1, r0 * (1 - r1), r0 * r1])
        np.testing.assert_allclose(found, apart.T @ corners, atol=1e-9)
        means = (
            np.stack([1 - edge, edge]),
            np.stack([1 - edge - method.margin, edge + method.margin]),
        )
        weights = np.stack([means[0][i] * means[1][j] for i in (0, 1) for j in (0, 1)])
        assert (weights.T @ corners).max() <= 1 + 1e-9, f"a mean is above 1 after {pair} pairs"
        if method.design == "paired":  # a function of the difference alone
            np.testing.assert_allclose(corners[0], corners[3], atol=1e-9)
            np.testing.assert_allclose(corners[0] - corners[2], corners[1] - corners[0], atol=1e-9)
        state = method.step(state, *drawn(rng))


@pytest.mark.parametrize(("name", "design", "margin"), CASES)
def test_no_factor_has_a_mean_above_1(name: str, design: str, margin: float) -> None:
    assert_fair(method_of(name, design, margin))


@pytest.mark.parametrize("margin", [0.1, 0.3])
@pytest.mark.parametrize("name", ["nscore-plus", "nscore-plus, n_max", "nscore", "wsr"])
def test_bets_on_sameness_are_fair(name: str, margin: float) -> None:
    method = method_of(name, "paired", 0.0).not_worse(ALPHA, margin)
    assert (method.margin, method.alpha) == (-margin, ALPHA)
    assert_fair(method)


@pytest.mark.parametrize("number", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("name", ["nscore-plus", "nscore-plus, n_max", "nscore", "wsr"])
def test_bets_beside_a_number_are_fair(name: str, number: float) -> None:
    method = method_of(name, "paired", 0.0, number=(number,))
    rng = np.random.default_rng(6)
    state = method.start((HISTORIES, 1))
    for pair in range(PAIRS):
        scores = np.array([0.0, 0.3, number, 1.0])[:, None]
        found = factors(method, state, np.full_like(scores, number), scores)
        assert found.min() >= 0
        straight = found[0] + (found[-1] - found[0]) * scores[..., None]
        np.testing.assert_allclose(found, straight, atol=1e-9)
        assert found[2].max() <= 1 + 1e-9, f"a mean is above 1 after {pair} scores"
        scores = DRAWS["rare losses"](rng, (2, HISTORIES))[1][:, None]
        state = method.step(state, np.full_like(scores, number), scores)


@pytest.mark.parametrize("name", ["nscore-plus", "nscore", "wsr", "savi", "nscore-plus, n_max"])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.0125])
def test_nothing_is_rejected_before_the_evidence_is_there(name: str, alpha: float) -> None:
    """A claim falls when the product of all factors reaches 1/alpha; wsr starts with half."""
    method = method_of(name, "independent", 0.0, alpha=alpha)
    rng = np.random.default_rng(7)
    state = method.start((2000,))
    first = 0.5 if name == "wsr" else 1.0
    assert np.exp(method.evidence(state).log_e) == pytest.approx(np.full(2000, first))
    near = 0
    for _ in range(PAIRS):
        state = method.step(state, *DRAWS["rare losses"](rng, (2, 2000)))
        found = method.evidence(state)
        product = np.exp(found.log_e)
        assert np.array_equal(found.rejected, product >= 1 / alpha)
        np.testing.assert_allclose(found.p_value, np.minimum(1 / product, 1.0), rtol=1e-9)
        near += int(((product < 1 / alpha) & (product > 1 / (1.1 * alpha))).sum())

    assert near, "an alpha larger by a tenth would not show"


def test_bets_held_through_rounds_are_fair() -> None:
    """Over all outcomes of a round of two tasks, on which the policies trade an advantage."""
    method = RoundsTest(alpha=ALPHA, weights=(0.5, 0.5))
    rng = np.random.default_rng(9)
    state = method.start((HISTORIES,))
    outcomes = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
    for _ in range(PAIRS):
        grown = [
            np.exp(method.step(state, 1 - r1, r1).log_e - state.log_e) for r1 in rows(outcomes)
        ]
        for gap in (-0.6, 0.0, 0.6):
            chances = 0.5 + np.array([0, gap, -gap]) * (outcomes - 0.5)
            assert (chances.prod(axis=1) @ np.array(grown)).max() <= 1 + 1e-9
        won = (rng.random((3, HISTORIES)) < [[0.5], [0.8], [0.4]]) * 1.0
        state = method.step(state, 1 - won, won)


def rows(outcomes: Floats) -> Floats:
    """Return each outcome (kinds) as one of all histories."""
    return np.repeat(outcomes[..., None], HISTORIES, axis=-1)


Given = tuple[float | None, float | None, float, float]  # scores of both, and what a proxy says


def grown(text: str, pair: Given) -> float:
    """Return the factor by which a pair changes the wealth of a saved test."""
    test = sw.SequentialTest.from_json(text)
    before = test.verdict.log_e
    after = test.update(*pair[:2], proxy=pair[2:]).log_e
    assert before is not None
    assert after is not None
    return math.exp(after - before)


def states(**settings: Any) -> Iterator[str]:
    """Yield tests with a proxy that is right in nine of ten pairs, saved at some of the pairs."""
    rng = np.random.default_rng(8)
    test = sw.SequentialTest(alternative="greater", alpha=1e-9, design="paired", **settings)
    for pair in range(25):
        if pair in (0, 1, 4, 12, 24):
            yield test.to_json()
        r0, r1 = (rng.random(2) < (0.4, 0.8)) * 1.0
        g0, g1 = np.where(rng.random(2) < 0.9, (r0, r1), rng.random(2))
        asked = "audit" not in settings or rng.random() < settings["audit"]
        test.update(*((r0, r1) if asked else (None, None)), proxy=(g0, g1))


CORNERS: list[Any] = list(itertools.product((0.0, 1.0), repeat=4))


@pytest.mark.parametrize("margin", [0.0, 0.1, -0.1])
@pytest.mark.parametrize("mean", [0.0, 0.2, -0.4])
def test_bets_with_a_proxy_are_fair(margin: float, mean: float) -> None:
    """A factor is straight in the differences of scores and proxy: their means tell its mean."""
    for text in states(proxy_mean=mean, margin=margin):
        found = {pair: grown(text, pair) for pair in CORNERS}
        nothing = found[0, 0, 0, 0]
        by_score, by_proxy = found[0, 1, 0, 0] - nothing, found[0, 0, 0, 1] - nothing
        for (r0, r1, g0, g1), factor in found.items():
            assert factor > 0
            straight = nothing + by_score * (r1 - r0) + by_proxy * (g1 - g0)
            assert factor == pytest.approx(straight, abs=1e-9)
        assert nothing + by_score * margin + by_proxy * mean <= 1 + 1e-9


@pytest.mark.parametrize("chance", [0.2, 0.7])
def test_bets_with_a_judge_are_fair(chance: float) -> None:
    """On average over the lot, whatever the judge says, a factor is straight in what people say."""
    for text in states(audit=chance):
        for g0, g1 in itertools.product((0.0, 1.0), repeat=2):
            unasked = grown(text, (None, None, g0, g1))
            means = {
                r1 - r0: chance * grown(text, (r0, r1, g0, g1)) + (1 - chance) * unasked
                for r0, r1 in ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0))
            }
            assert means[0] <= 1 + 1e-9
            assert means[-1] + means[1] == pytest.approx(2 * means[0], abs=1e-9)


@pytest.mark.parametrize("design", ["independent", "paired"])
@pytest.mark.parametrize("margin", [0.0, 0.2, -0.2])
def test_bets_are_fair_however_much_is_wanted(
    design: str, margin: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than everything on each pair: validity must not depend on what is wanted."""
    monkeypatch.setattr(bets, "rare_failures", lambda amount, *_: np.full_like(amount, 100.0))
    assert_fair(NScorePlus(alpha=ALPHA, n_max=PAIRS, design=design, margin=margin))


class Peeking(NScore):
    """Sabotage: the bet is chosen after its own pair was seen."""

    def step(self, state: NScoreState, r0: Floats, r1: Floats) -> NScoreState:
        after = super().step(state, r0, r1)
        return after._replace(log_e=state.log_e + np.log1p(after.bet * (r1 - r0)))


class Shifted(NScore):
    """Sabotage: the null mean is off by .001."""

    def step(self, state: NScoreState, r0: Floats, r1: Floats) -> NScoreState:
        after = super().step(state, r0, r1)
        return after._replace(log_e=state.log_e + np.log1p(state.bet * (r1 - r0 + 0.001)))


class Generous(NScore):
    """Sabotage: a factor is 1 % too large."""

    def step(self, state: NScoreState, r0: Floats, r1: Floats) -> NScoreState:
        after = super().step(state, r0, r1)
        return after._replace(log_e=after.log_e + 0.01)


@pytest.mark.parametrize("fault", [Peeking(), Shifted(), Generous()])
def test_unfair_bets_would_be_found(fault: Method[Any]) -> None:
    with pytest.raises(AssertionError):
        assert_fair(fault)


def test_bets_of_the_independent_design_are_unfair_to_pairs() -> None:
    """Not a sabotage but the reason why dependent pairs must be declared as paired."""
    method = NScorePlus(alpha=ALPHA)
    object.__setattr__(method, "design", "independent")
    state = method.start((HISTORIES,))
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(PAIRS):
        opposed = factors(method, state, np.array([0.0, 1.0]), np.array([1.0, 0.0]))
        worst = max(worst, float(opposed.mean(axis=0).max()))
        state = method.step(state, *DRAWS["won"](rng, (2, HISTORIES)))

    assert worst > 1.01
