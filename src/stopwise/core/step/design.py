"""A synthesised table with its exact error, power and expected number of pairs."""

import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stopwise.core.arrays import Doubles
from stopwise.core.progress import Progress, watched
from stopwise.core.step.exact import (
    Rule,
    WorstCase,
    duration_given_counts,
    mean_over_counts,
    rejection_given_counts,
    rejection_under_drift,
)
from stopwise.core.step.synthesis import default_alternatives, synthesise
from stopwise.errors import InvalidInput, require
from stopwise.files import replace_file

# Part of every file name: raise it whenever a synthesised number can change.
VERSION = 1
LARGEST = 2000


class Certificate(NamedTuple):
    """What is known for certain about a design."""

    expected_n: float  # of pairs, averaged over the alternatives that the design is made for
    # No test with this level, horizon and mean power has a smaller mean expected number of pairs
    # (of those that stop undecided only at the horizon).
    lower_bound: float


@dataclass(frozen=True, kw_only=True)
class StepDesign:
    """A synthesised test with its exact operating characteristics.

    The outcomes of the two policies are independent, with success rates ``p0`` and ``p1``. The test
    declares ``p1 > p0`` with probability at most ``alpha`` whenever ``p1 <= p0``; the mirrored
    declaration has the same guarantee. Both rates must stay constant for the whole study; otherwise
    the error may be larger (`drift_error`). Nothing here is simulated, and all of it is of a study
    that heeds no advice on futility.

    Parameters
    ----------
    alpha : float
        Level of each direction.
    n_max : int
        Horizon in pairs.
    rule : Rule
        The decision tables.
    worst : WorstCase
        Proof of the level.
    objective_bound : float
        Lower bound of the design objective.
    """

    alpha: float
    n_max: int
    rule: Rule = field(repr=False)
    worst: WorstCase
    objective_bound: float = field(repr=False)

    def error(self, p: ArrayLike) -> Doubles:
        """Probability of declaring policy 1 better when both succeed with probability ``p``."""
        return self.power(p, p)

    def power(self, p0: ArrayLike, p1: ArrayLike) -> Doubles:
        """Probability of declaring policy 1 better, at success rates in [0, 1]."""
        return _mean(self._rejection, p0, p1)

    def expected_n(self, p0: ArrayLike, p1: ArrayLike) -> Doubles:
        """Return the expected number of pairs until a decision in either direction, or n_max."""
        return _mean(self._duration, p0, p1)

    def worst_case(self) -> WorstCase:
        """Proven bound of the error over all ``p1 <= p0``, and where it is nearly attained."""
        return self.worst

    @cached_property
    def drift_error(self) -> float:
        """Largest error if the rates may change from pair to pair, in response to the outcomes.

        In every pair policy 1 has at most the rate of policy 0. The level is proven for rates that
        stay the same; this says how much it depends on that.
        """
        return rejection_under_drift(self.rule)

    @cached_property
    def certificate(self) -> Certificate:
        """Expected number of pairs, and its lower bound for every test."""
        rates0, rates1, weights, stakes = default_alternatives(self.n_max)
        expected = float(np.sum(weights * self.expected_n(rates0, rates1)))
        missed = float(np.sum(stakes * (1.0 - self.power(rates0, rates1))))
        return Certificate(expected, self.objective_bound - missed)

    @cached_property
    def _rejection(self) -> Doubles:
        return rejection_given_counts(self.rule)

    @cached_property
    def _duration(self) -> Doubles:
        return duration_given_counts(self.rule)


def _mean(matrix: Doubles, p0: ArrayLike, p1: ArrayLike) -> Doubles:
    rates = np.broadcast_arrays(*(np.asarray(p, dtype=np.float64) for p in (p0, p1)))
    if not all(np.all((rate >= 0.0) & (rate <= 1.0)) for rate in rates):
        raise InvalidInput("success rates must lie between 0 and 1")
    return mean_over_counts(matrix, *(rate.ravel() for rate in rates)).reshape(rates[0].shape)


def step_design(alpha: float, n_max: int) -> StepDesign:
    """Return a near-optimal sequential test of two success rates, from the cache or newly made.

    Parameters
    ----------
    alpha : float
        Level of each direction, in (0, 1/2).
    n_max : int
        Horizon: the largest number of pairs, between 2 and 2000.

    Examples
    --------
    >>> design = step_design(0.05, 20)
    >>> bool(design.worst_case().error <= 0.05)
    True
    >>> float(design.power(0.2, 0.9)) > 0.9
    True
    """
    require(0.0 < alpha < 0.5, f"alpha must lie between 0 and 1/2, got {alpha!r}")
    if n_max != int(n_max) or not 2 <= n_max <= LARGEST:
        raise InvalidInput(f"step needs n_max between 2 and {LARGEST}, got {n_max!r}")

    def make(progress: Progress) -> dict[str, NDArray[Any]]:
        rule, worst, lower_bound = synthesise(alpha, n_max, progress)
        known = {"worst_case": np.array(worst), "lower_bound": np.array(lower_bound)}
        return {"reject_from": rule.reject_from, "continue_from": rule.continue_from, **known}

    arrays = load_or_make(f"advisory-n{n_max}-a{float(alpha)!r}", n_max, make)
    return StepDesign(
        alpha=float(alpha),
        n_max=int(n_max),
        rule=Rule(arrays["reject_from"], arrays["continue_from"]),
        worst=WorstCase(*(float(value) for value in arrays["worst_case"])),
        objective_bound=float(arrays["lower_bound"]),
    )


def cache_folder() -> Path:
    """Folder of the tables: ``STOPWISE_CACHE``, else the user's cache folder."""
    chosen = os.environ.get("STOPWISE_CACHE")
    if chosen:
        return Path(chosen)
    usual = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    base = os.environ.get(usual) or Path.home() / ".cache"
    return Path(base) / "stopwise" / "step"


def load_or_make(
    name: str,
    n_max: int,
    make: Callable[[Progress], Mapping[str, NDArray[Any]]],
) -> Mapping[str, NDArray[Any]]:
    """Read the table of this name, unique for its parameters, from disk, or make and store it."""
    path = cache_folder() / f"{name}-v{VERSION}.npz"
    try:
        # Opened here, because numpy leaves the file open when it finds it damaged.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return {key: stored[key] for key in stored.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error):
        with watched(f"table of step for n_max = {n_max}") as progress:
            arrays = make(progress)
    content = BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content.getvalue())
    except OSError:
        pass  # a table that cannot be kept is made again the next time
    return arrays
