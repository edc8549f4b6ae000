"""The checks of what is declared: each returns a plain value, or raises in one line."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core import registry
from stopwise.core.scores import is_number, numeric_array, require_whole
from stopwise.errors import require, require_choice
from stopwise.messages import named

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

DESIGNS = ("independent", "paired")
# Settings that one goal has, and the others have not.
OF_GOALS = {
    "order": ("adjust", "baseline", "ties"),
    "best": ("indifference", "allocation", "later"),
}


def checked_parameters(rules: "Rules") -> dict[str, Any]:
    return {key: _plain(value, key) for key, value in rules.parameters.items()}


def checked_policies(rules: "Rules") -> tuple[str, ...]:
    names = tuple(rules.policies)
    few = f"a ranking needs at least 2 policies, but got {len(names)}"
    require(len(names) >= 2, few, code="few-policies", parameter="policies")
    for name in names:
        text = f"the names of policies must be text, but got {name!r}"
        require(isinstance(name, str) and bool(name.strip()), text, parameter="policies")
    twice = f"policies must be distinct, but got {', '.join(names)}"
    require(len(set(names)) == len(names), twice, parameter="policies")
    if rules.baseline is not None:
        require_choice("baseline", rules.baseline, names)
    return names


def checked_alpha(rules: "Rules") -> float:
    require(
        is_number(rules.alpha) and 0 < rules.alpha < 1,
        named("alpha"),
        f" must lie strictly between 0 and 1, but got {rules.alpha!r}",
    )
    return float(rules.alpha)


def checked_n_max(rules: "Rules") -> int | None:
    n_max = None if rules.n_max is None else require_whole(rules.n_max, "n_max", 1)
    require(
        n_max is not None or not registry.find(rules.method).needs_n_max,
        f"{rules.method} needs ",
        named("n_max"),
        ", the most trials per policy, declared before the first one",
    )
    return n_max


def check_design(rules: "Rules") -> None:
    require_choice("design", rules.design, DESIGNS)
    rules.reading.check_design()


def asks_not_worse(rules: "Rules") -> bool:
    """Whether a negative margin has no direction yet."""
    return rules.alternative == "two-sided" and is_number(rules.margin) and rules.margin < 0


def checked_margin(rules: "Rules") -> float:
    span = rules.scale.span
    # A margin as wide as the range would make the claim empty or certain.
    require(
        is_number(rules.margin) and abs(rules.margin) < (1 - 1e-6) * span,
        f"margin must lie strictly between -{span:g} and {span:g}, the width of the bounds, "
        f"but got {rules.margin!r}",
        parameter="margin",
    )
    takes = registry.find(rules.method).takes_margin
    require(rules.margin == 0 or takes, f"{rules.method} takes no margin", parameter="margin")
    require(
        rules.margin >= 0 or rules.alternative != "two-sided",
        "a negative margin (not worse) needs a ",
        named("baseline"),
        " that others are not to be worse than (a test of one pair: alternative 'greater' or "
        f"'less'), but got margin {rules.margin!r} without",
    )
    return float(rules.margin)


def checked_indifference(rules: "Rules") -> float:
    span = rules.scale.span
    require(
        is_number(rules.indifference) and 0 <= rules.indifference < (1 - 1e-6) * span,
        f"indifference must be at least 0 and below {span:g}, the width of the bounds, but got "
        f"{rules.indifference!r}",
        parameter="indifference",
    )
    return float(rules.indifference)


def checked_equivalence(rules: "Rules") -> float | None:
    span, within = rules.scale.span, rules.equivalence
    if within is None:
        return None
    require(
        is_number(within) and 0 < within < (1 - 1e-6) * span,
        named("equivalence"),
        f" must be above 0 and below {span:g}, the width of the bounds, but got {within!r}",
    )
    require(
        registry.find(rules.method).takes_margin,
        named("equivalence"),
        f" needs a method that bets with a margin; {rules.method} takes no margin",
    )
    return float(within)


def checked_later(rules: "Rules") -> tuple[str, ...]:
    for name in rules.later:
        text = f"later must name some of the policies, but {name!r} is not one of them: list it"
        require(name in rules.policies, f"{text} under policies as well", parameter="later")
    first = len(rules.policies) - len(set(rules.later))
    require(
        first >= 2 or not rules.later,
        f"at least 2 policies must be there from the start, but only {first} of "
        f"{len(rules.policies)} are",
        parameter="later",
    )
    return tuple(rules.later)


def check_goal(rules: "Rules", usual: Mapping[str, Any]) -> None:
    """Raise if a setting was chosen that has no effect with this goal."""
    for goal, names in OF_GOALS.items():
        for name in names:
            require(
                rules.takes(name) or getattr(rules, name) == usual[name],
                named(name),
                f" belongs to the goal {goal!r}, but the goal is {rules.goal!r}: leave it out",
            )


def _plain(value: Any, name: str) -> Any:
    """Return a parameter as plain Python numbers, strings, booleans or tuples of them."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic) or is_number(value):
        return value.item() if isinstance(value, np.generic) else float(value)
    array = numeric_array(value if hasattr(value, "__len__") else [value], name)
    return tuple(array.ravel().tolist())
