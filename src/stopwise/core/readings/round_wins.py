"""Wins in the mean over tasks: which policy wins more of the tasks of a round, by their shares."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.readings.score import Names, Scores
from stopwise.core.readings.wins import WINS

if TYPE_CHECKING:
    from stopwise.core.rules import Rules


class RoundWins(Scores):
    """Rounds of one trial of every task, each of which is won, lost or tied by itself.

    The first kind of score is the average of a round, then comes that of each task.
    """

    def __init__(self, rules: "Rules") -> None:
        super().__init__(rules)
        self.kinds = 1 + len(rules.rounds)
        self.weights = np.array(rules.rounds)

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return bool(rules.rounds) and rules.by == WINS

    def layers(self, scores: Floats, beside: Sequence[Floats], policies: Names) -> Floats:  # noqa: ARG002
        return np.stack([scores, *beside])

    def ran(self, layers: Floats) -> Floats:
        scores: Floats = layers[0]
        return scores

    def met(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """What each has won of a round: the shares of its tasks, a tie counting half."""
        kind = max(r0.ndim - 2, 0)
        both = (np.moveaxis(own, kind, -1)[..., 1:] for own in (r0, r1))
        won0, won1 = (np.clip(own @ self.weights, 0.0, 1.0) for own in super().met(*both))
        return won0, won1

    def present(self, r0: Floats, r1: Floats) -> Bools:
        return np.asarray(super().present(r0, r1).all(axis=max(r0.ndim - 2, 0)))

    def values(self, layers: Floats) -> Floats:
        by_task = [super(RoundWins, self).values(own) for own in layers[1:]]
        won: Floats = np.tensordot(self.weights, np.stack(by_task), axes=1)
        return won

    def meaning(self, design: str, claimed: str) -> list[str]:  # noqa: ARG002
        return [
            "wins more often in the mean over tasks, where each meets the other, whatever the means"
        ]
