"""``nscore-plus``: a stronger increment, bets that assume an effect, and a plan for the horizon.

Evidence is a product of predictable e-values, so the test is valid at every stopping time whatever
the bets are; ``docs/design/nscore-plus.md`` has the proof. Design "independent" multiplies by
``(1 + bet (r1 - m1)) (1 - bet (r0 - m0))`` with ``m1 = m0 + margin``, design "paired" by
``1 + bet (r1 - r0 - margin)``. Bets come from the table of ``core.horizon`` while a declared
``n_max`` lies ahead, and from the posterior mean effect otherwise.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri

from stopwise.core.arrays import Floats
from stopwise.core.horizon import (
    GREATEST,
    LEAST,
    NEED_POINTS,
    SOFTENING,
    STATISTIC,
    need_index,
    plan,
)
from stopwise.core.method import Evidence, Method, evidence_from_log_e

__all__ = ["NScorePlus", "PlusState"]

# Share of the largest bet that keeps the increment nonnegative; below 1: no single pair ruins.
CLIP = 0.99
# Prior scores per policy at the middle of the range, for scores as noisy as binary ones; low-noise
# scores get proportionally fewer, for there a few scores already fix the mean.
MEAN_PRIOR = 3.0
# The spread (variance over its maximum at that mean) starts as SPREAD_PRIOR scores of spread
# SPREAD: near 1 as binary scores have, and light, so that a few pairs show low-noise returns.
SPREAD_PRIOR, SPREAD = 0.5, 0.8
# Few pairs underestimate the spread as often as they overestimate it, but only the former ruins:
# raise it by this share over (pairs + 1).
CAUTION = 0.5
# Prior differences of the paired design and their second moment.
PAIRED_PRIOR, PAIRED_MOMENT = 1.5, 0.25
# The spread around a common mean contains the effect itself, which is noise to binary scores but
# not to scores with little noise; take half of it out.
SIGNAL_SHARE = 0.5
# Least effect per pair considered when no horizon is declared: it needs about 10^4 pairs.
LEAST_WITHOUT_HORIZON = 0.025
EFFECTS_WITHOUT_PLAN = 24
# Share of the squared effect that counts as noise in the growth bet: the rest is in sigma already.
EFFECT_AS_NOISE = 0.5


def _between(value: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """Clip; np.clip costs several times as much on the short arrays of a live stream."""
    return np.minimum(np.maximum(value, low), high)


@lru_cache(maxsize=64)
def _effects(n_max: int | None) -> Floats:
    """Return the log-uniform grid of effects of the growth bet."""
    least = LEAST_WITHOUT_HORIZON if n_max is None else LEAST / float(np.sqrt(n_max))
    return np.geomspace(least, max(GREATEST, 1.5 * least), EFFECTS_WITHOUT_PLAN)


class PlusState(NamedTuple):
    """Sums over the pairs seen; with a margin, scores of policy 1 are shifted by it."""

    pairs: Floats
    sum0: Floats
    sum1: Floats
    square: Floats  # of both policies' scores, or of the differences in the paired design
    wins: Floats  # pairs with a positive difference: number, sum and sum of squares
    win_sum: Floats
    win_square: Floats
    log_e: Floats


class _Bet(NamedTuple):
    amount: Floats
    centre0: Floats  # m0; m1 is m0 + margin


@dataclass(frozen=True, kw_only=True)
class NScorePlus(Method[PlusState]):
    """Sequential test that spends its evidence by a plan for the declared horizon.

    Parameters
    ----------
    deadline : bool
        Plan for ``n_max``: raise power there by spending evidence there. False bets for growth, as
        a study without end does; choose it where the study may be extended.
    """

    name: ClassVar[str] = "nscore-plus"
    summary: ClassVar[str] = "product increment, bets planned for the declared horizon"
    designs: ClassVar[tuple[str, ...]] = ("independent", "paired")

    deadline: bool = True

    def start(self, shape: tuple[int, ...]) -> PlusState:
        """State before the first pair."""
        return PlusState(*(np.zeros(shape) for _ in PlusState._fields))

    def step(self, state: PlusState, r0: Floats, r1: Floats) -> PlusState:
        """State after one more pair; the bet uses only the state before it."""
        bet = self._bet(state)
        shifted1 = r1 - self.margin
        difference = shifted1 - r0
        if self.design == "paired":
            factor = 1 + bet.amount * difference
            square = difference**2
        else:
            # r1 - m1 = (r1 - margin) - m0
            factor = 1 + bet.amount * (shifted1 - bet.centre0)
            factor = factor * (1 - bet.amount * (r0 - bet.centre0))
            square = r0**2 + shifted1**2
        win = np.maximum(difference, 0.0)
        return PlusState(
            state.pairs + 1,
            state.sum0 + r0,
            state.sum1 + shifted1,
            state.square + square,
            state.wins + (difference > 0),
            state.win_sum + win,
            state.win_square + win**2,
            state.log_e + np.log(factor),
        )

    def evidence(self, state: PlusState) -> Evidence:
        """Return the e-process and its verdict on the null hypothesis."""
        return evidence_from_log_e(state.log_e, self.alpha)

    def _bet(self, state: PlusState) -> _Bet:
        need = -np.log(self.alpha) - state.log_e
        if self.design == "paired":
            sigma = self._paired_sigma(state)
            mean0 = mean1 = np.zeros_like(sigma)
        else:
            sigma, mean0, mean1 = self._independent_moments(state)
        standardised = (state.sum1 - state.sum0) / sigma
        amount: Floats = self._standardised_bet(state.pairs, standardised, need) / sigma
        if self.design == "paired":
            amount = _between(amount, 0.0, CLIP / (1 + self.margin))
            return _Bet(np.minimum(amount, self._cap(state, need, mean0)), mean0)
        centre0 = self._centre(mean0, mean1, amount)
        # Validity rests on this line: no bet below 0, none that could make a factor negative.
        amount = _between(amount, 0.0, CLIP / np.maximum(centre0 + self.margin, 1 - centre0))
        # second-order term of the largest win, r0 = 0 and r1 = 1, relative to its square
        product = centre0 * (1 - centre0 - self.margin) / (1 - self.margin) ** 2
        return _Bet(np.minimum(amount, self._cap(state, need, product)), centre0)

    def _independent_moments(self, state: PlusState) -> tuple[Floats, Floats, Floats]:
        """Return the deviation of a difference under the null, and both (shifted) means."""
        n = state.pairs
        low, high = max(0.0, -self.margin), min(1.0, 1.0 - self.margin)
        middle = 0.5 * (1 - self.margin)
        pooled = (state.sum0 + state.sum1) / np.maximum(2 * n, 1.0)
        scatter = np.maximum(state.square - 2 * n * pooled**2, 0.0)
        prior = SPREAD_PRIOR / 4
        most = n * self._largest_variance(_between(pooled, low, high))
        spread = (scatter + SPREAD * prior) / (most + prior) * (1 + CAUTION / (n + 1))
        spread = np.minimum(spread, 1.0)
        weight = MEAN_PRIOR * spread
        mean0 = (state.sum0 + weight * middle) / (n + weight)
        mean1 = (state.sum1 + weight * middle) / (n + weight)
        centre = self._inside(0.5 * (mean0 + mean1))
        variance = spread * self._largest_variance(centre)
        signal = SIGNAL_SHARE * np.minimum(0.5 * (mean1 - mean0) ** 2, variance)
        return np.sqrt(variance - signal), mean0, mean1

    def _largest_variance(self, centre0: Floats) -> Floats:
        """Of a difference of scores with means m0 and m0 + margin: both binary."""
        centre1 = centre0 + self.margin
        return centre0 * (1 - centre0) + centre1 * (1 - centre1)

    def _inside(self, centre0: Floats) -> Floats:
        """Keep m0 and m0 + margin strictly inside the range of scores."""
        low, high = max(0.0, -self.margin), min(1.0, 1.0 - self.margin)
        edge = 1e-4 * (high - low)
        return _between(centre0, low + edge, high - edge)

    def _centre(self, mean0: Floats, mean1: Floats, amount: Floats) -> Floats:
        """Centre between the means; nearer to where bets may be large if the bet asks for it."""
        half = 0.5 * (1 - self.margin)  # here m1 = 1 - m0 and the bound on the bet is largest
        centre = 0.5 * (mean0 + mean1)
        nearest = np.minimum(np.maximum(half, np.minimum(mean0, mean1)), np.maximum(mean0, mean1))
        room = CLIP / np.maximum(amount, 1e-12)  # the bet fits while m1 and 1 - m0 are below this
        upper = np.maximum(nearest, np.minimum(centre, np.maximum(room - self.margin, half)))
        lower = np.minimum(nearest, np.maximum(centre, np.minimum(1 - room, half)))
        return self._inside(np.where(centre > half, upper, lower))

    def _paired_sigma(self, state: PlusState) -> Floats:
        weight = state.pairs + PAIRED_PRIOR
        moment = (state.square + PAIRED_PRIOR * PAIRED_MOMENT) / weight
        # nonnegative: the squared mean is at most the second moment
        return np.sqrt(moment - SIGNAL_SHARE * ((state.sum1 - state.sum0) / weight) ** 2)

    def _cap(self, state: PlusState, need: Floats, product: Floats) -> Floats:
        """Largest useful bet: a win of usual size already reaches the threshold."""
        wins = np.maximum(state.wins, 1.0)
        mean = state.win_sum / wins
        deviation = np.sqrt(np.maximum(state.win_square / wins - mean**2, 0.0))
        usual = mean * wins / (wins + 1) - deviation
        missing = np.expm1(_between(need, 1e-6, 50.0))
        root = np.sqrt(usual**2 + 4 * usual**2 * product * missing)
        cap = 2 * missing / np.maximum(usual + root, 1e-12)
        # no wins seen, sizes too different, or already decided: no cap
        return np.where((state.wins > 0) & (usual > 0) & (need > 0), cap, np.inf)

    def _standardised_bet(self, pairs: Floats, standardised: Floats, need: Floats) -> Floats:
        if self.n_max is None or not self.deadline:
            return self._growth_bet(pairs, standardised, need)
        planned = (pairs < self.n_max) & (need > 0)
        bet = self._planned_bet(np.minimum(pairs, self.n_max - 1), standardised, need)
        if np.all(planned):
            return bet
        return np.where(planned, bet, self._growth_bet(pairs, standardised, need))

    def _planned_bet(self, pairs: Floats, standardised: Floats, need: Floats) -> Floats:
        assert self.n_max is not None
        table = plan(self.alpha, self.n_max, self.design)
        width = STATISTIC[1] - STATISTIC[0]
        statistic = (standardised / np.sqrt(pairs + SOFTENING) - STATISTIC[0]) / width
        statistic = _between(statistic, 0.0, STATISTIC.size - 1)
        remaining = need_index(need, table.need_max)
        i = np.minimum(statistic.astype(np.intp), STATISTIC.size - 2)
        j = np.minimum(remaining.astype(np.intp), NEED_POINTS - 2)
        a, b = statistic - i, remaining - j
        at = (table.row[pairs.astype(np.intp)] * STATISTIC.size + i) * NEED_POINTS + j
        bets = table.bet.reshape(-1)
        low = bets[at] * (1 - b) + bets[at + 1] * b
        high = bets[at + NEED_POINTS] * (1 - b) + bets[at + NEED_POINTS + 1] * b
        bet: Floats = low * (1 - a) + high * a
        return bet

    def _growth_bet(self, pairs: Floats, standardised: Floats, need: Floats) -> Floats:
        """Posterior mean effect, given that there is one; never more than one step can use."""
        theta = _effects(self.n_max)
        exponent = theta * standardised[..., None] - 0.5 * theta**2 * pairs[..., None]
        weights = np.exp(exponent - exponent.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        # Greatest expected log-growth to second order: a broad posterior bets less than its mean.
        effect, squared = (weights * theta).sum(axis=-1), (weights * theta**2).sum(axis=-1)
        bet: Floats = effect / (1 + EFFECT_AS_NOISE * squared)
        # the bet that replicates "reject if the next step is large enough" at the present wealth
        quantile = ndtri(np.exp(-_between(need, 1e-9, 300.0)))
        last = np.exp(-0.5 * quantile**2 - log_ndtr(quantile)) / np.sqrt(2 * np.pi)
        return np.asarray(np.where(need > 0, np.minimum(bet, last), bet), dtype=np.float64)
