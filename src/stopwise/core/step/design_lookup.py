"""A design by its settings: from the disk, or synthesised now."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stopwise.core.progress import Progress, watched
from stopwise.core.step import cache
from stopwise.core.step.design import StepDesign
from stopwise.core.step.stopping_rule import Rule
from stopwise.core.step.synthesis import synthesise
from stopwise.core.step.worst_case import WorstCase
from stopwise.errors import InvalidInput, require, require_choice

_FUTILITY = (None, "advisory", "binding")
_LARGEST = 2000
_RULE = tuple(entry.name for entry in fields(Rule))


def step_design(
    alpha: float, n_max: int, *, futility: str | None = "advisory", progress: Progress | None = None
) -> StepDesign:
    """Return a near-optimal sequential test of two success rates, from the cache or newly made.

    Parameters
    ----------
    alpha : float
        Level of each direction, in (0, 1/2).
    n_max : int
        Horizon: the largest number of pairs, between 2 and 2000.
    futility : {None, "advisory", "binding"}
        Advisory stops may be ignored: the level is computed without them. Binding stops end the
        study, which saves pairs; the level holds only if they are obeyed.
    progress : callable, optional
        Called with (done, total) while a table is synthesised.

    Examples
    --------
    >>> design = step_design(0.05, 20)
    >>> bool(design.worst_case().error <= 0.05)
    True
    >>> float(design.power(0.2, 0.9)) > 0.9
    True
    """
    _validate(alpha, n_max, futility)
    binding = futility == "binding"

    def make(renew: Callable[[], None]) -> cache.Arrays:
        seconds = max(estimated_seconds(n_max), 1)
        title = f"table of step for n_max = {n_max}, about {seconds:.0f} s"
        shown = nullcontext(progress) if progress else watched(title)
        with shown as show:

            def tell(done: int, total: int) -> None:
                renew()
                show(done, total)

            return _arrays(alpha, n_max, binding=binding, progress=tell)

    kind = "binding" if binding else "advisory"
    arrays = cache.load_or_make(f"{kind}-n{n_max}-a{float(alpha)!r}", make)
    return StepDesign(
        alpha=float(alpha),
        n_max=int(n_max),
        futility=futility,
        rule=_rule(arrays, keep_futility=futility is not None),
        worst=WorstCase(*(float(value) for value in arrays["worst_case"])),
        objective_bound=float(arrays["lower_bound"]),
    )


def estimated_seconds(n_max: int) -> float:
    """Rough time to synthesise a table on one core of a common machine, for display."""
    scale: float = n_max / 200.0
    return float(2.0 * scale**1.3 + 0.5 * scale**3)


def _arrays(alpha: float, n_max: int, **options: Any) -> dict[str, NDArray[Any]]:
    rule, worst, lower_bound = synthesise(alpha, n_max, **options)
    own = {name: getattr(rule, name) for name in _RULE}
    return {**own, "worst_case": np.array(worst), "lower_bound": np.array(lower_bound)}


def _rule(arrays: cache.Arrays, *, keep_futility: bool) -> Rule:
    rule = Rule(*(arrays[name] for name in _RULE))
    none = np.zeros_like(rule.continue_from)
    return rule if keep_futility else replace(rule, continue_from=none)


def _validate(alpha: float, n_max: int, futility: str | None) -> None:
    require(0.0 < alpha < 0.5, f"alpha must lie between 0 and 1/2, got {alpha!r}")
    if n_max != int(n_max) or not 2 <= n_max <= _LARGEST:
        raise InvalidInput(f"step needs n_max between 2 and {_LARGEST}, got {n_max!r}")
    require_choice("futility", futility, _FUTILITY)
