"""Rounds of one trial of every task: docs/design/readings.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.futility import MayBeFutile
from stopwise.core.method import Citation, Method
from stopwise.core.nscore_plus.method import NScorePlus
from stopwise.core.readings.score import Met, Names, Scores
from stopwise.errors import require

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

# Bets, as parts of the largest that equal tasks allow, and how the wealth is divided among them.
# More small bets: less for clear differences. More large ones: less for small differences.
BETS, PURSES = np.array([0.05, 0.15, 0.35, 0.8]), np.array([1.0, 3.0, 3.0, 1.0]) / 8.0
# The most of its wealth that a purse may lose on one task.
LARGEST_SHARE = 0.9
# Rounds at which half of what tasks have shown of their differences is taken out of the bets.
PRIOR_ROUNDS = 10.0
# A round of average noise that is counted before the first.
PRIOR_SQUARE = 0.1


class RoundsState(NamedTuple):
    """Sums over the rounds, and the wealth; by task, or by bet, along a last axis."""

    pairs: Floats
    log_e: Floats
    purses: Floats
    tasks: Floats  # differences of each task
    total: Floats  # of their weighted means, and of the squares of these
    square: Floats


@dataclass(frozen=True, kw_only=True)
class RoundsTest(MayBeFutile[RoundsState]):
    """One direction of a test of H0: the weighted mean over tasks is at most the margin."""

    weights: tuple[float, ...]

    name: ClassVar[str] = "nscore-plus"
    summary: ClassVar[str] = "bets held through rounds of independent tasks"
    citation: ClassVar[Citation] = NScorePlus.citation
    designs: ClassVar[tuple[str, ...]] = ("independent", "paired")
    needs_independence: ClassVar[bool] = False

    def start(self, shape: tuple[int, ...]) -> RoundsState:
        none = np.zeros(shape)
        purses = np.broadcast_to(np.log(PURSES), (*shape, BETS.size)).copy()
        tasks = np.zeros((*shape, len(self.weights)))
        return RoundsState(none, none, purses, tasks, none, none)

    def step(self, state: RoundsState, r0: Floats, r1: Floats) -> RoundsState:
        """State after one more round; the bets use only the state before it."""
        weights = np.array(self.weights)
        gaps = np.moveaxis(r1[1:] - r0[1:], 0, -1)
        centre = self._centre(state)
        stakes = weights * weights.size
        worst = (stakes * (1.0 + self.margin + centre)).max(axis=-1, keepdims=True)
        bets = np.minimum(BETS, LARGEST_SHARE / worst)
        gains = stakes * (gaps - self.margin - centre)
        purses = state.purses + np.log1p(bets[..., None, :] * gains[..., None]).sum(axis=-2)
        gap = gaps @ weights
        return RoundsState(
            state.pairs + 1.0,
            np.logaddexp.reduce(purses, axis=-1),
            purses,
            state.tasks + gaps,
            state.total + gap,
            state.square + gap * gap,
        )

    def _centre(self, state: RoundsState) -> Floats:
        """What each task has shown above the mean of all; its weighted mean is 0."""
        shown = state.tasks / (state.pairs + PRIOR_ROUNDS)[..., None]
        centre: Floats = shown - (shown @ np.array(self.weights))[..., None]
        return centre

    def _standardised(self, state: RoundsState) -> tuple[Floats, Floats]:
        second = (state.square + PRIOR_SQUARE) / (state.pairs + 1.0)
        return state.pairs, (state.total - state.pairs * self.margin) / np.sqrt(second)


class Rounds(Scores):
    """Scores of rounds, whose average is claimed about and whose tasks are bet on."""

    # Nothing is assumed of the two scores of a task in a round.
    tested_design = "paired"
    inverts = False

    def __init__(self, rules: "Rules") -> None:
        super().__init__(rules)
        self.kinds = 1 + len(rules.rounds)

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return bool(rules.rounds) and rules.by == "means"

    def checked(self) -> dict[str, Any]:
        rules = self.rules
        text = (
            f"bets held through rounds are those of nscore-plus, but the method is {rules.method}"
        )
        require(rules.method == "nscore-plus", text, parameter="method")
        return {**super().checked(), "rounds": tuple(map(float, rules.rounds))}

    def test(self, plain: Method[Any]) -> Method[Any]:
        return super().test(plain).as_a(RoundsTest, weights=self.rules.rounds)

    def cautions(self, met: Met) -> list[str]:
        text = (
            "intervals are those of the averages of rounds, not of the bets through them: that of "
            "a decided pair may include 0"
        )
        return [*super().cautions(met), text]


class ByTask(Scores):
    """Rounds of one trial of every task, averaged over the tasks after each was read."""

    def __init__(self, rules: "Rules") -> None:
        super().__init__(rules)
        self.kinds = 1 + len(rules.rounds)
        self.weights = np.array(rules.rounds)

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return bool(rules.rounds) and rules.by != "means"

    def layers(self, scores: Floats, others: Sequence[Floats], policies: Names) -> Floats:
        for task in others:
            self.scale.check(task[~np.isnan(task)], "a task")
        return super().layers(scores, others, policies)

    def met(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        kind = max(r0.ndim - 2, 0)
        both = (np.moveaxis(scores, kind, -1)[..., 1:] for scores in (r0, r1))
        mean0, mean1 = (np.clip(scores @ self.weights, 0.0, 1.0) for scores in super().met(*both))
        return mean0, mean1

    def present(self, r0: Floats, r1: Floats) -> Bools:
        return np.asarray((~np.isnan(r0 + r1)).all(axis=max(r0.ndim - 2, 0)))

    def alone(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        return r0, r1

    def values(self, layers: Floats) -> Floats:
        by_task = [super(ByTask, self).values(layer) for layer in layers[1:]]
        means: Floats = np.tensordot(self.weights, np.stack(by_task), axes=1)
        return means
