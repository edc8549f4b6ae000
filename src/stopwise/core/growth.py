"""The bet of ``nscore-plus`` where no horizon lies ahead: greatest growth, given an effect."""

from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr, ndtri

from stopwise.core.arrays import Floats
from stopwise.core.horizon import GREATEST, LEAST

__all__ = ["growth_bet"]

# Least effect per pair considered when no horizon is declared. The bet on it still finds effects
# above half that size (.03 in some 2 * 10^4 pairs); a lesser one would slow all others down.
LEAST_WITHOUT_HORIZON = 0.05
EFFECTS = 24


@lru_cache(maxsize=64)
def _effects(n_max: int | None) -> Floats:
    """Return the log-uniform grid of effects."""
    least = LEAST_WITHOUT_HORIZON if n_max is None else LEAST / float(np.sqrt(n_max))
    return np.geomspace(least, max(GREATEST, 1.5 * least), EFFECTS)


def growth_bet(
    n_max: int | None, pairs: Floats, total: Floats, need: Floats, second_order: float
) -> Floats:
    """Posterior mean effect, given that there is one; never more than one step can use.

    Parameters
    ----------
    n_max : int or None
        The declared horizon, which fixes the least effect of interest.
    pairs, total, need : ndarray
        Pairs seen, sum of standardised differences, log-wealth to go.
    second_order : float
        What the squared effect adds to the second moment of a step.
    """
    theta = _effects(n_max)
    exponent = theta * total[..., None] - 0.5 * theta**2 * pairs[..., None]
    weights = np.exp(exponent - exponent.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    # Greatest expected log-growth to second order: a broad posterior bets less than its mean.
    effect, squared = (weights * theta).sum(axis=-1), (weights * theta**2).sum(axis=-1)
    bet: Floats = effect / (1 + second_order * squared)
    # the bet that replicates "reject if the next step is large enough" at the present wealth
    quantile = ndtri(np.exp(-np.minimum(np.maximum(need, 1e-9), 300.0)))
    last = np.exp(-0.5 * quantile**2 - log_ndtr(quantile)) / np.sqrt(2 * np.pi)
    return np.asarray(np.where(need > 0, np.minimum(bet, last), bet), dtype=np.float64)
