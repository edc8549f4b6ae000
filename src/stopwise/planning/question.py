"""The question of a plan: how studies of some policies would end."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.comparison import Comparison
from stopwise.core.simulate import simulate
from stopwise.errors import require
from stopwise.planning.population import Population
from stopwise.planning.stopping import StoppingTimes
from stopwise.questions.pairs import replay
from stopwise.questions.rules import Rules

__all__ = ["Design", "PlanQuestion"]


@dataclass(frozen=True, kw_only=True)
class Design(Rules):
    """The rules of a study that is being planned, n_max included.

    With two policies ``alternative`` may be one-sided; more are always compared in both directions.
    """

    n_max: int
    alternative: str = "two-sided"

    def __post_init__(self) -> None:
        require(
            len(self.policies) == 2 or self.alternative == "two-sided",
            "more than two policies are compared in both directions, but alternative is "
            f"{self.alternative!r}",
        )
        super().__post_init__()

    @cached_property
    def comparison(self) -> Comparison:
        """The settings of each pair."""
        return replace(super().comparison, alternative=self.alternative)

    @property
    def level(self) -> float:
        """Level of one direction of one pair, as a fixed-sample plan would have it."""
        two_sided = self.alternative == "two-sided"
        return self.alpha / self.family.most_false if two_sided else self.alpha


@dataclass(frozen=True)
class PlanQuestion:
    """How studies of this design end if the policies are as supposed."""

    design: Design
    population: Population

    def ask(self, seed: np.random.SeedSequence, runs: int) -> StoppingTimes:
        """Simulate this many studies."""
        design = self.design
        rng = np.random.default_rng(seed)
        scores, means = self.population.draw(rng, runs, design.n_max)
        if len(design.policies) == 2:
            return _two_policies(design, scores, means)
        return _many_policies(design, scores, means)


def _two_policies(design: Design, scores: Floats, means: Floats) -> StoppingTimes:
    low, high = design.bounds
    # Rounding must not carry the best score over the bound.
    scores = np.clip(low + (high - low) * scores, low, high)
    outcome = simulate(
        design.method,
        scores[..., 0],
        scores[..., 1],
        alpha=design.alpha,
        n_max=design.n_max,
        bounds=design.bounds,
        alternative=design.alternative,
        design=design.design,
        ties=design.ties,
        workers=1,
        **design.parameters,
    )
    gap = means[:, 1] - means[:, 0]
    decided = outcome.decision >= 0
    right = decided & (np.where(outcome.decision == 1, gap, -gap) > 0)
    return StoppingTimes.of_runs(
        outcome.n,
        right,
        decided & ~right,
        trials=2.0 * float(outcome.n.sum()),
        pairs_right=float(right.sum()),
        n_max=design.n_max,
    )


def _many_policies(design: Design, scores: Floats, means: Floats) -> StoppingTimes:
    family = design.family
    outcome = replay(design.comparison, design.budget, scores, with_p_values=False)
    first, second = family.pairs.T
    gap = means[:, second] - means[:, first]
    different: Bools = np.abs(gap) > 1e-9
    false = np.stack([gap < 1e-9, gap > -1e-9], axis=-1)
    found = np.asarray((outcome.claims & ~false).any(axis=-1))
    wrong = np.asarray((outcome.claims & false).any(axis=(1, 2)))
    right = (found | ~different).all(axis=1) & ~wrong
    n = np.where(different, outcome.rows, 1).max(axis=1)
    trials = sum(float(outcome.rows[:, own].max(axis=1).sum()) for own in family.of_policy)
    share = (found.sum(axis=1) / np.maximum(different.sum(axis=1), 1)).sum()
    return StoppingTimes.of_runs(
        n, right, wrong, trials=trials, pairs_right=float(share), n_max=design.n_max
    )
