"""What each method promises, in words: every sentence that states a level asks here."""

from stopwise.core import registry
from stopwise.core.dependence import TOGETHER

# Scores that fill less than this share of the declared range are told so, after so many pairs.
LITTLE, ENOUGH_PAIRS = 0.25, 10


def promise(method: str, chance: str, alpha: float, *, bounds_inferred: bool = False) -> str:
    """Bound a chance by a method, with its conditions besides fresh trials.

    ``chance`` says of what, in words.

    Examples
    --------
    >>> from stopwise.core.promise import promise
    >>> promise("wsr", "the chance of an error", 0.05)
    'the chance of an error is at most 0.05'
    >>> promise("step", "the chance of an error", 0.05)
    'the chance of an error is at most 0.05, given success rates that stay the same throughout'
    """
    if bounds_inferred:
        return "nothing is guaranteed, since the bounds were taken from the data"
    cls = registry.find(method)
    given = ", given success rates that stay the same throughout" if cls.constant_rates else ""
    return f"{chance} is at most {alpha:g}{given}"


def dependence_text(
    policy0: str, policy1: str, found: str, method: str, *, pairable: bool = True
) -> str:
    """Explain, in a clause, the cost of dependence in scores that are taken for independent.

    Scores were found to move "together" or "opposed"; stored trials cannot be declared as paired.
    """
    moves = "rise and fall together" if found == TOGETHER else "move against each other"
    costs = (
        "this wastes trials" if found == TOGETHER else "the chance of an error may exceed its limit"
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


def same_text(within: float | None) -> str:
    if within is None:
        return "equal"
    return f"practically the same (means less than {within:g} apart)"


def drift_text(found: str | None) -> str:
    text = "Sameness assumes a difference that stays the same throughout"
    return text if found is None else f"{text}, but here it {found} along the way"


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
