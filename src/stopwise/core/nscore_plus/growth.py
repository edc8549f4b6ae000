"""Bets of greatest growth: without a horizon, or where a decision by it is out of reach; sameness.

For a claim of sameness the gap to the margin is known if the policies are equal.
"""

from functools import lru_cache
from statistics import NormalDist

import numpy as np

from stopwise.core.arrays import Bools, Floats, between
from stopwise.core.normal import HAZARD, ROOT_HALF, erfcx

# Tuned; any value is valid. Raise the edition of the method when you change one.
LEAST_EFFECT = 2.0  # times sqrt(n_max)
GREATEST_EFFECT = 2.0  # per pair
LEAST_EFFECT_WITHOUT_HORIZON = 0.005
USUAL_EFFECT = 0.15  # below it the prior without n_max falls
GROWTH_EFFECTS = 30  # effects on the grid of that prior
LEAST_CHANCE_DEVIATIONS = 1.645  # a decision beyond them is out of reach: a chance of .05
HOPED_PAIRS = 4.0  # pairs in favour added to the largest plausible effect
BOUND_SHARE = 0.99  # of the largest bet
SAMENESS_SHARE = 0.85  # of the margin: the assumed gap
SAMENESS_DEVIATIONS = 1.0  # standard errors by which a gap is larger that is bet on as such
SAMENESS_PAIRS = 2.0  # by which that gap is shrunk
# What a step's own squared mean adds to its second moment, by the increment of the design: the bet
# of greatest growth for an effect t is t / (1 + SECOND_ORDER t^2) in units of the deviation.
SECOND_ORDER = {"independent": 0.5, "paired": 1.0}
# Log-wealth to go below which a single step may use less than the bet of greatest growth.
NEAR = 0.69
NORMAL = NormalDist()
# -log P(Z > x) is about LOG_2 + 0.717 x + 0.416 x^2 for x >= 0 (Lin 1989): precise enough here.
LOG_2, LINEAR, SQUARE = 0.693, 0.717, 0.416
# Of futility within bounds: deviations by which the effect may exceed what is seen, pairs that are
# counted before the first and pairs that are too few to judge, and amounts, as shares of the most.
# Fewer deviations: hopeless studies end sooner, and some that would have decided.
HOPED, PRIOR_PAIRS, FIRST_PAIRS = 3.0, 4.0, 5.0
AMOUNTS = (1.0, 0.6, 0.35, 0.2, 0.1)
TINY = 1e-9


@lru_cache(maxsize=64)
def effects(n_max: int | None, points: int) -> Floats:
    """Return the grid of effects per pair, evenly spaced in their logarithm."""
    least = LEAST_EFFECT_WITHOUT_HORIZON if n_max is None else LEAST_EFFECT / float(np.sqrt(n_max))
    grid: Floats = np.geomspace(least, max(GREATEST_EFFECT, 1.5 * least), points)
    grid.flags.writeable = False
    return grid


@lru_cache(maxsize=64)
def _grid(n_max: int | None) -> tuple[Floats, Floats, Floats | None]:
    """Return the effects, their squares and the log of their prior weights, if not all equal."""
    theta = effects(n_max, GROWTH_EFFECTS)
    usual = n_max is not None
    return theta, theta**2, None if usual else 2 * np.minimum(np.log(theta / USUAL_EFFECT), 0.0)


def within_reach(n_max: int, pairs: Floats, total: Floats, need: Floats) -> Bools:
    """Whether a decision by n_max is likely enough to spend the wealth on."""
    known = pairs + HOPED_PAIRS
    largest = (np.maximum(total, 0.0) + np.sqrt(known) + HOPED_PAIRS) / known
    reach = largest * np.sqrt(np.maximum(n_max - pairs, 0.0)) + LEAST_CHANCE_DEVIATIONS
    within: Bools = need <= LOG_2 + reach * (LINEAR + SQUARE * reach)
    return within


def growth_bet(
    n_max: int | None, pairs: Floats, total: Floats, need: Floats, second_order: float
) -> Floats:
    """Bet the posterior mean effect, given that there is one; never more than one step can use."""
    theta, squares, prior = _grid(n_max)
    weights = theta * total[..., None]
    weights = weights - (0.5 * squares) * pairs[..., None]
    if prior is not None:
        weights += prior
    weights -= np.maximum.reduce(weights, axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= np.add.reduce(weights, axis=-1, keepdims=True)
    # Greatest expected log-growth to second order: a broad posterior bets less than its mean.
    effect, squared = (np.add.reduce(weights * power, axis=-1) for power in (theta, squares))
    bet: Floats = effect / (1 + second_order * squared)
    return np.minimum(bet, last_bet(need))


def last_bet(need: Floats) -> Floats:
    """Bet that replicates "reject if the next step is large enough" at the present wealth."""
    last = np.full(np.shape(need), np.inf)
    near = (need > 0) & (need < NEAR)
    if near.any():
        log_chance = -np.maximum(need[near], 1e-9)
        quantile = np.array([NORMAL.inv_cdf(chance) for chance in np.exp(log_chance).tolist()])
        last[near] = np.exp(-0.5 * quantile**2 - log_chance) / np.sqrt(2 * np.pi)
    return last


def chance_within_bounds(
    *, pairs: Floats, total: Floats, variance: Floats, need: Floats, left: Floats, worst: Floats
) -> Floats:
    """Return the chance that bounded bets reach the log-wealth to go in the pairs left."""
    from scipy.special import ndtr  # slow to load, and many tests end without it

    known = pairs + PRIOR_PAIRS
    effect = np.clip((total + HOPED * np.sqrt(variance * known)) / known, 0.0, 1.0)
    deviation = np.sqrt(variance * np.maximum(left, TINY))
    chance = np.zeros(np.shape(need))
    for share in AMOUNTS:
        amount = share * BOUND_SHARE / worst
        gain = left * (np.log1p(amount * effect) - 0.5 * amount * amount * variance)
        chance = np.maximum(chance, ndtr((gain - need) / (amount * deviation)))
    return np.where(pairs < FIRST_PAIRS, 1.0, chance)


def sameness_bet(
    gap: Floats, left: Floats | None, pairs: Floats, total: Floats, need: Floats
) -> Floats:
    """Return the standardised bet, given the gap to the margin in deviations per pair."""
    shown = (total - SAMENESS_DEVIATIONS * np.sqrt(pairs)) / (pairs + SAMENESS_PAIRS)
    bet: Floats = np.maximum(SAMENESS_SHARE * gap, shown)
    if left is None:
        return bet
    root = np.sqrt(np.maximum(left, 1.0))
    threshold = _threshold(need)
    within = (left > 0) & (need > 0) & (gap * root - threshold > -LEAST_CHANCE_DEVIATIONS)
    last = HAZARD / erfcx(threshold * ROOT_HALF) / root
    return np.where(within, np.maximum(bet, last), bet)


def chance_by_n_max(gap: Floats, left: Floats, need: Floats) -> Floats:
    """Return the power of the most powerful test of the pairs left, if the policies are equal."""
    from scipy.special import ndtr

    chance: Floats = ndtr(gap * np.sqrt(np.maximum(left, 0.0)) - _threshold(need))
    return np.where(left > 0, chance, 0.0)


def _threshold(need: Floats) -> Floats:
    from scipy.special import ndtri

    threshold: Floats = -ndtri(np.exp(-between(need, 1e-6, 600.0)))
    return threshold
