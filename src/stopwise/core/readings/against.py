"""Against a number: each policy is compared with a constant that is declared before the data."""

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core import registry
from stopwise.core.arrays import Floats
from stopwise.core.readings.score import Arrays, Scores
from stopwise.core.scores import is_number, numeric_array
from stopwise.core.words import order_claim
from stopwise.errors import require

if TYPE_CHECKING:
    from stopwise.core.rules import Rules


class Against(Scores):
    """A policy and a number."""

    unit = "trial"
    measured = "mean"
    equal = "it is equal to that"
    design_text = ""
    # A number is independent of everything, and the paired design assumes the least.
    tested_design = "paired"

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return rules.reference is not None

    def __init__(self, rules: "Rules") -> None:
        super().__init__(rules)
        low, high = rules.bounds
        number: Any = rules.reference
        require(
            is_number(number) and low < number < high,
            f"reference must lie strictly between {low:g} and {high:g}, the bounds of the score, "
            f"but got {number!r}",
            parameter="reference",
        )
        self.number = float(number)
        self.name = f"{self.number:.12g}"
        self.constants = {self.name: self.number}
        self.pair_names = (self.name, "the policy")
        self.either = f"the policy is better or worse than {self.name}"

    def placed(self) -> dict[str, Any]:
        rules = self.rules
        takes = registry.find(rules.method).takes_number
        text = f"{rules.method} compares two policies and takes no reference"
        require(takes, f"{text}; nscore-plus, nscore, wsr and step do", parameter="reference")
        name, names = self.name, tuple(rules.policies)
        require(
            rules.baseline in (None, name),
            f"a reference is the baseline itself, but the baseline is {rules.baseline!r}",
            parameter="baseline",
        )
        text = f"a policy cannot have the name of the reference, {name!r}"
        require(rules.baseline == name or name not in names, text, parameter="policies")
        named = names if name in names else (*names, name)
        return {"reference": self.number, "policies": named, "baseline": name}

    def checked(self) -> dict[str, Any]:
        rules = self.rules
        low, high = rules.bounds
        for sign, side in ((1.0, "greater"), (-1.0, "less")):
            edge = self.edge(sign * rules.margin)
            require(
                rules.alternative not in (side, "two-sided") or low < edge < high,
                f"with margin {rules.margin:g} a mean is compared with {edge:g}, which does not "
                f"lie strictly between the bounds {low:g} and {high:g}",
                parameter="margin",
            )
        return super().checked()

    def check_design(self) -> None:
        """Any method: a number is independent of what is tried."""

    @cached_property
    def _mirror(self) -> tuple[Floats, Floats]:
        """What makes 1 - x of x in the direction of policy 0, and leaves x in the other."""
        start = np.array([float(policy == 0) for policy in self.rules.directions])
        return start, 1.0 - 2.0 * start

    def for_method(self) -> dict[str, Any]:
        start, sign = self._mirror
        seen = start + sign * self.scale.unit(np.asarray(self.number))
        return {**super().for_method(), "number": tuple(seen)}

    def both(self, scores0: object, scores1: object | None) -> Arrays:
        require(
            scores1 is None,
            f"one policy is compared with the number {self.name}: give its scores alone, but got "
            "two",
        )
        array = numeric_array(scores0, self.pair_names[1])
        return np.full(array.shape, self.number), array

    def pair(self, r0: Any, r1: Any) -> tuple[Any, Any]:
        if r1 is not None:
            self.both(r0, r1)  # raises
        return self.number, r0

    def directed(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        start, sign = self._mirror
        return start + sign * r0[..., None], start + sign * r1[..., None]

    def back(self, interval: tuple[float, float]) -> tuple[float, float]:
        ends = [self._beyond(end) for end in interval]
        low, high = self.rules.bounds
        return max(min(ends), low), min(max(ends), high)

    def _beyond(self, end: float) -> float:
        """The mean at an end, on its side of what is decided however large means are."""
        mean = self.edge(end)
        for margin in (self.rules.margin, -self.rules.margin):
            if mean == self.edge(margin) and end != margin:
                mean = math.nextafter(mean, math.copysign(math.inf, self.advantage(end - margin)))
        return mean

    def edge(self, margin: float) -> float:
        return self.number + self.advantage(margin)

    def claim(self, winner: int, names: tuple[str, str] | None = None) -> str:
        number, policy = names or self.pair_names
        verb, opposite = ("better", "worse") if winner else ("worse", "better")
        return order_claim(
            *(policy, number, self.rules.margin),
            beats=f"is {verb} than",
            not_worse=f"is not {opposite} than {{}}",
        )

    def means_text(self, mean0: str, mean1: str) -> str:  # noqa: ARG002
        return f"mean {mean1}{self.better_text}"

    def interval_of(self, policy: str) -> str:  # noqa: ARG002
        return "the mean"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "reference": self.number}
