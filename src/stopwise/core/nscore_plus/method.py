"""``nscore-plus``: a stronger increment, bets that assume an effect, and a plan for the horizon."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from stopwise.core.arrays import Floats, greatest, least
from stopwise.core.confidence import Bet
from stopwise.core.futility import MayBeFutile
from stopwise.core.method import Citation
from stopwise.core.nscore import NScore
from stopwise.core.nscore_plus import bets
from stopwise.core.nscore_plus.estimates import (
    EDGE,
    Estimates,
    PlusState,
    Sums,
    independent_estimates,
    number_deviation,
    paired_deviation,
)
from stopwise.core.nscore_plus.growth import (
    SECOND_ORDER,
    chance_by_n_max,
    chance_within_bounds,
    growth_bet,
    sameness_bet,
)
from stopwise.core.nscore_plus.horizon import bet_table, chance_table


@dataclass(frozen=True, kw_only=True)
class NScorePlus(MayBeFutile[PlusState]):
    """Sequential test that spends its evidence by a plan for the declared horizon."""

    name: ClassVar[str] = "nscore-plus"
    summary: ClassVar[str] = "product increment, bets planned for the declared horizon"
    citation: ClassVar[Citation] = NScore.citation._replace(
        addition=", with the bets of stopwise's nscore-plus"
    )
    advice: ClassVar[str] = "the default: any score, either design, with or without n_max"
    designs: ClassVar[tuple[str, ...]] = ("independent", "paired")
    inverts: ClassVar[bool] = True
    takes_proxy: ClassVar[bool] = True

    @cached_property
    def _threshold(self) -> np.float64:
        threshold: np.float64 = -np.log(self.alpha)
        return threshold

    def not_worse(self, alpha: float, margin: float) -> "NScorePlus":
        return self.as_a(NotWorse, alpha=alpha, margin=-margin)

    def start(self, shape: tuple[int, ...]) -> PlusState:
        none = np.zeros(shape)
        return PlusState(Sums(*[none] * len(Sums._fields)), none, Bet(none, none, none))

    def step(self, state: PlusState, r0: Floats, r1: Floats) -> PlusState:
        bet = self._bet(state)
        pair, growth = self._seen(bet, r0, r1)
        return PlusState(state.sums.plus(pair), state.log_e + growth, bet)

    def learn(self, state: PlusState, r0: Floats, r1: Floats) -> PlusState:
        """State after a pair on which nothing was bet: only the sums know of it."""
        high = r1 - self.margin
        pair = Sums.of_pair(r0, high, high - r0, self.design)
        return state._replace(sums=state.sums.plus(pair))

    def held(self, state: PlusState) -> int:
        """Pairs until the bet is next renewed, if all runs have seen equally many."""
        pairs = state.sums.pairs
        seen = int(pairs.flat[0])
        if seen < bets.RENEWAL_PAIRS or not (pairs == seen).all():
            return 1
        return bets.pairs_until_renewal(seen)

    def leap(self, state: PlusState, r0: Floats, r1: Floats) -> tuple[PlusState, Floats]:
        """As many steps under one bet; running sums add up in the same order, to the last bit."""
        bet = self._bet(state)
        pairs, growth = self._seen(bet, r0, r1)
        running = np.empty((len(pairs) + 1, len(r0) + 1, *state.log_e.shape))
        for place, (old, new) in enumerate(
            zip((*state.sums, state.log_e), (*pairs, growth), strict=True)
        ):
            running[place, 0], running[place, 1:] = old, new
        np.add.accumulate(running, axis=1, out=running)
        *sums, log_e = running[:, -1]
        return PlusState(Sums(*sums), log_e, bet), running[-1, 1:]

    def _chance_by(self, n_max: int, state: PlusState) -> Floats:
        pairs, total = self._standardised(state)
        need = self._threshold - state.log_e
        chance = chance_table(self.alpha, n_max, self.design).at(
            np.minimum(pairs, n_max), total, need
        )
        sums, estimates = self._planned_for(state)
        paired = self._null_mean(self.margin) if self.number else np.asarray(1 + self.margin)
        within = chance_within_bounds(
            pairs=pairs,
            total=sums.high - sums.low,
            variance=estimates.variance,
            need=need,
            left=n_max - pairs,
            worst=paired if self.design == "paired" else np.asarray(0.5),
        )
        return np.minimum(chance, within)

    def _standardised(self, state: PlusState) -> tuple[Floats, Floats]:
        sums, estimates = self._planned_for(state)
        return sums.pairs, (sums.high - sums.low) / np.sqrt(estimates.variance)

    def _planned_for(self, state: PlusState) -> tuple[Sums, Estimates]:
        """Return the sums and estimates that bets are planned by."""
        return state.sums, self._estimates(state.sums, self.margin)

    def _seen(self, bet: Bet, r0: Floats, r1: Floats) -> tuple[Sums, Floats]:
        """Summands of a pair: to the sums, and to the log-wealth under this bet."""
        low, high = r0, r1 - self.margin
        difference = high - low
        # r1 - m1 = high - m0
        both = (high - bet.centre0) * (low - bet.centre0)
        factor = 1 + bet.amount * difference - bet.cross * both
        return Sums.of_pair(low, high, difference, self.design), np.log(factor)

    def _bet(self, state: PlusState) -> Bet:
        """Return the bet on the next pair: a new one, or in long studies mostly the last one."""
        sums = state.sums
        early = greatest(sums.pairs) < bets.RENEWAL_PAIRS
        due = early or bets.renewal(sums.pairs)
        if not np.any(due):
            return state.bet
        estimates = self._estimates(sums, self.margin)
        new = self._sized_bet(sums, self._threshold - state.log_e, estimates)
        return new if early else state.bet.renewed(np.asarray(due), new)

    def margin_fall(self, before: PlusState, after: PlusState, r0: Floats, r1: Floats) -> Floats:
        del before  # its bet is the one that the next state keeps
        bet = after.bet
        x0, x1 = r0 - bet.centre0, r1 - self.margin - bet.centre0
        fall: Floats = (bet.amount - bet.cross * x0) / (
            1 + bet.amount * (x1 - x0) - bet.cross * x0 * x1
        )
        return fall

    def bets_at(self, state: PlusState, margins: Floats, need: Floats, size: Floats) -> Bet:
        sums = state.sums.shifted(margins - self.margin, self.design)
        return self._sized_bet(sums, need, self._estimates(sums, margins), size)

    def _sized_bet(
        self, sums: Sums, need: Floats, estimates: Estimates, size: Floats | float = 1.0
    ) -> Bet:
        deviation = np.sqrt(estimates.variance)
        total = (sums.high - sums.low) / deviation
        standardised = self._standardised_bet(sums.pairs, total, need, deviation)
        if self.averages:
            bolder = bets.averages(sums.pairs, total)
        else:
            bolder = bets.large_effects(sums.pairs, total, SECOND_ORDER[self.design])
        # The difference of means for which the bet of greatest growth is the planned one.
        effect = standardised * bolder * deviation
        amount = bets.shape(sums, estimates, effect) * size
        if self.design == "paired":
            return self._paired_bet(sums, need, amount, effect, estimates)
        return self._independent_bet(sums, need, amount, effect, estimates)

    def _estimates(self, sums: Sums, margin: Floats | float) -> Estimates:
        if self.number:
            return number_deviation(sums, margin, self._null_mean(margin))
        if self.design == "paired":
            return paired_deviation(sums, margin)
        return independent_estimates(sums, margin)

    def _null_mean(self, margin: Floats | float) -> Floats:
        """Return reference + margin: what policy 1 scores on average at the edge of the null."""
        reference = np.array(self.number)
        return np.maximum((reference[:, None] if np.ndim(margin) else reference) + margin, EDGE)

    def _standardised_bet(
        self,
        pairs: Floats,
        total: Floats,
        need: Floats,
        deviation: Floats,  # noqa: ARG002
    ) -> Floats:
        """Return the planned bet while n_max lies ahead, else that of growth."""
        if self.n_max is None:
            return self._growth_bet(pairs, total, need)
        planned = bet_table(self.alpha, self.n_max, self.design).at
        if greatest(pairs) < self.n_max and least(need) > 0:  # of all runs
            return planned(pairs, total, need)
        ahead = (pairs < self.n_max) & (need > 0)
        if not ahead.any():
            return self._growth_bet(pairs, total, need)
        bet = planned(np.minimum(pairs, self.n_max - 1), total, need)
        rest = [part[~ahead] for part in np.broadcast_arrays(pairs, total, need)]
        bet[~ahead] = self._growth_bet(*rest)
        return bet

    def _growth_bet(self, pairs: Floats, total: Floats, need: Floats) -> Floats:
        return growth_bet(self.n_max, pairs, total, need, SECOND_ORDER[self.design])

    def _independent_bet(
        self, sums: Sums, need: Floats, amount: Floats, effect: Floats, estimates: Estimates
    ) -> Bet:
        margin = estimates.margin
        centre0 = bets.centre(estimates, amount, margin)
        below, above = centre0 + margin, 1 - centre0  # of m1 and m0, in the worst pair
        worst = np.maximum(below, above)
        # Noisy scores tell of the worst pair by their variance already.
        chance = bets.failure_chance(sums.pairs, 1 - estimates.spread)
        amount = bets.rare_failures(amount, effect, worst, chance)
        amount = bets.noisy_scores(amount, worst, sums.pairs, estimates.spread)
        if bets.one_pair_may_decide(need, margin):
            # the product of both scores in the largest win, r0 = 0 and r1 = 1, over its square
            product = centre0 * (above - margin) / (1 - margin) ** 2
            largest = bets.cap(sums, need, estimates.share * product, estimates.doubt * product)
            amount = np.minimum(amount, largest)
        amount = bets.bounds(amount, worst)
        cross = bets.product_weight(amount, below, above, estimates.share, estimates.doubt)
        return Bet(amount, centre0, cross)

    def _paired_bet(
        self, sums: Sums, need: Floats, amount: Floats, effect: Floats, estimates: Estimates
    ) -> Bet:
        margin = estimates.margin
        none = np.zeros_like(amount)
        # Of a number the worst pair is a score of 0.
        worst = self._null_mean(margin) if self.number else 1 + margin + estimates.widened
        # In the worst pair both policies are at opposite ends: the noisier differences are, the
        # likelier.
        chance = bets.failure_chance(sums.pairs, estimates.spread * estimates.spread)
        # Of the test itself, with a policy that may tie: a tie is a win.
        if isinstance(margin, float) and margin < 0 and not self.number:
            seen = bets.losses_seen(sums, 1 + margin, estimates.own_spread)
            chance = np.maximum(chance, seen)
        amount = bets.rare_failures(amount, effect, worst, chance)
        if self.number or bets.one_pair_may_decide(need, margin):
            amount = np.minimum(amount, bets.cap(sums, need, 0.0, 0.0))
        return Bet(bets.bounds(amount, worst), none, none)


@dataclass(frozen=True, kw_only=True)
class NotWorse(NScorePlus):
    """One of the two tests that show equivalence: its bets assume equal policies."""

    def _standardised_bet(
        self, pairs: Floats, total: Floats, need: Floats, deviation: Floats
    ) -> Floats:
        """Return the bet on a gap of the margin, towards n_max if there is one."""
        left = None if self.n_max is None else self.n_max - pairs
        return sameness_bet(-self.margin / deviation, left, pairs, total, need)

    def _chance_by(self, n_max: int, state: PlusState) -> Floats:
        deviation = np.sqrt(self._estimates(state.sums, self.margin).variance)
        need = self._threshold - state.log_e
        return chance_by_n_max(-self.margin / deviation, n_max - state.sums.pairs, need)
