"""``nscore-plus``: a stronger increment, bets that assume an effect, and a plan for the horizon.

Evidence is a product of predictable e-values, so the test is valid at every stopping time whatever
the bets are; ``docs/design/nscore-plus.md`` has the proof. A pair multiplies the wealth by
``1 + bet (x1 - x0) - cross x0 x1`` with ``x0 = r0 - m0``, ``x1 = r1 - margin - m0``; in design
"paired" ``cross`` is 0. Bets come from the table of ``core.horizon`` while a declared ``n_max``
lies ahead, and from the posterior mean effect otherwise.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.growth import growth_bet
from stopwise.core.horizon import plan
from stopwise.core.method import Evidence, Method, evidence_from_log_e
from stopwise.core.plus_moments import (
    SIGNAL_SHARE,
    Moments,
    PlusState,
    between,
    independent_moments,
    inside,
    loss_lean,
    paired_moments,
)
from stopwise.core.randomness import BLOCK_STRIDE, run_keys, uniform
from stopwise.core.scores import require_whole
from stopwise.errors import require

__all__ = ["NScorePlus", "PlusState"]

# Share of the largest bet that keeps the increment nonnegative; below 1: no single pair ruins.
CLIP = 0.99
# Chance of the worst possible pair after n pairs, as far as the moments do not already tell of it:
# at most (RUIN / (n + RUIN_PAIRS))^2, 4 % at first. It falls faster than 1/n, for the longer none
# is seen, the likelier it never comes. For its sake no bet is cut below the share SPARED of the
# bound.
RUIN, RUIN_PAIRS, SPARED = 5.0, 25.0, 0.8
# The bet of greatest growth for an effect t is t / (1 + t^2 SECOND_ORDER) in units of the deviation
# around the mean: what a step's own mean adds to its second moment.
SECOND_ORDER = {"independent": 0.5, "paired": 1.0}
# Pairs by which the observed effect is shrunk.
EFFECT_PRIOR = 3.0
# Share of what the product of both factors would keep in the worst pair that is kept at least where
# its second-order term is cut.
KEPT = 0.2
# A win of usual size is the mean less so many deviations.
WIN_DEVIATIONS = 2.0
# Up to here the bet is renewed for every pair, then for every second, third, ... thousand: a bet
# fixed some pairs earlier is as predictable, and one more pair in a thousand hardly moves it.
RENEWAL = 1000
LAST_LOOKS = ("exact", "randomised")


class _Bet(NamedTuple):
    amount: Floats
    centre0: Floats  # m0; m1 is m0 + margin
    cross: Floats  # weight of the product of both scores, each less its centre; at most amount^2


@dataclass(frozen=True, kw_only=True)
class NScorePlus(Method[PlusState]):
    """Sequential test that spends its evidence by a plan for the declared horizon.

    Parameters
    ----------
    deadline : bool
        Plan for ``n_max``: raise power there by spending evidence there. False bets for growth, as
        a study without end does; choose it where the study may be extended.
    last_look : {"exact", "randomised"}
        Randomised: evidence E left at ``n_max`` decides with probability alpha E, so that no risk
        stays unused; p-values then hold on average over ``seed``; later evidence does not count.
    seed : int
        Seed of the randomised look. Draw it at random before the study and write it down.
    """

    name: ClassVar[str] = "nscore-plus"
    summary: ClassVar[str] = "product increment, bets planned for the declared horizon"
    designs: ClassVar[tuple[str, ...]] = ("independent", "paired")

    deadline: bool = True
    last_look: str = "exact"
    seed: int = 0

    def __post_init__(self) -> None:
        require(
            self.last_look in LAST_LOOKS,
            f"last_look must be one of {', '.join(LAST_LOOKS)}, but got {self.last_look!r}",
        )
        require(
            self.n_max is not None or not self._randomised,
            "a randomised last look needs a declared n_max, but n_max is None",
        )
        require_whole(self.seed, "seed", 0)

    @property
    def _randomised(self) -> bool:
        return self.last_look == "randomised"

    def facts(self) -> tuple[str, ...]:
        """Return what a reader must know about a randomised look."""
        if not self._randomised:
            return ()
        return (
            f"nscore-plus: the look at n_max = {self.n_max} is randomised (seed {self.seed}): "
            "evidence E left there decides with probability alpha E.",
        )

    def for_block(self, index: int) -> "NScorePlus":
        """Return the method with a seed of its own for each block of simulated runs."""
        if index == 0 or not self._randomised:
            return self
        return replace(self, seed=self.seed + index * BLOCK_STRIDE)

    def start(self, shape: tuple[int, ...]) -> PlusState:
        """State before the first pair."""
        state = PlusState(*(np.zeros(shape) for _ in PlusState._fields))
        if self._randomised:
            luck = uniform(run_keys(self.seed, shape), np.full(shape, self.n_max))
            state = state._replace(luck=luck)
        return state

    def step(self, state: PlusState, r0: Floats, r1: Floats) -> PlusState:
        """State after one more pair; the bet uses only the state before it."""
        bet = self._renewed(state)
        gains = zip(state, self._gains(bet, r0, r1), strict=False)  # all but bet and luck
        return PlusState._make([*(old + new for old, new in gains), *bet, state.luck])

    def held(self, state: PlusState) -> int:
        """Pairs until the bet is next renewed, if all runs have seen equally many."""
        seen = int(state.pairs.flat[0])
        if seen < RENEWAL or not (state.pairs == seen).all():
            return 1
        every = seen // RENEWAL + 1
        count = min(every - seen % every, RENEWAL - seen % RENEWAL)
        if self.n_max is None or not self._randomised:
            return count
        return max(1, min(count, self.n_max - 1 - seen))  # the last look is a step of its own

    def leap(self, state: PlusState, r0: Floats, r1: Floats) -> tuple[PlusState, Floats]:
        """As many steps under one bet; running sums add up in the same order, to the last bit."""
        bet = self._renewed(state)
        gains = self._gains(bet, r0, r1)
        paths = [
            np.add.accumulate(np.concatenate([old[None], np.broadcast_to(new, r0.shape)]))
            for old, new in zip(state, gains, strict=False)
        ]
        after = PlusState._make([*(path[-1] for path in paths), *bet, state.luck])
        return after, paths[PlusState._fields.index("log_e")][1:]

    def _gains(self, bet: _Bet, r0: Floats, r1: Floats) -> tuple[Floats | Bools | float, ...]:
        """Return by how much a pair adds to each sum and to the log-wealth, in their order."""
        low, high = r0, r1 - self.margin
        difference = high - low
        # r1 - m1 = high - m0
        both = (high - bet.centre0) * (low - bet.centre0)
        factor = 1 + bet.amount * difference - bet.cross * both
        low_square, high_square = low * low, high * high
        gap_square: Floats | float = 0.0
        if self.design == "paired":
            gap_square = difference * difference
            third = gap_square * difference
        else:
            third = high_square * high - low_square * low
        win = np.maximum(difference, 0.0)
        return (
            1.0,
            low,
            high,
            low_square,
            high_square,
            gap_square,
            third,
            difference > 0,
            win,
            win * win,
            np.log(factor),
        )

    def evidence(self, state: PlusState) -> Evidence:
        """Return the e-process and its verdict on the null hypothesis."""
        evidence = evidence_from_log_e(state.log_e, self.alpha)
        if self.n_max is None or not self._randomised:
            return evidence
        # P(luck <= alpha E) <= alpha E[E] <= alpha uses up all risk: later evidence must not count.
        last = np.minimum(state.luck * np.exp(np.minimum(-state.log_e, 700.0)), 1.0)
        late = np.where(state.pairs > self.n_max, 1.0, last)
        p_value = np.where(state.pairs < self.n_max, evidence.p_value, late)
        return Evidence(state.log_e, p_value, p_value <= self.alpha)

    def _renewed(self, state: PlusState) -> _Bet:
        """Return the bet on the next pair: a new one, or in long studies mostly the last one."""
        if np.maximum.reduce(state.pairs, axis=None, initial=0.0) < RENEWAL:
            return self._bet(state)
        due = state.pairs % (state.pairs // RENEWAL + 1) == 0
        last = _Bet(state.amount, state.centre0, state.cross)
        if not due.any():
            return last
        return _Bet(
            *(np.where(due, new, old) for new, old in zip(self._bet(state), last, strict=True))
        )

    def _bet(self, state: PlusState) -> _Bet:
        need = -np.log(self.alpha) - state.log_e
        moments = self._moments(state)
        variance = moments.variance
        deviation = np.sqrt(variance)
        total = (state.high - state.low) / deviation
        # The difference of means for which the bet of greatest growth is the planned one.
        planned = self._standardised_bet(state.pairs, total, need)
        effect = planned * self._boldness(state.pairs, total) * deviation
        amount: Floats = effect / (variance + effect * (loss_lean(state, moments) / variance))
        if self.design == "paired":
            return self._paired_bet(state, need, amount, effect, moments)
        return self._independent_bet(state, need, amount, effect, moments)

    def _moments(self, state: PlusState) -> Moments:
        estimates = paired_moments if self.design == "paired" else independent_moments
        return estimates(state, self.margin)

    def _paired_bet(
        self, state: PlusState, need: Floats, amount: Floats, effect: Floats, moments: Moments
    ) -> _Bet:
        none = np.zeros_like(amount)
        worst = 1 + self.margin
        # In the worst pair both policies are at opposite ends: the noisier differences are, the
        # likelier.
        odds = moments.spread * moments.spread
        amount = self._spared(amount, effect, worst, state.pairs, odds)
        amount = np.minimum(amount, self._cap(state, need, none, none))
        # Validity rests on this line: no bet below 0, none that could make a factor negative.
        return _Bet(between(amount, 0.0, CLIP / worst), none, none)

    def _independent_bet(
        self, state: PlusState, need: Floats, amount: Floats, effect: Floats, moments: Moments
    ) -> _Bet:
        centre0 = self._centre(moments.mean0, moments.mean1, amount)
        below, above = centre0 + self.margin, 1 - centre0  # of m1 and m0, in the worst pair
        worst = np.maximum(below, above)
        # Noisy scores tell of the worst pair by their variance already.
        amount = self._spared(amount, effect, worst, state.pairs, 1 - moments.spread)
        # the product of both scores in the largest win, r0 = 0 and r1 = 1, relative to its square
        product = centre0 * (above - self.margin) / (1 - self.margin) ** 2
        cap = self._cap(state, need, moments.share * product, moments.doubt * product)
        amount = np.minimum(amount, cap)
        # Validity rests on this line and the last: no bet below 0, none that could make a factor
        # negative, no weight of the product outside of [0, amount^2] or below the least.
        amount = between(amount, 0.0, CLIP / worst)
        kept = (1 - amount * below) * (1 - amount * above)
        square = amount * amount
        least = square - (1 - KEPT) * kept / (below * above)
        cross = np.maximum(moments.share * square - moments.doubt, least)
        return _Bet(amount, centre0, between(cross, 0.0, square))

    def _boldness(self, pairs: Floats, total: Floats) -> Floats:
        """Factor by which a large effect is bet on more than planned.

        The plan takes the deviation for that around the mean. Ours contains a part of the effect,
        so what the effect adds to the second moment would count twice.
        """
        shown = np.maximum(total, 0.0) / (pairs + EFFECT_PRIOR)
        added: Floats = SECOND_ORDER[self.design] * shown * shown
        return (1 + added) / (1 + SIGNAL_SHARE * added)

    def _spared(
        self, amount: Floats, effect: Floats, worst: Floats | float, pairs: Floats, odds: Floats
    ) -> Floats:
        """Bet a little less where one pair of the worst kind would cost nearly everything.

        With x = bet * worst the growth rises at the rate effect (1 - x / x_wanted), and a pair of
        that kind, which comes with the chance c, costs log(1 - x); where its mean is kept, the best
        x is the smaller root of (1 - x / x_wanted) (1 - x) = c worst / effect x.
        """
        chance = (RUIN / (pairs + RUIN_PAIRS)) ** 2 * odds
        wanted = np.maximum(amount * worst, 1e-9)
        inverse = 1 / wanted
        middle = 1 + inverse + chance * worst / np.maximum(effect, 1e-9)
        root = np.sqrt(np.maximum(middle * middle - 4 * inverse, 0.0))
        share: Floats = np.maximum(2 / (middle + root), np.minimum(wanted, SPARED))
        return share / worst

    def _centre(self, mean0: Floats, mean1: Floats, amount: Floats) -> Floats:
        """Centre between the means; nearer to where bets may be large if the bet asks for it."""
        half = 0.5 * (1 - self.margin)  # here m1 = 1 - m0 and the bound on the bet is largest
        nearest = between(half, np.minimum(mean0, mean1), np.maximum(mean0, mean1))
        room = CLIP / np.maximum(amount, 1e-12)  # the bet fits while m1 and 1 - m0 are below this
        low = np.minimum(np.minimum(1 - room, half), nearest)
        high = np.maximum(np.maximum(room - self.margin, half), nearest)
        return inside(between(0.5 * (mean0 + mean1), low, high), self.margin)

    def _cap(self, state: PlusState, need: Floats, gain: Floats, loss: Floats) -> Floats:
        """Largest useful bet: a win of usual size already reaches the threshold.

        A bet b brings b w + max(gain b^2 - loss, 0) w^2 with a win of size w.
        """
        greatest = 2 * math.log(2 / (1 + self.margin))  # of what one pair can add to the log-wealth
        if not ((need > 0) & (need < greatest)).any():
            return np.full_like(need, np.inf)
        wins = np.maximum(state.wins, 1.0)
        mean = state.win_sum / wins
        deviation = np.sqrt(np.maximum(state.win_square / wins - mean * mean, 0.0))
        # no wins seen or sizes too different: no cap, for next to nothing reaches the threshold
        usual = np.maximum(mean * wins / (wins + 1) - WIN_DEVIATIONS * deviation, 1e-12)
        missing = np.expm1(np.where(need > 0, between(need, 1e-6, 50.0), 50.0))  # decided: no cap
        square = usual * usual
        reached = missing + loss * square
        root = np.sqrt(square + 4 * gain * square * reached)
        cap: Floats = np.minimum(missing / usual, 2 * reached / (usual + root))
        return cap

    def _standardised_bet(self, pairs: Floats, total: Floats, need: Floats) -> Floats:
        if self.n_max is None or not self.deadline:
            return self._growth_bet(pairs, total, need)
        planned = (pairs < self.n_max) & (need > 0)
        if not planned.any():
            return self._growth_bet(pairs, total, need)
        table = plan(self.alpha, self.n_max, self.design, randomised=self._randomised)
        bet = table.at(np.minimum(pairs, self.n_max - 1), total, need)
        if planned.all():
            return bet
        return np.where(planned, bet, self._growth_bet(pairs, total, need))

    def _growth_bet(self, pairs: Floats, total: Floats, need: Floats) -> Floats:
        return growth_bet(self.n_max, pairs, total, need, SECOND_ORDER[self.design])
