"""Bets for a claim of sameness: the gap to the margin is known if the policies are equal."""

import numpy as np

from stopwise.core.arrays import Floats, between
from stopwise.core.nscore_plus.constants import (
    LEAST_CHANCE_DEVIATIONS,
    SAMENESS_DEVIATIONS,
    SAMENESS_PAIRS,
    SAMENESS_SHARE,
)

ROOT_HALF, HAZARD = np.sqrt(0.5), np.sqrt(2.0 / np.pi)


def sameness_bet(
    gap: Floats, left: Floats | None, pairs: Floats, total: Floats, need: Floats
) -> Floats:
    """Return the standardised bet, given the gap to the margin in deviations per pair."""
    shown = (total - SAMENESS_DEVIATIONS * np.sqrt(pairs)) / (pairs + SAMENESS_PAIRS)
    bet: Floats = np.maximum(SAMENESS_SHARE * gap, shown)
    if left is None:
        return bet
    from scipy.special import erfcx

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
    """Upper quantile exp(-need) of a standard normal."""
    from scipy.special import ndtri

    threshold: Floats = -ndtri(np.exp(-between(need, 1e-6, 600.0)))
    return threshold
