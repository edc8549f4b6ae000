"""Successes: how often a trial has the best score there is, whatever the others have."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Floats
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.score import DrawnWords, Scores, Two

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

SUCCESSES = "successes"


class SuccessScale(Scale):
    """Scores of which the best counts 1 and all others 0."""

    ends, span = (0.0, 1.0), 1.0

    def unit(self, scores: NDArray[Any]) -> Floats:
        scores = scores.astype(np.float64)
        best = scores <= self.low + self.slack
        if not self.lower_is_better:
            best = scores >= self.high - self.slack
        return np.where(np.isnan(scores), np.nan, best)

    def quick(self, score: float) -> float | None:  # noqa: ARG002
        return None


class Successes(Scores):
    """Scores that are a success or not: partial credit counts as none."""

    means, mean = "success rates", "succeeded"
    beats, not_worse = "succeeds more often than", "does not succeed less often than {}"
    either = "either policy succeeds more often"
    has_most = "has succeeded more often"
    better_text = ", of trials with the best score"
    drawn = DrawnWords(
        *("Successes, rates", "success", "success"), *("success rate", "difference of rates")
    )
    ranged = False

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return rules.by == SUCCESSES

    @cached_property
    def scale(self) -> Scale:
        return SuccessScale(*self.rules.bounds, self.rules.lower_is_better)

    @cached_property
    def tested_scale(self) -> Scale:
        return Scale(0.0, 1.0)

    def values(self, layers: Floats) -> Floats:
        return self.scale.unit(super().values(layers))

    def tallied(self, scores: Two, unit: Two) -> tuple[Two, Two]:  # noqa: ARG002
        return unit, unit

    def varying(self, r0: float, r1: float) -> tuple[float, ...]:  # noqa: ARG002
        return ()

    def advantage(self, difference: float) -> float:
        """The difference of success rates: whoever succeeds more often is better."""
        return difference

    def interval_of(self, policy: str) -> str:  # noqa: ARG002
        return "the difference of success rates"

    def meaning(self, design: str, claimed: str) -> list[str]:  # noqa: ARG002
        text = "has the best score more often, whatever the means"
        return [text, claimed] if claimed else [text]

    def compared(self, policies: str) -> str:
        return f"how often {policies} had the best score ({self.best_score:g})"

    @property
    def best_score(self) -> float:
        low, high = self.rules.bounds
        return low if self.rules.lower_is_better else high

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "by": SUCCESSES}
