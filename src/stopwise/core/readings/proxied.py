"""``nscore-plus`` in the paired design, with a proxy: a cheap score of the same scene."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from stopwise.core.arrays import Floats, between, greatest
from stopwise.core.confidence import Bet
from stopwise.core.method import Method
from stopwise.core.nscore_plus import bets
from stopwise.core.nscore_plus.bets import RENEWAL_PAIRS, SHOWN_WEIGHT
from stopwise.core.nscore_plus.estimates import Estimates, PlusState, Sums
from stopwise.core.nscore_plus.growth import BOUND_SHARE
from stopwise.core.nscore_plus.method import NScorePlus

# Tuned; any value is valid. Raise the edition of the method when you change one.
PROXY_PAIRS = 2.0  # prior pairs in which it says nothing
PROXY_DOUBT = 0.4  # share explained, times pairs, below which it has no weight
HOPED_DEVIATIONS = 1.0  # by which the effect may lie above what was shown
NOISY_DEVIATIONS = 3.0  # so many fewer with scores of spread 1
MOST_WEIGHT = 2.0
MOST_EXPLAINED = 0.98  # of the variance
WEIGHT_STEPS = 4  # steps of the weight that are tried
TINY = 1e-12


class ProxiedState(NamedTuple):
    """The state of ``nscore-plus``, then sums of what the proxy says, and its weight."""

    sums: Sums
    log_e: Floats
    bet: Bet
    hint: Floats  # sum of g1 - g0 less its mean, or that of the pair's batch of scenes
    hint_square: Floats
    product: Floats  # of the difference of scores and the hint
    weight: Floats  # of the bet that was last computed
    mean: Floats  # that of g1 - g0, as the direction sees it; with batches a guess of it
    row: Floats  # of the batches


@dataclass(frozen=True, kw_only=True)
class Proxied(NScorePlus):
    """The test whose scores come with those of a proxy, along a first axis."""

    # For each direction of each pair, the mean of g1 - g0 as it sees it.
    proxy_means: tuple[tuple[float, ...], ...]
    # With a judge, the chance that a pair is audited: then scores are 0 in the others, and g1 - g0
    # is what the judge says times (audited - chance).
    audit: float | None = None
    # If the mean is not known, for each direction of each pair, the mean of g1 - g0 in a batch of
    # simulated scenes for each pair of trials; the first is the guess for all others.
    proxy_batches: tuple[tuple[tuple[float, ...], ...], ...] = ()

    held, leap, learn = Method.held, Method.leap, Method.learn

    @cached_property
    def _batches(self) -> Floats:
        """The means of batches, by direction of each pair and by pairs seen."""
        return np.array(self.proxy_batches).reshape(np.size(self.proxy_means), -1)

    def start(self, shape: tuple[int, ...]) -> Any:
        none = np.zeros(shape)
        plus: PlusState = super().start(shape)
        means: Floats = np.resize(self.proxy_means, shape)
        rows = np.resize(np.arange(np.size(self.proxy_means), dtype=float), shape)
        if self.proxy_batches:
            means = np.resize(self._batches[:, 0], shape)
        return ProxiedState(*plus, none, none, none, none, means, rows)

    def step(self, state: Any, r0: Floats, r1: Floats) -> Any:
        """State after one more pair; bet and weight use only the state before it."""
        (low, guess0), (score1, guess1) = r0, r1
        bet, weight = self._weighted_bet(state)
        high = score1 - self.margin
        difference, hint = high - low, guess1 - guess0 - state.mean
        growth = np.log(1 + bet.amount * (difference - weight * hint))
        if self.proxy_batches:
            drawn = self._drawn(state)
            growth, hint = growth + np.log(1 + bet.amount * weight * drawn), hint - drawn
        left = difference - weight * hint
        pair = Sums.of_pair(low, high, left, self.design)
        sums = state.sums.plus(pair._replace(gap_square=difference * difference))
        return ProxiedState(
            sums,
            state.log_e + growth,
            bet,
            state.hint + hint,
            state.hint_square + hint * hint,
            state.product + difference * hint,
            weight,
            state.mean,
            state.row,
        )

    def margin_fall(self, before: Any, after: Any, r0: Floats, r1: Floats) -> Floats:
        del r1  # the factor of both is what the evidence gained, but for that of the batch
        fall: Floats = after.bet.amount * np.exp(before.log_e - after.log_e)
        if self.proxy_batches:
            fall = fall * (1 + after.bet.amount * after.weight * self._drawn(before))
        return fall.reshape(*(1,) * (r0.ndim - fall.ndim - 1), *fall.shape)

    def bets_at(self, state: Any, margins: Floats, need: Floats, size: Floats) -> Bet:
        return super().bets_at(PlusState(*state[:3]), margins, need, size)

    def _weighted_bet(self, state: ProxiedState) -> tuple[Bet, Floats]:
        """Return the bet on the next pair and the weight of the proxy, or the last ones."""
        pairs = state.sums.pairs
        due = bets.renewal(pairs)
        if greatest(pairs) >= RENEWAL_PAIRS and not due.any():
            return state.bet, self._backed(state, state.weight)
        sums, estimates, weight = self._weighted(state)
        new = self._sized_bet(sums, self._threshold - state.log_e, estimates)
        weight = np.where(due, weight, state.weight)
        return state.bet.renewed(due, new), self._backed(state, weight)

    def _backed(self, state: ProxiedState, weight: Floats) -> Floats:
        """Return the weight; 0 for the first pair, whose batch is the guess, and past the last."""
        if not self.proxy_batches:
            return weight
        pairs = state.sums.pairs
        return np.where((pairs > 0) & (pairs < self._batches.shape[1]), weight, 0.0)

    def _drawn(self, state: ProxiedState) -> Floats:
        """Return the mean of the next pair's batch less the guess; no bet may know of it."""
        last = self._batches.shape[1] - 1
        place = np.minimum(state.sums.pairs, last).astype(int)
        drawn: Floats = self._batches[state.row.astype(int), place] - state.mean
        return drawn

    def _widened(self, weight: Floats, mean: Floats) -> Floats:
        """Add to the greatest loss of a pair, 1 + margin without the proxy."""
        if self.proxy_batches:  # the batch alone may lose 1 + mean
            return np.maximum(weight * (1 - mean), weight * (1 + mean) - 1 - self.margin)
        if self.audit is None:
            return weight * (1 - mean)
        # An audited pair loses 1 + (1 - chance) weight at most, any other chance * weight.
        widened: Floats = np.maximum(weight * (1 - self.audit), weight * self.audit - 1)
        return widened

    def _planned_for(self, state: Any) -> tuple[Sums, Estimates]:
        sums, estimates, _ = self._weighted(state)
        return sums, estimates

    def _weighted(self, state: ProxiedState) -> tuple[Sums, Estimates, Floats]:
        """Return sums and estimates of what is bet on, and the weight of the proxy in it."""
        sums = state.sums
        estimates = self._estimates(sums, self.margin)
        variance, seen = estimates.variance, sums.pairs + PROXY_PAIRS
        shrunk = sums.pairs + SHOWN_WEIGHT
        shown = (sums.high - sums.low) / shrunk
        common = (state.product - shown * state.hint) / seen
        noise = (state.hint_square + PROXY_PAIRS * variance) / seen
        explained = np.maximum(common, 0.0) ** 2 / (variance * noise)  # share of the variance
        common = common * np.maximum(1 - PROXY_DOUBT / np.maximum(explained * seen, TINY), 0.0)
        full = self._backed(state, between(common / noise, 0.0, MOST_WEIGHT))
        # The weight narrows what may be bet: of some parts of it, that of greatest growth.
        hoped = HOPED_DEVIATIONS - NOISY_DEVIATIONS * estimates.spread
        effect = np.maximum(shown + hoped * np.sqrt(variance * sums.pairs) / shrunk, 0.0)
        weight = best = np.zeros_like(full)
        for step in range(WEIGHT_STEPS + 1):
            tried = step / WEIGHT_STEPS * full
            left = _left(variance, tried, common, noise)
            most = BOUND_SHARE / (1 + self.margin + self._widened(tried, state.mean))
            amount = np.minimum(effect / left, most)
            growth = amount * (effect - 0.5 * amount * left)
            better = growth >= best
            weight, best = np.where(better, tried, weight), np.where(better, growth, best)
        left = _left(variance, weight, common, noise)
        estimates = estimates._replace(
            variance=left,
            spread=estimates.spread * (left / variance),
            widened=self._widened(weight, state.mean),
        )
        return sums._replace(high=sums.high - weight * state.hint), estimates, weight


def _left(variance: Floats, weight: Floats, common: Floats, noise: Floats) -> Floats:
    """Return the variance that the weighted proxy leaves."""
    left = variance - weight * (2 * common - weight * noise)
    kept: Floats = np.maximum(left, (1 - MOST_EXPLAINED) * variance)
    return kept
