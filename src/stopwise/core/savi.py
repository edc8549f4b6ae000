"""theta-SAVI: likelihood ratio against the closest null, for K ordered outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.futility import MayBeFutile
from stopwise.core.method import Citation
from stopwise.core.nscore import gap_and_variance
from stopwise.core.scores import LEVEL_TOLERANCE, level_values, require_whole
from stopwise.errors import require

MOST_LEVELS = 1001
PRIOR_WEIGHT = 3.0
# Far more steps than the solver needs; without convergence it does not bet, which is valid.
MOST_STEPS = 500


class SaviState(NamedTuple):
    """Posterior weights of both policies, and the likelihood ratios fixed for the next pair."""

    log_e: Floats
    intercept: Floats  # the next score c of policy 1 multiplies by intercept + slope * c
    slope: Floats
    weights0: Floats
    weights1: Floats


@dataclass(frozen=True, kw_only=True)
class Savi(MayBeFutile[SaviState]):
    """theta-SAVI: estimated likelihood over that of the null pair closest to it."""

    levels: int = 2  # equally spaced scores that occur (2: success or failure)
    level_values: Sequence[float] | None = None  # these scores themselves, instead of ``levels``

    name: ClassVar[str] = "savi"
    summary: ClassVar[str] = "theta-SAVI: likelihood ratio to the closest null, K ordered levels"
    citation: ClassVar[Citation] = Citation(
        "R. Turner and P. Grünwald",
        "Exact anytime-valid confidence intervals for contingency tables and beyond",
        "Statistics & Probability Letters 198",
        2023,
    )
    advice: ClassVar[str] = "a reference for independent trials scored by success or by few levels"
    scores: ClassVar[str] = "levels"
    takes_number: ClassVar[bool] = False
    inverts: ClassVar[bool] = True
    score_parameters: ClassVar[tuple[str, ...]] = ("level_values",)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self.levels, "levels", 2, MOST_LEVELS)
        require(
            self.margin + self._values[-1] - self._values[0] > LEVEL_TOLERANCE,
            "a margin as wide as the range of the levels makes the claim true of any scores",
        )

    @cached_property
    def _values(self) -> Floats:
        return level_values(self.levels, self.level_values, "level_values", MOST_LEVELS)

    def score_values(self) -> Floats:
        return self._values

    def start(self, shape: tuple[int, ...]) -> SaviState:
        k = self._values.size
        weights0 = np.full((*shape, k), 2.0 / k)
        weights1 = weights0.copy()
        weights0[..., 0] += 1.0
        weights1[..., -1] += 1.0
        fair = SaviState(np.zeros(shape), np.ones(shape), np.zeros(shape), weights0, weights1)
        return self._with_next_bet(fair)

    def step(self, state: SaviState, r0: Floats, r1: Floats) -> SaviState:
        level0, level1 = self._level(r0), self._level(r1)
        scores = self._values[level0], self._values[level1]
        ratio0, ratio1 = likelihood_ratios(state.intercept, state.slope, *scores, self.margin)
        return self._with_next_bet(
            state._replace(
                log_e=state.log_e + np.log(ratio0 * ratio1),
                weights0=_counted(state.weights0, level0),
                weights1=_counted(state.weights1, level1),
            )
        )

    def margin_fall(self, before: SaviState, after: SaviState, r0: Floats, r1: Floats) -> Floats:
        del after  # the likelihood ratios were fixed before the pair
        scores = self._values[self._level(r0)], self._values[self._level(r1)]
        ratio0, _ = likelihood_ratios(before.intercept, before.slope, *scores, self.margin)
        return before.slope / ratio0

    def _standardised(self, state: SaviState) -> tuple[Floats, Floats]:
        gap, variance = gap_and_variance(state.weights0, state.weights1, self._values)
        optimism = self._values[-1] - self._values[0]  # of the prior weights, see ``start``
        pairs = state.weights0.sum(axis=-1) - PRIOR_WEIGHT
        return pairs, (gap - optimism - pairs * self.margin) / np.sqrt(variance)

    def _level(self, scores: Floats) -> Ints:
        middles = 0.5 * (self._values[1:] + self._values[:-1])
        return np.searchsorted(middles, scores)

    def _with_next_bet(self, state: SaviState) -> SaviState:
        k = self._values.size
        intercept, slope = closest_null(
            state.weights0.reshape(-1, k),
            state.weights1.reshape(-1, k),
            self._values,
            self.margin,
            guess=(state.intercept.ravel(), state.slope.ravel()),
        )
        shape = state.log_e.shape
        return state._replace(intercept=intercept.reshape(shape), slope=slope.reshape(shape))


def _counted(weights: Floats, level: Ints) -> Floats:
    counted = weights.copy()
    k = weights.shape[-1]
    counted.reshape(-1)[np.arange(0, weights.size, k) + level.ravel()] += 1.0
    return counted


def likelihood_ratios(
    intercept: Floats, slope: Floats, score0: Floats, score1: Floats, margin: float
) -> tuple[Floats, Floats]:
    """Return p0/q0 at policy 0's score and p1/q1 at policy 1's."""
    return 2.0 - slope * margin - intercept - slope * score0, intercept + slope * score1


def closest_null(
    weights0: Floats, weights1: Floats, values: Floats, margin: float, guess: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Return (a, b) per row: the likelihood ratios to the closest null pair are affine.

    They maximise ``sum weights1 log(a + b c) + sum weights0 log(2 - b margin - a - b c)``. Divided
    by the least weight that is self-concordant, so Newton's method with steps shortened by the
    decrement stays feasible. Any (a, b) is valid, see docs/design/guarantees.md.
    """
    ones = np.ones_like(values)
    shifted = values + margin  # minus the derivative of the ratio of policy 0 by b
    basis1, basis0 = np.stack([ones, values, values**2]), np.stack([ones, shifted, shifted**2])
    intercept, slope = np.ones(len(weights0)), np.zeros(len(weights0))
    surplus = (weights1 * (values - margin)).sum(axis=-1) - (weights0 * values).sum(axis=-1)
    rows = np.flatnonzero(surplus > 0.0)
    a, b = guess[0][rows], guess[1][rows]
    least = np.minimum(weights0.min(axis=-1), weights1.min(axis=-1))
    for _ in range(MOST_STEPS):
        if not rows.size:
            break
        ratio0, ratio1 = likelihood_ratios(a[:, None], b[:, None], values, values, margin)
        share0, share1 = weights0[rows] / ratio0, weights1[rows] / ratio1
        gradient = _moments(share1, basis1[:2]) - _moments(share0, basis0[:2])
        curvature = _moments(share1 / ratio1, basis1) + _moments(share0 / ratio0, basis0)
        gradient_a, gradient_b = gradient.T
        curvature_aa, curvature_ab, curvature_bb = curvature.T
        determinant = curvature_aa * curvature_bb - curvature_ab**2
        step_a = (curvature_bb * gradient_a - curvature_ab * gradient_b) / determinant
        step_b = (curvature_aa * gradient_b - curvature_ab * gradient_a) / determinant
        gain = np.maximum(gradient_a * step_a + gradient_b * step_b, 0.0)
        decrement = np.sqrt(gain / least[rows])
        scale = np.where(decrement > 0.25, 1.0 / (1.0 + decrement), 1.0)
        a, b = a + scale * step_a, b + scale * step_b
        done = decrement <= 1e-4
        betting = done & (b > 0.0)
        intercept[rows[betting]], slope[rows[betting]] = a[betting], b[betting]
        rows, a, b = rows[~done], a[~done], b[~done]
    return intercept, slope


def _moments(weights: Floats, basis: Floats) -> Floats:
    moments: Floats = np.add.reduce(weights[:, None, :] * basis, axis=-1)
    return moments
