"""The words of answers: what is claimed, what a method promises, what speaks against it."""

from collections.abc import Mapping
from typing import Any

from stopwise.core import registry
from stopwise.core.dependence import TOGETHER

# Scores that fill less than this share of the declared range are told so, after so many pairs.
LITTLE, ENOUGH_PAIRS = 0.25, 10
# Most policies whose whole order still makes a sentence.
MOST_IN_WORDS = 10
STEADY = "Sameness assumes a difference that stays the same throughout"


def promise(method: str, chance: str, alpha: float, *, bounds_inferred: bool = False) -> str:
    """Bound a chance by a method, with its conditions besides fresh trials."""
    if bounds_inferred:
        return "nothing is guaranteed, since the bounds were taken from the data"
    cls = registry.find(method)
    given = ", given success rates that stay the same throughout" if cls.constant_rates else ""
    return f"{chance} is at most {alpha:g}{given}"


def dependence_text(
    policy0: str, policy1: str, dependence: str, method: str, *, pairable: bool = True
) -> str:
    """Explain, in a clause, the cost of dependence in scores that are taken for independent."""
    moves = "rise and fall together" if dependence == TOGETHER else "move against each other"
    costs = (
        "this wastes trials"
        if dependence == TOGETHER
        else "the chance of an error may exceed its limit"
    )
    paired = "paired" in registry.find(method).designs
    instead = "" if paired else ", with nscore-plus, nscore or wsr"
    advice = f"declare such trials as paired{instead}"
    if not pairable:
        advice = "stored trials must have been run apart from the new ones"
    return (
        f"the scores of {policy0} and {policy1} {moves} from pair to pair, as if they shared "
        f"scenes or conditions, although they are treated as independent: {costs}; {advice}"
    )


def order_claim(
    better: str,
    other: str,
    margin: float,
    *,
    beats: str = "is better than",
    not_worse: str = "is not worse than {}",
) -> str:
    """Claim that one of two is better by more than the margin, or not worse if it is negative."""
    if margin < 0:
        return f"{better} {not_worse.format(other)} by {-margin:g} or more"
    return f"{better} {beats} {other}{by_margin(margin)}"


def by_margin(margin: float) -> str:
    return f" by more than {margin:g}" if margin > 0 else ""


def same_claim(one: str, other: str, within: float | None) -> str:
    return f"{one} and {other} are {same_text(within)}"


def same_text(within: float | None) -> str:
    if within is None:
        return "equal"
    return f"practically the same (means less than {within:g} apart)"


def within_text(within: float | None) -> str:
    return "" if within is None else f" (within {within:g})"


def best_claim(
    best: str | None,
    left: tuple[str, ...],
    k: int,
    indifference: float,
    *,
    aside: tuple[str, ...] = (),
) -> str:
    """Name the best of k, or all that may be; those ``aside`` need no more trials."""
    if best is not None:
        near = f", or within {indifference:g} of it" if indifference else ""
        return f"{best} is the best of {k}{near}"
    tried = [name for name in left if name not in aside]
    few = len(tried) <= MOST_IN_WORDS
    rest = f", but only {', '.join(tried) if few else len(tried)} still need trials"
    rest = rest if aside else ""
    if len(left) == k:
        return f"Each of the {k} policies may be the best{rest}"
    named = ", ".join(left) if few and not aside else f"{len(left)} of them"
    return f"The best of {k} is among {named}{rest}"


def futility_text(parameters: Mapping[str, Any], *, further: bool) -> str:
    decision = f"a {'further ' if further else ''}decision by n_max"
    if parameters.get("futility") == "binding":
        return f"stopped for futility: {decision} had become unlikely"
    return f"{decision} has become unlikely"


def wide_bounds_text(low: float, high: float, bounds: tuple[float, float]) -> str | None:
    """Return a clause on scores from low to high that fill little of the declared range, or None.

    Only the bounds are known of scores not yet seen, so evidence grows in proportion to how much
    of them is used. Scores that are all alike tell nothing about the range.
    """
    span = bounds[1] - bounds[0]
    used = (high - low) / span
    if not 0 < used < LITTLE:
        return None
    return (
        f"the scores fill only {100 * used:.2g}% of the declared range "
        f"[{bounds[0]:g}, {bounds[1]:g}], and trials are needed in proportion to its width; if "
        "scores outside some narrower range cannot occur, declare that one before the next study"
    )
