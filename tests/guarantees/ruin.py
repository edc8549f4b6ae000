"""Nulls that attain the level: many small gains, each at the risk of losing everything.

A score is a little better nearly always, and once in a while it loses all: its mean is exactly at
the null. A bet that loses all in that case is a martingale that climbs in small steps or is ruined,
so that the chance of a false claim is the chance of gaining until it is made. Nothing is simulated:
a study in which nothing is lost is shown, and the chance of its gains is its chance. So a level
that is larger by more than a step shows for certain.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from scipy.stats import binomtest

from tests.guarantees.pinned import assert_at_most

# By how much the score is better in a gain: the size of a step.
GAIN = 0.02
# A gain that costs hardly any risk, and that a method with bins takes for a whole one.
FREE = 1e-7

Pair = tuple[float, float]


class Law(NamedTuple):
    """Scores of policy 0 and policy 1: mean1 - mean0 is exactly the margin."""

    gain: Pair
    loss: Pair
    chance: float  # of a gain

    @property
    def bins(self) -> list[float]:
        """The scores of a gain: N-SCORE knows no others, so that it bets as much as it may."""
        return sorted(set(self.gain))

    def swapped(self) -> "Law":
        """Return the law with the policies swapped."""
        return Law(self.gain[::-1], self.loss[::-1], self.chance)


def paired(margin: float = 0.0, gain: float = GAIN) -> Law:
    """Return a law whose loss is the whole range, so that the scores of a pair depend."""
    step = margin + gain
    scores = (0.0, step) if step >= 0 else (-step, 0.0)
    return Law(scores, (1.0, 0.0), (1 + margin) / (1 + step))


def constant(margin: float = 0.0, gain: float = GAIN) -> Law:
    """Return a law in which policy 0 always has one score: the scores of a pair are independent."""
    low = min(1.0, 1 - margin - gain)
    step = low + margin + gain
    return Law((low, step), (low, 0.0), (low + margin) / step)


def assert_attained(risk: Callable[[float], float], level: float, inflation: float = 1.1) -> None:
    """Fail unless the risk at this alpha is within the level, and would not be at a larger one.

    ``risk`` is the exact chance of a false claim under an alpha: a lower bound of the worst case.
    The second part is the sabotage: whatever raises every level by so much fails the first.
    """
    honest, faulty = risk(level), risk(level * inflation)
    assert honest <= level * (1 + 1e-9), f"false claims have {honest:.4g}, promised: {level:g}"
    assert faulty > level, f"alpha times {inflation} would not show: {faulty:.4g} of {level:g}"


def assert_holds(errors: Callable[[float, int], int], level: float, inflation: float) -> None:
    """Fail unless so many simulated errors are likely at this level, and not at a larger alpha.

    ``errors`` are counted under an alpha, in so many studies. The studies are so many that a rate
    of .97 times the larger alpha is found nearly always: with 5 deviations between the two.
    """
    excess = level * (0.97 * inflation - 1)
    runs = math.ceil((5.2 / excess) ** 2 * level * (1 - level))
    honest, faulty = (errors(alpha, runs) for alpha in (level, inflation * level))
    assert_at_most(honest, runs, level)
    assert binomtest(faulty, runs, level, alternative="greater").pvalue < 1e-4, (
        f"alpha times {inflation} would not show: {faulty} of {runs} at {level:g}"
    )


def either(*chances: float) -> float:
    """Return the chance of a claim in any of several games, one after another."""
    none = 1.0
    for chance in chances:
        none *= 1 - chance
    return 1 - none
