"""The plan of two policies with a fixed number of trials, evaluated once at the end.

Barnard's exact test of successes, Welch's t-test of scores, the paired t-test of a paired design.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import nctdtr, ndtr, ndtri, stdtrit

from stopwise.core.barnard import barnard_region, binomial_chances
from stopwise.planning.populations import Guessed
from stopwise.planning.studies import BestStudy, OrderStudy

# The tests of fixed-sample plans.
BARNARD = "Barnard's exact test"
WELCH = "Welch's t-test"
PAIRED_T = "the paired t-test"

# Power is compared only up to here: what is certain would need infinitely many trials.
MOST_POWER = 0.99
# Up to so many trials per policy Barnard's region is computed; beyond, the normal limit serves.
MOST_EXACT = 300
MOST_TRIALS = 100_000


class FixedPlan(NamedTuple):
    n: int  # trials per policy
    test: str


def fixed_plan(study: OrderStudy | BestStudy, power: float) -> FixedPlan | None:
    """Smallest fixed-sample plan with this power for two guesses; None if there is none."""
    if isinstance(study, BestStudy):
        return None
    rules, population = study.rules, study.population
    level, power = study.level, min(power, MOST_POWER)
    special = rules.margin or rules.alike or rules.reading.new or rules.reading.finite
    two = isinstance(population, Guessed) and len(rules.reading.run) == 2
    if not isinstance(population, Guessed) or not two or special or power <= 2 * level:
        return None
    low, high = sorted(guess.mean for guess in population.guesses)
    if population.binary and rules.design == "independent":
        # The normal limit says where to look, so that few exact regions are needed.
        near = _smallest(lambda n: _normal_power(n, low, high, level), power) or MOST_TRIALS
        n = _smallest(lambda n: barnard_power(n, low, high, level), power, max(near - 20, 2))
        test = BARNARD
    else:
        paired = rules.design == "paired"
        n = _smallest(lambda n: t_test_power(n, population, level, paired=paired), power)
        test = PAIRED_T if paired else WELCH
    return None if n is None else FixedPlan(n, test)


def barnard_power(n: int, low: float, high: float, level: float) -> float:
    if n > MOST_EXACT:
        return _normal_power(n, low, high, level)
    chances = binomial_chances(n, np.array([low, high]))
    return float(chances[0] @ barnard_region(n, level) @ chances[1])


def _normal_power(n: int, low: float, high: float, level: float) -> float:
    middle = 0.5 * (low + high)
    null = np.sqrt(2 * middle * (1 - middle))
    deviation = np.sqrt(low * (1 - low) + high * (1 - high))
    return float(ndtr((np.sqrt(n) * (high - low) + ndtri(level) * null) / max(deviation, 1e-9)))


def t_test_power(n: int, population: Guessed, level: float, *, paired: bool) -> float:
    """Power by the noncentral t; Welch's has the degrees of freedom of the true variances."""
    if n < 2:
        return 0.0
    (mean0, mean1), covariances = population.means, population.covariances
    variance0, variance1 = np.diag(covariances)
    both = max(variance0 + variance1, 1e-18)
    freedom = (n - 1) * both**2 / max(variance0**2 + variance1**2, 1e-36)
    if paired:
        both, freedom = max(both - 2 * covariances[0, 1], 1e-18), n - 1.0
    shift = abs(mean1 - mean0) * np.sqrt(n / both)
    if shift > 30:  # scipy's noncentral t gives up
        return 1.0
    chance = 1.0 - nctdtr(freedom, shift, -stdtrit(freedom, level))
    return float(chance) if np.isfinite(chance) else 1.0


def _smallest(power_of: Callable[[int], float], target: float, least: int = 2) -> int | None:
    """Smallest n with this power, which is taken to grow with n."""
    numbers = range(least, MOST_TRIALS)
    place = bisect_left(numbers, target, key=power_of)
    return None if place == len(numbers) else numbers[place]
