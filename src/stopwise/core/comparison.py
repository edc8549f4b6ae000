"""What is compared, validated once: the settings that streams and simulations share."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.confidence import ConfidenceSequence
from stopwise.core.method import Evidence, Method
from stopwise.core.scores import Scale, is_number, numeric_array, require_whole
from stopwise.errors import InvalidInput, require

__all__ = ["Comparison"]

ALTERNATIVES = ("greater", "less", "two-sided")
DESIGNS = ("independent", "paired")
TIES = ("paper", "strict")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The settings of one comparison, as documented on ``SequentialTest``.

    All are checked, converted to plain Python values and copied when it is made; from then on
    nothing can change them, and they survive JSON.
    """

    method: str
    alpha: float
    n_max: int | None
    bounds: tuple[float, float]
    alternative: str
    design: str
    margin: float
    ties: str
    parameters: Mapping[str, Any]

    def __post_init__(self) -> None:
        cls = registry.find(self.method)
        scale = Scale.declared(self.bounds)
        require(
            is_number(self.alpha) and 0 < self.alpha < 1,
            f"alpha must lie strictly between 0 and 1, but got {self.alpha!r}",
        )
        n_max = None if self.n_max is None else require_whole(self.n_max, "n_max", 1)
        require(
            n_max is not None or not cls.needs_n_max,
            f"{self.method} answers only at a declared n_max, but n_max is None",
        )
        _require_choice("alternative", self.alternative, ALTERNATIVES)
        _require_choice("ties", self.ties, TIES)
        _require_choice("design", self.design, DESIGNS)
        require(
            self.design in cls.designs,
            f"{self.method} is proven only for the {' and '.join(cls.designs)} design, "
            f"not for design={self.design!r}; nscore-plus, nscore and wsr hold for both",
        )
        # A margin as wide as the range would make the claim empty or certain.
        require(
            is_number(self.margin) and abs(self.margin) < (1 - 1e-6) * scale.span,
            f"margin must lie strictly between -{scale.span:g} and {scale.span:g}, the width of "
            f"the bounds, but got {self.margin!r}",
        )
        require(self.margin == 0 or cls.takes_margin, f"{self.method} takes no margin")
        require(
            self.margin >= 0 or self.alternative != "two-sided",
            "a negative margin (non-inferiority) is one-sided: choose alternative 'greater' or "
            f"'less', but got margin {self.margin!r} with 'two-sided'",
        )
        converted = {
            "alpha": float(self.alpha),
            "n_max": n_max,
            "bounds": tuple(scale),
            "margin": float(self.margin),
            "parameters": {key: _plain(value, key) for key, value in self.parameters.items()},
        }
        for name, value in converted.items():
            object.__setattr__(self, name, value)
        _ = self.test  # builds the method now, so that its parameters are checked here

    @cached_property
    def scale(self) -> Scale:
        """The declared range of the score."""
        return Scale(*self.bounds)

    @cached_property
    def test(self) -> Method[Any]:
        """The method of one direction, with its share of alpha."""
        parameters = dict(self.parameters)
        for key in registry.find(self.method).score_parameters:
            if parameters.get(key) is not None:
                values = np.atleast_1d(numeric_array(parameters[key], key))
                self.scale.check(values, key)
                parameters[key] = tuple(self.scale.unit(values).tolist())
        return registry.create(
            self.method,
            parameters=parameters,
            alpha=self.alpha / self.shares,
            n_max=self.n_max,
            margin=self.margin / self.scale.span,
            design=self.design,
        )

    @cached_property
    def confidence(self) -> ConfidenceSequence:
        """The confidence sequence that goes with the method."""
        return self.test.confidence(alpha=self.alpha)

    @property
    def directions(self) -> tuple[int, ...]:
        """The policies that may be declared better, one test each."""
        return {"greater": (1,), "less": (0,), "two-sided": (1, 0)}[self.alternative]

    @cached_property
    def shares(self) -> int:
        """Into how many equal parts alpha is split over the directions."""
        split = self.ties == "strict" and not registry.find(self.method).splits_itself
        return len(self.directions) if split else 1

    @cached_property
    def levels(self) -> Floats | None:
        """The only normalised scores that the method accepts, or None for all."""
        return self.test.score_values()

    def directed(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """Return both scores with a last axis of directions, swapped where policy 0 is tested."""
        if self.alternative == "greater":
            return r0[..., None], r1[..., None]
        if self.alternative == "less":
            return r1[..., None], r0[..., None]
        both = np.stack((r0, r1), axis=-1)
        return both, np.ascontiguousarray(both[..., ::-1])

    def decide(self, evidence: Evidence) -> tuple[Bools, Ints]:
        """Return whether a decision falls, and for which policy (one for all, or per run)."""
        rejected = evidence.rejected
        if self.alternative != "two-sided":
            return rejected[..., 0], np.asarray(self.directions[0])
        # Were both directions rejected at once (absurd levels only), nothing would be known.
        return rejected[..., 0] != rejected[..., 1], rejected[..., 0].astype(np.int64)

    def combined_log_e(self, log_e: Floats) -> Floats:
        """Return the e-value to be held against 1/alpha, over all directions."""
        if log_e.shape[-1] == 1:
            return log_e[..., 0]
        combined: Floats = log_e.max(axis=-1) - np.log(self.shares)
        return combined

    def combined_p_value(self, p_value: Floats) -> Floats:
        """Return the p-value to be held against alpha, over all directions."""
        if p_value.shape[-1] == 1:
            return p_value[..., 0]
        combined: Floats = np.minimum(self.shares * p_value.min(axis=-1), 1.0)
        return combined

    def check(self, scores: np.typing.NDArray[Any], policy: str) -> None:
        """Raise unless every score is finite, within the bounds and of an accepted value."""
        self.scale.check(scores, policy)
        if self.levels is not None:
            self.scale.check_levels(scores, self.levels, self.method, policy)

    def unit_score(self, score: object, policy: str) -> float:
        """Return one score normalised to [0, 1], or raise."""
        low, high = self.bounds
        if type(score) is float and self.levels is None and low <= score <= high:
            return (score - low) / (high - low)
        array = numeric_array(score, policy)
        if array.ndim != 0:
            raise InvalidInput(f"a score must be one number, but {policy} got {score!r}")
        self.check(array, policy)
        return float(self.scale.unit(array))


def _plain(value: Any, name: str) -> Any:
    """Return a parameter as plain Python numbers, strings, booleans or tuples of them."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic) or is_number(value):
        return value.item() if isinstance(value, np.generic) else float(value)
    array = numeric_array(value if hasattr(value, "__len__") else [value], name)
    return tuple(array.ravel().tolist())


def _require_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    known = isinstance(value, str) and value in choices
    require(known, f"{name} must be one of {', '.join(choices)}, but got {value!r}")
