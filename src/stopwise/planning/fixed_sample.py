"""The plan with a fixed number of trials, evaluated once at the end, for comparison.

Two policies: Barnard's exact test of successes, Welch's t-test of scores, the paired t-test of a
paired design. More policies: normal scores of all pairs with Bonferroni's levels.
"""

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
ALL_PAIRS = "a fixed test of all pairs (normal, Bonferroni)"

# Power is compared only up to here: what is certain would need infinitely many trials.
MOST_POWER = 0.99
# Up to so many trials per policy Barnard's region is computed; beyond, the normal limit serves.
MOST_EXACT = 300
MOST_TRIALS = 100_000
WORLDS = 200
NOISES = 4000


class FixedPlan(NamedTuple):
    """Trials per policy of a fixed-sample plan, and the test that it uses."""

    n: int
    test: str


def fixed_plan(study: PlannedOrder, population: Population, power: float) -> FixedPlan | None:
    """Smallest fixed-sample plan with this power; None if there is none to match."""
    power = min(power, MOST_POWER)
    if power <= 2 * study.level or study.rules.margin:
        return None
    rng = np.random.default_rng(0)
    moments = population.moments(rng, WORLDS)
    if study.family.size > 1:
        return _many_policies(study, moments, power, rng)
    number = study.rules.reference is not None
    if population.binary and number:
        rates, tested = moments.means.T
        n = _smallest(lambda n: binomial_power(n, rates, tested[0], study.level), power, 2)
        test = BINOMIAL
    elif population.binary and study.rules.design == "independent":
        rates = np.sort(moments.means, axis=1)
        arguments = rates[:, 0], rates[:, 1], study.level
        # The normal limit says where to look, so that few exact regions are needed.
        near = _smallest(lambda n: _normal_power(n, *arguments), power, 2)
        n = near and _smallest(lambda n: barnard_power(n, *arguments), power, max(near - 2, 2))
        test = BARNARD
    else:
        # Against a number that has no variance the paired test is that of one sample.
        paired = study.rules.design == "paired" or number
        n = _smallest(lambda n: t_test_power(n, moments, study.level, paired=paired), power, 2)
        test = ONE_SAMPLE_T if number else PAIRED_T if paired else WELCH
    return None if n is None else FixedPlan(n, test)


def barnard_power(n: int, rates0: Floats, rates1: Floats, level: float) -> float:
    """Return the power of Barnard's one-sided test, averaged over pairs of rates.

    Exact up to ``MOST_EXACT`` trials per policy; beyond, by the normal limit.
    """
    if n > MOST_EXACT:
        return _normal_power(n, rates0, rates1, level)
    region = barnard_region(n, level)
    chance0, chance1 = binomial_chances(n, rates0), binomial_chances(n, rates1)
    return float(np.mean(np.einsum("wi,ij,wj->w", chance0, region, chance1, optimize=True)))


def binomial_power(n: int, rates: Floats, number: float, level: float) -> float:
    """Power of the exact binomial test of a success rate, on the side of each rate."""
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
    """Return the power of a one-sided t-test, averaged over worlds, by the noncentral t.

    Unpaired it is Welch's, with the degrees of freedom of the true variances.
    """
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


def _many_policies(
    study: PlannedOrder, moments: Moments, power: float, rng: np.random.Generator
) -> FixedPlan | None:
    """Every pair at Bonferroni's level: the n at which all different ones are found."""
    first, second = study.family.pairs.T
    worlds = rng.integers(len(moments.means), size=NOISES)
    roots = np.linalg.cholesky(moments.covariances + 1e-12 * np.eye(moments.means.shape[1]))
    noise = np.einsum("nij,nj->ni", roots[worlds], rng.standard_normal((NOISES, len(roots[0]))))
    gap = moments.means[:, second] - moments.means[:, first]
    variances = np.diagonal(moments.covariances, axis1=1, axis2=2)
    between = moments.covariances[:, first, second]
    spread = np.sqrt(np.maximum(variances[:, first] + variances[:, second] - 2 * between, 1e-18))
    effect, sign = (np.abs(gap) / spread)[worlds], np.sign(gap)[worlds]
    luck = sign * (noise[:, second] - noise[:, first]) / spread[worlds]
    with np.errstate(divide="ignore"):
        root = np.where(effect > 1e-9, (-ndtri(study.level) - luck) / effect, 0.0)
    needed = np.maximum(root, 0.0).max(axis=1) ** 2
    n = float(np.quantile(needed, power, method="higher"))
    if n > MOST_TRIALS:
        return None
    return FixedPlan(max(int(np.ceil(n)), 2), ALL_PAIRS)


def _smallest(power_of: Callable[[int], float], target: float, start: int) -> int | None:
    """Smallest n from 2 with this power, searched from the start; nearly monotone."""
    short = enough = start
    stride = 1
    while short > 1 and power_of(short) >= target:
        short, enough, stride = max(short - stride, 1), short, 2 * stride
    while enough == short or power_of(enough) < target:
        short, enough, stride = enough, enough + stride, 2 * stride
        if enough > MOST_TRIALS:
            return None
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if power_of(middle) >= target else (middle, enough)
    return enough
