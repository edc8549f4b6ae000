"""The mean over tasks of what is no mean of scores: each task of a round is read by itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.readings.score import Names, Scores

if TYPE_CHECKING:
    from stopwise.core.rules import Rules


class ByTask(Scores):
    """Rounds of one trial of every task, averaged over the tasks after each was read."""

    def __init__(self, rules: "Rules") -> None:
        super().__init__(rules)
        self.kinds = 1 + len(rules.rounds)
        self.weights = np.array(rules.rounds)

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return bool(rules.rounds) and rules.by != "means"

    def layers(self, scores: Floats, others: Sequence[Floats], policies: Names) -> Floats:  # noqa: ARG002
        for task in others:
            self.scale.check(task[~np.isnan(task)], "a task")
        return np.stack([scores, *others])

    def ran(self, layers: Floats) -> Floats:
        scores: Floats = layers[0]
        return scores

    def met(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """What a round shows of each, as the readings of single tasks have it."""
        kind = max(r0.ndim - 2, 0)
        both = (np.moveaxis(scores, kind, -1)[..., 1:] for scores in (r0, r1))
        mean0, mean1 = (np.clip(scores @ self.weights, 0.0, 1.0) for scores in super().met(*both))
        return mean0, mean1

    def present(self, r0: Floats, r1: Floats) -> Bools:
        return np.asarray(super().present(r0, r1).all(axis=max(r0.ndim - 2, 0)))

    def values(self, layers: Floats) -> Floats:
        by_task = [super(ByTask, self).values(layer) for layer in layers[1:]]
        means: Floats = np.tensordot(self.weights, np.stack(by_task), axes=1)
        return means
