"""Wins: which of two policies has the better trial more often, a tie counting half for each."""

from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.readings.scale import OrderScale, Scale
from stopwise.core.readings.score import Met, Scores, Two

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

WINS = "wins"
NOT_MEANS = (
    "claims are about winning, not about means: a policy can win more often and have the worse mean"
)
NOT_TRANSITIVE = (
    "nothing follows from other pairs here: a may win more often against b, b against c and c "
    "against a, and there need not be a best policy"
)


def shares_won(scores: Floats) -> Floats:
    """Return the share of its meetings that each trial has won, a tie counting half."""
    won, meetings = np.zeros((2, *scores.shape))
    for first, second in combinations(range(scores.shape[1]), 2):
        r0, r1 = scores[:, first], scores[:, second]
        met = (~(np.isnan(r0) | np.isnan(r1))).astype(np.float64)
        gained = 0.5 * (met + (r1 > r0) - (r1 < r0))
        won[:, first] += met - gained
        won[:, second] += gained
        meetings[:, [first, second]] += met[:, None]
    with np.errstate(invalid="ignore"):
        shares: Floats = won / meetings
    return shares


class Wins(Scores):
    """Scores whose order counts: what two policies win of a pair always goes against each other."""

    means, mean = "shares of pairs won", "won"
    beats, not_worse = "wins more often than", "does not lose to {} more often"
    either = "either policy wins more often"
    better_text = ", which says nothing about means"
    mean_axis, gap_axis = "share won", "difference of the shares won"
    tested_design = "paired"
    transitive = ranged = False

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return rules.by == WINS

    @cached_property
    def scale(self) -> Scale:
        return OrderScale(*self.rules.bounds, self.rules.lower_is_better)

    @cached_property
    def tested_scale(self) -> Scale:
        return Scale(*self.rules.bounds)

    def met(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        won: Floats = 0.5 * (1.0 + (r1 > r0) - (r1 < r0))
        return 1.0 - won, won

    def values(self, layers: Floats) -> Floats:
        return shares_won(self.scale.unit(layers))

    def tallied(self, scores: Two, unit: Two) -> tuple[Two, Two]:  # noqa: ARG002
        won0, won1 = self.met(np.asarray(unit[0]), np.asarray(unit[1]))
        won = float(won0), float(won1)
        return won, won

    def advantage(self, difference: float) -> float:
        return difference

    def interval_of(self, policy: str) -> str:  # noqa: ARG002
        return "the difference"

    def meaning(self, design: str, claimed: str) -> list[str]:
        met = "on the rows that they share"
        if design == "independent":
            met = "if a random trial of each is compared"
        text = f"wins more often {met}, whatever the means"
        lower = self.rules.lower_is_better and self.rules.margin < 0
        return [text, *[claimed] * bool(claimed), *["where a lower mean is better"] * lower]

    def compared(self, policies: str) -> str:
        return f"{policies} by how often one wins against another (by score{self.lower_text})"

    def ends(self, levels: Floats | None) -> tuple[float, float]:  # noqa: ARG002
        return self.rules.bounds

    def cautions(self, met: Met) -> list[str]:
        cautions = [*super().cautions(met._replace(unbounded=False)), NOT_MEANS]
        return cautions if len(met.pairs) == 1 else [*cautions, NOT_TRANSITIVE]

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "by": WINS}
