"""A study that is being planned, and how it would end: exactly where possible, else simulated."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from stopwise.core.arrays import Bools, Doubles, Floats
from stopwise.core.simulate import run_studies
from stopwise.core.step.method import Step
from stopwise.errors import require
from stopwise.messages import Setting
from stopwise.planning.populations import Guessed, Population
from stopwise.planning.simulation import Simulator
from stopwise.planning.stopping_times import StoppingTimes
from stopwise.questions.pairs import replay
from stopwise.questions.ranking import Ranking

MOST_RUNS = 100_000


@dataclass(frozen=True)
class PlannedStudy(Ranking):
    """A study that is being planned: its rules declare n_max.

    With two policies ``alternative`` may be one-sided; more are always compared in both directions.
    """

    def __post_init__(self) -> None:
        rules = self.rules
        require(
            len(rules.policies) == 2 or rules.alternative == "two-sided",
            "more than two policies are always compared in both directions, not with ",
            Setting("alternative", rules.alternative),
            code="one-sided-many",
        )
        super().__post_init__()

    @property
    def n_max(self) -> int:
        """The maximum number of trials per policy."""
        assert self.rules.n_max is not None
        return self.rules.n_max

    @property
    def level(self) -> float:
        """Level of one direction of one pair in a fixed-sample plan."""
        two_sided = self.rules.alternative == "two-sided"
        return self.rules.alpha / self.family.most_false if two_sided else self.rules.alpha


@dataclass(frozen=True)
class PlanModel:
    """How such studies end if the policies are like this population."""

    study: PlannedStudy
    population: Population

    def simulate(self, seed: np.random.SeedSequence, runs: int) -> StoppingTimes:
        """Return how this many studies end."""
        rng = np.random.default_rng(seed)
        drawn = self.population.draw(rng, runs, self.study.n_max)
        # Every simulated study has luck of its own, if its method needs any.
        study = self.study.with_luck(int(rng.integers(2**32)))
        if len(study.rules.policies) == 2:
            return _two_policies(study, *drawn)
        return _many_policies(study, *drawn)


def stopping_times(
    studies: Sequence[PlannedStudy], populations: Sequence[Population], simulator: Simulator
) -> list[StoppingTimes]:
    """Return how each study ends for each population: by population, then by study.

    What can be computed exactly is; the rest is simulated together.
    """
    models = [PlanModel(study, population) for population in populations for study in studies]
    unknown = [model for model in models if not is_exact(model.population, model.study)]
    simulated = iter(simulator.run(unknown, most=MOST_RUNS))
    exact = {study.n_max: iter(exact_stopping_times(study, populations)) for study in studies}
    return [
        next(exact[model.study.n_max] if is_exact(model.population, model.study) else simulated)
        for model in models
    ]


def is_exact(population: Population, study: PlannedStudy) -> TypeGuard[Guessed]:
    """Whether the probabilities can be computed: ``step`` and two given success rates."""
    return (
        study.rules.method == Step.name
        and len(study.rules.policies) == 2
        and isinstance(population, Guessed)
        and population.binary
    )


def _two_policies(study: PlannedStudy, scores: Floats, means: Floats) -> StoppingTimes:
    scale = study.rules.scale
    # Rounding must not carry the best score over the bound.
    scores = scale.clip(scale.score(scores))
    outcome = run_studies(study.rules, scores[..., 0], scores[..., 1], workers=1)
    gap = means[:, 1] - means[:, 0]
    decided = outcome.decision >= 0
    right = decided & (np.where(outcome.decision == 1, gap, -gap) > 0)
    return StoppingTimes.of_runs(
        outcome.n,
        right,
        decided & ~right,
        trials=2.0 * float(outcome.n.sum()),
        pairs_right=float(right.sum()),
        n_max=study.n_max,
    )


def _many_policies(study: PlannedStudy, scores: Floats, means: Floats) -> StoppingTimes:
    family = study.family
    outcome = replay(study.comparison, study.budget, scores, with_p_values=False)
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
        n, right, wrong, trials=trials, pairs_right=float(share), n_max=study.n_max
    )


def exact_stopping_times(
    study: PlannedStudy, populations: Sequence[Population]
) -> list[StoppingTimes]:
    """Return the exact probability of every end, for each population for which that is possible.

    The distribution of the two success counts is carried from pair to pair; what the rule stops
    is taken out. ``StepDesign.power`` works differently, from the counts at the horizon, and a test
    compares the two.
    """
    exact = [population for population in populations if is_exact(population, study)]
    if not exact:
        return []
    rates = np.array([[guess.mean for guess in population.guesses] for population in exact])
    policy1, policy0, undecided = _ends(study, rates)
    up = rates[:, 1:] > rates[:, :1]
    right, wrong = np.where(up, policy1, policy0), np.where(up, policy0, policy1)
    trials = 2.0 * (right + wrong + undecided) @ np.arange(1, study.n_max + 1)
    return [
        StoppingTimes(
            right[i], wrong[i], undecided[i], float(trials[i]), float(right[i].sum()), None
        )
        for i in range(len(rates))
    ]


def _ends(study: PlannedStudy, rates: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Return, by rates and number of pairs: policy 1 declared, policy 0 declared, neither."""
    test = study.comparison.test
    assert isinstance(test, Step)
    rule, n_max = test.stopping.rule, study.n_max
    policy1, policy0, undecided = np.zeros((3, len(rates), n_max))
    running = np.ones((len(rates), 1, 1))
    for n in range(1, n_max + 1):
        running = _one_more_pair(running, *rates.T[..., None, None])
        reject = rule.table(n)
        policy1[:, n - 1] = (running * reject).sum(axis=(1, 2))
        policy0[:, n - 1] = (running * reject.T).sum(axis=(1, 2))
        running = running * (1 - reject - reject.T)
        if test.stops_at_futility:
            futile = rule.futility_table(n)
            undecided[:, n - 1] = (running * futile).sum(axis=(1, 2))
            running = running * ~futile
    undecided[:, -1] += running.sum(axis=(1, 2))
    # A one-sided study is closed where the other direction would reject, and ends undecided.
    if study.rules.alternative == "greater":
        undecided[:, -1] += policy0.sum(axis=1)
        policy0 = np.zeros_like(policy0)
    elif study.rules.alternative == "less":
        undecided[:, -1] += policy1.sum(axis=1)
        policy1 = np.zeros_like(policy1)
    return policy1, policy0, undecided


def _one_more_pair(running: Doubles, rate0: Doubles, rate1: Doubles) -> Doubles:
    more = np.zeros((len(running), running.shape[1] + 1, running.shape[2] + 1))
    more[:, :-1, :-1] = (1 - rate0) * (1 - rate1) * running
    more[:, 1:, :-1] += rate0 * (1 - rate1) * running
    more[:, :-1, 1:] += (1 - rate0) * rate1 * running
    more[:, 1:, 1:] += rate0 * rate1 * running
    return more
