"""What is declared of a proxy, a cheap score of the same scene: the mean of its difference.

``docs/design/proxy.md`` has the claim, what it assumes, and the proof.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.scores import Scale, is_number, numeric_array
from stopwise.errors import require

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

__all__ = ["SHARE", "declared_proxy", "scene_bounds"]

# Of alpha, what bounds of the mean may cost if it is not known.
SHARE = 0.1


def declared_proxy(
    rules: "Rules", *, takes: bool
) -> tuple[tuple[float, float] | None, float | None]:
    """Return bounds of the mean of g1 - g0 and their share of alpha, or raise.

    ``takes`` says whether the method is proven with a proxy.
    """
    mean, share = rules.proxy_mean, rules.proxy_share
    if mean is None:
        text = "proxy_share goes with proxy_mean or proxy_scores, but there is neither"
        require(share is None, text, parameter="proxy_share")
        return None, None
    text = f"{rules.method} takes no proxy: only the bets of nscore-plus are proven with one"
    require(takes, text, parameter="proxy_mean")
    text = "a proxy needs design 'paired': it tells of the scene that both policies meet"
    require(rules.design == "paired", text, parameter="design")
    for name in ("reference", "equivalence"):
        text = f"a proxy does not go with {name}: its bets are for a difference of two policies"
        require(getattr(rules, name) is None, text, parameter=name)
    text = "a proxy goes with means: bounds of scores and of the proxy are what its bets rest on"
    require(rules.by == "means", text, parameter="by")
    low, high = _bounds(mean, rules.scale)
    if share is None:
        share = SHARE if low < high else 0.0
    require(
        is_number(share) and 0 <= share < 1,
        f"proxy_share must be at least 0 and below 1, but got {share!r}",
        parameter="proxy_share",
    )
    return (low, high), float(share)


def _bounds(mean: Any, scale: Scale) -> tuple[float, float]:
    pair = isinstance(mean, Sequence) and not isinstance(mean, str) and len(mean) == 2
    low, high = mean if pair else (mean, mean)
    require(
        all(is_number(end) and abs(end) <= scale.span for end in (low, high)) and low <= high,
        "proxy_mean must be the mean of g1 - g0, or bounds (low, high) of it, from "
        f"-{scale.span:g} to {scale.span:g}, but got {mean!r}",
        parameter="proxy_mean",
    )
    return float(low), float(high)


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
    differences = np.diff(scale.clip(array))[:, 0] / scale.span
    count, doubt = len(differences), math.log(2 / level)
    deviation = math.sqrt(2 * float(differences.var(ddof=1)) * doubt / count)
    width = deviation + 2 * 7 * doubt / (3 * (count - 1))  # they range over [-1, 1]
    mean = float(differences.mean())
    return max(mean - width, -1.0) * scale.span, min(mean + width, 1.0) * scale.span
