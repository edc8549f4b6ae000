"""What is compared, validated once: the settings that streams and simulations share."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stopwise.core import registry
from stopwise.core.confidence import ConfidenceSequence, WsrConfidenceSequence
from stopwise.core.method import Bools, Evidence, Floats, Ints, Method, require
from stopwise.errors import InvalidInput

__all__ = ["Comparison"]

ALTERNATIVES = ("greater", "less", "two-sided")
DESIGNS = ("independent", "paired")
TIES = ("paper", "strict")
# Data files round milestone values to about 8 digits.
LEVEL_TOLERANCE = 1e-6


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The settings of one comparison of two policies.

    Parameters
    ----------
    method
        Name of the method, see ``stopwise.methods()``.
    alpha
        Probability, in (0, 1), of ever declaring a policy better that is not.
    n_max
        The declared greatest number of pairs, at least 1, or None.
    bounds
        Range [A, B] of the score, known before the data; a score outside is an error.
    alternative
        "greater" (is policy 1 better?), "less" (is policy 0 better?) or "two-sided".
    design
        "independent", or "paired" when the policies share each pair's environment.
    margin
        The null hypothesis is mean1 <= mean0 + margin, in units of the score: positive for
        superiority by a margin, negative for non-inferiority (one-sided only).
    ties
        Two-sided only. "paper": both directions at alpha, so that a wrong direction is declared
        with probability at most alpha, but some direction with up to 2 alpha if both means are
        exactly equal. "strict": alpha is split, and ties count as errors too.
    parameters
        The method's own parameters.
    """

    method: str
    alpha: float = 0.05
    n_max: int | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    alternative: str = "greater"
    design: str = "independent"
    margin: float = 0.0
    ties: str = "paper"
    parameters: Mapping[str, Any]

    def __post_init__(self) -> None:
        cls = registry.find(self.method)
        require(
            _is_number(self.alpha) and 0 < self.alpha < 1,
            f"alpha must lie strictly between 0 and 1, but got {self.alpha!r}",
        )
        require(
            self.n_max is None or (_is_whole(self.n_max) and self.n_max >= 1),
            f"n_max must be a whole number of at least 1, or None, but got {self.n_max!r}",
        )
        require(
            self.n_max is not None or not cls.needs_n_max,
            f"{self.method} answers only at a declared n_max, but n_max is None",
        )
        _require_bounds(self.bounds)
        _require_choice("alternative", self.alternative, ALTERNATIVES)
        _require_choice("ties", self.ties, TIES)
        _require_choice("design", self.design, DESIGNS)
        require(
            self.design in cls.designs,
            f"{self.method} is proven only for the {' and '.join(cls.designs)} design, "
            f"not for design={self.design!r}; nscore and wsr hold for both",
        )
        span = self.bounds[1] - self.bounds[0]
        require(
            _is_number(self.margin) and abs(self.margin) < span,
            f"margin must lie strictly between -{span:g} and {span:g}, the width of the bounds, "
            f"but got {self.margin!r}",
        )
        require(self.margin == 0 or cls.takes_margin, f"{self.method} takes no margin")
        require(
            self.margin >= 0 or self.alternative != "two-sided",
            "a negative margin (non-inferiority) is one-sided: choose alternative 'greater' or "
            f"'less', but got margin {self.margin!r} with 'two-sided'",
        )
        _ = self.test  # builds the method now, so that its parameters are checked here

    @cached_property
    def test(self) -> Method[Any]:
        """The method of one direction, with its share of alpha."""
        low, high = self.bounds
        parameters = dict(self.parameters)
        for key in registry.find(self.method).score_parameters:
            if parameters.get(key) is not None:
                values = self.unit_scores(parameters[key], key)
                parameters[key] = tuple(values.tolist())
        return registry.create(
            self.method,
            parameters=parameters,
            alpha=self.alpha / self.shares,
            n_max=self.n_max,
            margin=self.margin / (high - low),
            design=self.design,
        )

    @cached_property
    def confidence(self) -> ConfidenceSequence:
        """The confidence sequence that goes with the method."""
        cls = WsrConfidenceSequence if self.method == "wsr" else ConfidenceSequence
        return cls(alpha=self.alpha)

    @property
    def directions(self) -> tuple[int, ...]:
        """The policies that may be declared better, one test each."""
        return {"greater": (1,), "less": (0,), "two-sided": (1, 0)}[self.alternative]

    @cached_property
    def shares(self) -> int:
        """Into how many equal parts alpha is split over the directions."""
        split = self.ties == "strict" and not registry.find(self.method).splits_itself
        return len(self.directions) if split else 1

    def directed(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """Return both scores with a last axis of directions, swapped where policy 0 is tested."""
        if self.alternative == "greater":
            return r0[..., None], r1[..., None]
        if self.alternative == "less":
            return r1[..., None], r0[..., None]
        both = np.stack((r0, r1), axis=-1)
        return both, np.ascontiguousarray(both[..., ::-1])

    def decide(self, evidence: Evidence) -> tuple[Bools, Ints]:
        """Return whether a decision falls, and for which policy (where it does)."""
        rejected = evidence.rejected
        if self.alternative != "two-sided":
            return rejected[..., 0], np.full(rejected.shape[:-1], self.directions[0])
        # Were both directions rejected at once (absurd levels only), nothing would be known.
        return rejected[..., 0] != rejected[..., 1], rejected[..., 0].astype(np.int64)

    def combined_log_e(self, log_e: Floats) -> Floats:
        """Return the e-value to be held against 1/alpha, over all directions."""
        combined: Floats = log_e.max(axis=-1) - np.log(self.shares)
        return combined

    def combined_p_value(self, p_value: Floats) -> Floats:
        """Return the p-value to be held against alpha, over all directions."""
        combined: Floats = np.minimum(self.shares * p_value.min(axis=-1), 1.0)
        return combined

    def unit_score(self, score: object, policy: str) -> float:
        """Return one score normalised to [0, 1], or raise."""
        if type(score) is float and self.test.score_values() is None:
            low, high = self.bounds
            if low <= score <= high:
                return (score - low) / (high - low)
        if np.ndim(score) != 0:  # type: ignore[arg-type]  # any object has a number of axes
            raise InvalidInput(f"a score must be one number, but {policy} got {score!r}")
        return float(self.unit_scores(score, policy))  # type: ignore[arg-type]

    def unit_scores(self, scores: ArrayLike, policy: str) -> Floats:
        """Return scores normalised to [0, 1], or raise one clear error."""
        self.check_scores(numeric_array(scores, policy), policy)
        return self.normalised(np.asarray(scores))

    def normalised(self, scores: NDArray[Any]) -> Floats:
        """Return checked scores as numbers in [0, 1]."""
        low, high = self.bounds
        return (scores.astype(np.float64) - low) / (high - low)

    def check_scores(self, scores: NDArray[Any], policy: str) -> None:
        """Raise unless every score is finite, within the bounds and of an accepted value."""
        if scores.size == 0:
            return
        low, high = self.bounds
        # One pass without temporaries for good data; NaN makes both comparisons false.
        if not (scores.min() >= low and scores.max() <= high):
            bad = scores[~((scores >= low) & (scores <= high))].flat[0]
            raise InvalidInput(
                f"scores must lie within the bounds [{low:g}, {high:g}], but {policy} got {bad:g}"
            )
        values = self.test.score_values() if policy in _POLICIES else None
        if values is not None:
            unit = self.normalised(scores)
            middles = 0.5 * (values[1:] + values[:-1])
            far = np.abs(values[np.searchsorted(middles, unit)] - unit) > LEVEL_TOLERANCE
            if far.any():
                bad = np.atleast_1d(scores)[np.atleast_1d(far)][0]
                listed = ", ".join(f"{low + value * (high - low):g}" for value in values)
                raise InvalidInput(
                    f"{self.method} takes only the scores {listed}, but {policy} got {bad:g}; "
                    "nscore takes any score within the bounds"
                )


_POLICIES = ("policy 0", "policy 1")


def numeric_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """Return an array of booleans, integers or floats, or raise one clear error."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InvalidInput(f"{what} must be a regular array of numbers: {error}") from error
    if array.size and array.dtype.kind not in "biuf":
        shown = repr(values) if array.ndim == 0 else f"values of type {array.dtype}"
        raise InvalidInput(f"{what} must be numbers, but got {shown}")
    return array


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _require_bounds(bounds: object) -> None:
    good = (
        isinstance(bounds, tuple)
        and len(bounds) == 2
        and all(_is_number(bound) for bound in bounds)
        and bounds[0] < bounds[1]
    )
    require(good, f"bounds must be two finite numbers (low, high), low < high, but got {bounds!r}")


def _require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    require(value in choices, f"{name} must be one of {', '.join(choices)}, but got {value!r}")
