"""The plan of two policies with a fixed number of trials, evaluated once at the end.

Barnard's exact test of successes, Welch's t-test of scores, the paired t-test of a paired design;
against a number the exact binomial test, or the t-test of one sample.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import nctdtr, ndtr, ndtri, stdtrit

from stopwise.core.arrays import Floats
from stopwise.core.barnard import barnard_region, binomial_chances
from stopwise.planning.populations import Moments, Population
from stopwise.planning.studies import PlannedOrder

# The tests of fixed-sample plans.
BARNARD = "Barnard's exact test"
WELCH = "Welch's t-test"
PAIRED_T = "the paired t-test"
BINOMIAL = "the exact binomial test"
ONE_SAMPLE_T = "the one-sample t-test"

# Power is compared only up to here: what is certain would need infinitely many trials.
MOST_POWER = 0.99
# Up to so many trials per policy Barnard's region is computed; beyond, the normal limit serves.
MOST_EXACT = 300
MOST_TRIALS = 100_000
WORLDS = 200


class FixedPlan(NamedTuple):
    n: int  # trials per policy
    test: str


def fixed_plan(study: PlannedOrder, population: Population, power: float) -> FixedPlan | None:
    """Smallest fixed-sample plan with this power; None if there is none to match."""
    rules, power = study.rules, min(power, MOST_POWER)
    special = rules.margin or rules.alike or rules.reading.new or rules.reading.finite
    if study.family.size > 1 or special or power <= 2 * study.level:
        return None
    moments = population.moments(np.random.default_rng(0), WORLDS)
    number = rules.reference is not None
    if population.binary and number:
        rates, tested = moments.means.T
        n = _smallest(lambda n: binomial_power(n, rates, tested[0], study.level), power)
        test = BINOMIAL
    elif population.binary and rules.design == "independent":
        rates = np.sort(moments.means, axis=1)
        arguments = rates[:, 0], rates[:, 1], study.level
        # The normal limit says where to look, so that few exact regions are needed.
        near = _smallest(lambda n: _normal_power(n, *arguments), power) or MOST_TRIALS
        least = max(near - 20, 2)
        n = _smallest(lambda n: barnard_power(n, *arguments), power, least)
        test = BARNARD
    else:
        # Against a number that has no variance the paired test is that of one sample.
        paired = rules.design == "paired" or number
        n = _smallest(lambda n: t_test_power(n, moments, study.level, paired=paired), power)
        test = ONE_SAMPLE_T if number else PAIRED_T if paired else WELCH
    return None if n is None else FixedPlan(n, test)


def barnard_power(n: int, rates0: Floats, rates1: Floats, level: float) -> float:
    if n > MOST_EXACT:
        return _normal_power(n, rates0, rates1, level)
    region = barnard_region(n, level)
    chance0, chance1 = binomial_chances(n, rates0), binomial_chances(n, rates1)
    return float(np.mean(np.einsum("wi,ij,wj->w", chance0, region, chance1, optimize=True)))


def binomial_power(n: int, rates: Floats, number: float, level: float) -> float:
    from scipy.stats import binom

    most, least = binom.isf(level, n, number), n - binom.isf(level, n, 1 - number)
    chance = np.where(rates > number, binom.sf(most, n, rates), binom.cdf(least - 1, n, rates))
    return float(chance.mean())


def _normal_power(n: int, rates0: Floats, rates1: Floats, level: float) -> float:
    middle = 0.5 * (rates0 + rates1)
    null = np.sqrt(2 * middle * (1 - middle))
    own = np.sqrt(rates0 * (1 - rates0) + rates1 * (1 - rates1))
    excess = np.sqrt(n) * (rates1 - rates0) + ndtri(level) * null
    return float(np.mean(ndtr(excess / np.maximum(own, 1e-9))))


def t_test_power(n: int, moments: Moments, level: float, *, paired: bool) -> float:
    """Power by the noncentral t; Welch's has the degrees of freedom of the true variances."""
    if n < 2:
        return 0.0
    gap = np.abs(moments.means[:, 1] - moments.means[:, 0])
    variance0, variance1 = moments.covariances[:, 0, 0], moments.covariances[:, 1, 1]
    both = np.maximum(variance0 + variance1, 1e-18)
    freedom = (n - 1) * both**2 / np.maximum(variance0**2 + variance1**2, 1e-36)
    if paired:
        both = np.maximum(both - 2 * moments.covariances[:, 0, 1], 1e-18)
        freedom = np.full(gap.shape, n - 1.0)
    shift = np.minimum(gap * np.sqrt(n / both), 1e3)
    chance = 1.0 - nctdtr(freedom, shift, -stdtrit(freedom, level))
    # Far out scipy's noncentral t gives up; there the power is 1.
    return float(np.mean(np.where(np.isfinite(chance) & (shift < 30), chance, 1.0)))


def _smallest(power_of: Callable[[int], float], target: float, least: int = 2) -> int | None:
    """Smallest n with this power, which is taken to grow with n."""
    numbers = range(least, MOST_TRIALS)
    place = bisect_left(numbers, target, key=power_of)
    return None if place == len(numbers) else numbers[place]
