"""What is declared of a proxy, a cheap score of the same scene: the mean of its difference.

``docs/design/proxy.md`` has the claim, what it assumes, and the proof.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stopwise.core.scores import Scale, is_number, numeric_array
from stopwise.errors import require

__all__ = ["SHARE", "declared_mean", "declared_share", "mean_bounds", "scene_bounds"]

# Of alpha, what bounds of the mean may cost if it is not known.
SHARE = 0.1


def declared_mean(mean: Any, scale: Scale) -> tuple[float, float]:
    """Return bounds of the mean of g1 - g0, equal if it is known, or raise."""
    pair = isinstance(mean, Sequence) and not isinstance(mean, str) and len(mean) == 2
    ends = tuple(mean) if pair else (mean, mean)
    require(
        all(is_number(end) and abs(end) <= scale.span for end in ends) and ends[0] <= ends[1],
        "proxy_mean must be the mean of g1 - g0, or bounds (low, high) of it, from "
        f"-{scale.span:g} to {scale.span:g}, but got {mean!r}",
        parameter="proxy_mean",
    )
    return float(ends[0]), float(ends[1])


def declared_share(share: Any, bounds: tuple[float, float]) -> float:
    """Return the share of alpha that the bounds cost: none if the mean is known, or raise."""
    if share is None:
        return SHARE if bounds[0] < bounds[1] else 0.0
    require(
        is_number(share) and 0 <= share < 1,
        f"proxy_share must be at least 0 and below 1, but got {share!r}",
        parameter="proxy_share",
    )
    return float(share)


def scene_bounds(scores: object, scale: Scale, level: float) -> tuple[float, float]:
    """Return bounds of the mean of g1 - g0 from simulated scenes, each wrong with this chance.

    By the empirical Bernstein inequality of Maurer and Pontil (2009).

    Parameters
    ----------
    scores
        Array (M, 2) of (g0, g1), one row per simulated scene.
    scale
        The bounds of the score, which are those of the proxy.
    level
        Probability that the lower bound is too high, and that the upper one is too low.
    """
    array = numeric_array(scores, "proxy_scores")
    require(
        array.ndim == 2 and array.shape[1:] == (2,) and len(array) >= 2,
        "proxy_scores must have a row (g0, g1) for each of 2 or more simulated scenes, but got "
        f"shape {array.shape}",
        parameter="proxy_scores",
    )
    scale.check(array, "proxy_scores")
    return mean_bounds((array[:, 1] - array[:, 0]).astype(float), scale.span, level)


def mean_bounds(
    differences: NDArray[np.float64], span: float, level: float
) -> tuple[float, float]:
    """Return bounds of the mean of independent numbers in [-span, span]."""
    count, doubt = differences.size, math.log(2 / level)
    deviation = math.sqrt(2 * float(differences.var(ddof=1)) * doubt / count)
    width = deviation + 2 * span * 7 * doubt / (3 * (count - 1))
    mean = float(differences.mean())
    return max(mean - width, -span), min(mean + width, span)
