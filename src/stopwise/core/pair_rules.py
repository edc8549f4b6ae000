"""The rules of a test, and what simulated scenes say of a proxy's mean."""

from typing import Any

from stopwise.core.readings.scenes import beside_scenes
from stopwise.core.rules import Rules
from stopwise.core.scores import is_number


def pair_rules(scenes: object | None = None, **settings: Any) -> Rules:
    """Make the rules of a test of one pair from the keywords that were given."""
    margin = settings.get("margin", 0.0)
    if is_number(margin) and margin < 0:
        settings.setdefault("alternative", "greater")
    if settings.get("reference") is not None:
        settings["policies"] = ("the policy",)
    return rules_beside(scenes, **settings)


def rules_beside(scenes: object | None, **settings: Any) -> Rules:
    """Return the rules of flat keywords, with a batch of simulated scenes, if any, for each row."""
    rules = Rules.of(**settings)
    return rules if scenes is None else beside_scenes(rules, scenes)
