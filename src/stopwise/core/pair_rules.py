"""The rules of a test, and what simulated scenes say of a proxy's mean."""

from dataclasses import replace
from typing import Any

from stopwise.core.proxy import compared_pairs, scene_batches, unit_scenes
from stopwise.core.rules import Rules
from stopwise.core.scores import is_number
from stopwise.errors import require
from stopwise.messages import BLANK, Setting


def pair_rules(scenes: object | None = None, **settings: Any) -> Rules:
    """Make the rules of a test of one pair from the keywords that were given.

    ``scenes`` are simulated scores (M, 2) of a proxy, for the mean of its difference. A negative
    margin asks whether policy 1 is not worse, where ``alternative`` says nothing else.
    """
    margin = settings.get("margin", 0.0)
    if is_number(margin) and margin < 0:
        settings.setdefault("alternative", "greater")
    if settings.get("reference") is not None:
        settings["policies"] = ("the policy",)
    return rules_beside(scenes, **settings)


def rules_beside(scenes: object | None, **settings: Any) -> Rules:
    """Return the rules of flat keywords, with a batch of simulated scenes, if any, for each row."""
    if scenes is None:
        return Rules.of(**settings)
    require(
        settings.get("proxy_mean") is None,
        "proxy_mean is taken from proxy_scores: give one of the two",
        parameter="proxy_mean",
    )
    require(
        settings.get("audit") is None,
        "with audits the mean of the proxy is not needed: leave proxy_scores out",
        parameter="proxy_scores",
    )
    rules = Rules.of(**settings)
    require(
        rules.n_max is not None,
        Setting("n_max", BLANK),
        " is needed with simulated scenes: each row gets some of them",
    )
    unit = unit_scenes(scenes, rules)
    means = rules.scale.span * unit.mean(axis=0)
    known = tuple(float(means[second] - means[first]) for first, second in compared_pairs(rules))
    return replace(
        rules,
        proxy_mean=known if len(known) > 1 else known[0],
        proxy_batches=scene_batches(unit, rules),
    )
