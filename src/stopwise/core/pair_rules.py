"""The rules of a test, and what simulated scenes say of a proxy's mean."""

from dataclasses import replace
from typing import Any

from stopwise.core.comparison import Comparison
from stopwise.core.proxy import SHARE, compared_pairs, scene_batches, scene_bounds, unit_scenes
from stopwise.core.rules import Rules
from stopwise.core.scores import is_number
from stopwise.errors import require


def pair_rules(scenes: object | None = None, **settings: Any) -> Rules:
    """Return the rules of a test of one pair, from those of its keywords that were given.

    ``scenes`` are simulated scores (M, 2) of a proxy, for bounds of the mean of its difference.
    """
    usual = {"alternative": "greater", "ties": "paper", **settings}
    if settings.get("reference") is not None:
        usual["policies"] = ("the policy",)
    return rules_beside(scenes, **usual)


def rules_beside(scenes: object | None, **settings: Any) -> Rules:
    """Return the rules of flat keywords, with what simulated scenes, if any, say of a proxy."""
    if scenes is None:
        return Rules.of(**settings)
    require(
        settings.get("proxy_mean") is None,
        "proxy_mean is taken from proxy_scores: give one of the two",
        parameter="proxy_mean",
    )
    share = settings.pop("proxy_share", None)
    return with_scenes(Rules.of(**settings), scenes, share)


def with_scenes(rules: Rules, scenes: object, share: float | None) -> Rules:
    """Return the rules with what simulated scenes (M, policies) say of a proxy's mean.

    Bounds of it, over all pairs and directions together, fail with probability at most share *
    alpha. Bets rest on them if a share is given or there is no n_max. Else each pair of trials has
    a batch of scenes of its own, and bounds only serve the watch on real scenes.
    """
    pairs = len(compared_pairs(rules))
    batches = share is None and rules.n_max is not None
    share = SHARE if share is None else share
    require(is_number(share) and 0 < share < 1, "proxy_share must lie between 0 and 1")
    level = share * rules.alpha / (pairs * Comparison(rules).shares)
    unit = unit_scenes(scenes, rules)
    bounds = scene_bounds(unit, rules, level)
    if not batches:
        return replace(rules, proxy_mean=bounds, proxy_share=share)
    return replace(rules, proxy_mean=bounds, proxy_batches=scene_batches(unit, rules))
