"""A study that is being planned, and how it would end: exactly where possible, else simulated."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stopwise.core.arrays import Bools, Doubles, Floats
from stopwise.core.engine import EQUIVALENT
from stopwise.core.simulate import run_studies
from stopwise.core.step.method import Step
from stopwise.errors import require
from stopwise.messages import Setting
from stopwise.planning.beside import WithNumber
from stopwise.planning.populations import Guessed, Population, SimulatedScores
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
            self.family.size == 1 or rules.alternative == "two-sided" or rules.margin < 0,
            "more than two policies are always compared in both directions, not with ",
            Setting("alternative", rules.alternative),
        )
        super().__post_init__()

    @property
    def n_max(self) -> int:
        """The maximum number of trials per policy."""
        assert self.rules.n_max is not None
        return self.rules.n_max

    def close(self, means: Floats) -> Bools:
        """Return which pairs of such means are practically the same, if that is asked."""
        first, second = self.family.pairs.T
        within = (self.rules.equivalence or 0.0) / self.rules.scale.span
        return np.asarray(np.abs(means[..., second] - means[..., first]) < within)

    @property
    def level(self) -> float:
        """Level of one direction of one pair in a fixed-sample plan."""
        return self.rules.alpha / self.family.most_false

    def true_claims(self, means: Floats) -> Bools:
        """Return which directions (..., pairs, 2) are true and asked of policies of these means."""
        margin = self.rules.margin / self.rules.scale.span + 1e-9
        first, second = self.family.pairs.T
        gap = means[..., second] - means[..., first]
        true = np.stack([gap > margin, -gap > margin], axis=-1)
        asked = {"greater": (True, False), "less": (False, True)}
        return np.asarray(true & asked.get(self.rules.alternative, (True, True)))


@dataclass(frozen=True)
class PlanModel:
    """How such studies end if the policies are like this population."""

    study: PlannedStudy
    population: Population

    def simulate(self, seed: np.random.SeedSequence, runs: int) -> StoppingTimes:
        """Return how this many studies end."""
        ends = _two_policies if self.study.family.size == 1 else _many_policies
        return ends(self.study, *self._drawn(np.random.default_rng(seed), runs))

    def _drawn(self, rng: np.random.Generator, runs: int) -> SimulatedScores:
        """Return the rows of studies; of policies with stored trials these are averages."""
        n_max, groups = self.study.n_max, self.study.rules.groups or {}
        most = max(groups.values(), default=n_max)
        drawn = self.population.draw(rng, runs, most)
        rows = drawn.scores[..., :n_max, :].copy()
        for name, number in groups.items():
            column, starts = self.study.rules.policies.index(name), np.arange(n_max) * number
            sums = np.add.reduceat(drawn.scores[:, :number, column], starts // n_max, axis=1)
            rows[..., column] = sums / np.diff([*starts // n_max, number])
        return drawn._replace(scores=rows)


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


def is_exact(population: Population, study: PlannedStudy) -> bool:
    """Whether the probabilities can be computed: ``step`` and two given success rates."""
    return (
        study.rules.method == Step.name
        and study.family.size == 1
        and isinstance(_guessed(population), Guessed)
        and population.binary
    )


def _guessed(population: Population) -> Population:
    return population.population if isinstance(population, WithNumber) else population


def _two_policies(study: PlannedStudy, scores: Floats, means: Floats) -> StoppingTimes:
    scale = study.rules.scale
    # Rounding must not carry the best score over the bound.
    scores = scale.clip(scale.score(scores))
    columns = np.moveaxis(scores, -1, 0)
    if study.rules.reference is not None:  # the second is the number
        columns = columns[:1]
    outcome = run_studies(study.rules, *columns, workers=1)
    true = study.true_claims(means)[:, 0]
    decided, same = outcome.decision >= 0, outcome.decision == EQUIVALENT
    right = decided & np.where(outcome.decision == 1, true[:, 0], true[:, 1])
    right = np.where(same, study.close(means)[:, 0], right)
    return StoppingTimes.of_runs(
        outcome.n,
        right,
        decided & ~right,
        trials=len(study.rules.reading.tried) * float(outcome.n.sum()),
        pairs_right=float(right.sum()),
        pairs_same=float(same.sum()),
        n_max=study.n_max,
    )


def _many_policies(study: PlannedStudy, scores: Floats, means: Floats) -> StoppingTimes:
    family, names = study.family, study.rules.policies
    outcome = replay(study.comparison, study.budget, scores, with_p_values=False)
    true, close = study.true_claims(means), study.close(means)
    # What can be found out of a pair: who is better or, if that is asked, that it is the same.
    different = np.asarray(true.any(axis=-1)) | close
    found = np.asarray((outcome.claims & true).any(axis=-1)) | (outcome.same & close)
    wrong = np.asarray((outcome.claims & ~true).any(axis=(1, 2)))
    wrong = wrong | np.asarray((outcome.same & ~close).any(axis=1))
    right = np.asarray((found | ~different).all(axis=1) & ~wrong)
    ends = np.minimum(outcome.rows, outcome.last[:, family.pairs].min(axis=-1))
    lasting = different | ~different.any(axis=1, keepdims=True)  # all, if nothing can be found
    n = np.where(lasting, ends, 1).max(axis=1)
    share = (found.sum(axis=1) / np.maximum(different.sum(axis=1), 1)).sum()
    return StoppingTimes.of_runs(
        n,
        right,
        wrong,
        trials=float(outcome.last[:, [*map(names.index, study.rules.reading.tried)]].sum()),
        pairs_right=float(share),
        pairs_same=float(outcome.same.mean(axis=1).sum()),
        n_max=study.n_max,
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
    rng = np.random.default_rng(0)  # the means of guesses are known
    rates = np.concatenate([population.moments(rng, 1).means for population in exact])
    if study.rules.reference is not None:
        rates = rates[:, ::-1]  # the number is policy 0
    ends = _ends if study.rules.reference is None else _ends_beside_number
    policy1, policy0, undecided = ends(study, rates)
    up = rates[:, 1:] > rates[:, :1]
    right, wrong = np.where(up, policy1, policy0), np.where(up, policy0, policy1)
    trials = (
        len(study.rules.reading.run) * (right + wrong + undecided) @ np.arange(1, study.n_max + 1)
    )
    return [
        StoppingTimes(
            right[i], wrong[i], undecided[i], float(trials[i]), float(right[i].sum()), None, 0.0
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


def _ends_beside_number(study: PlannedStudy, rates: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Return the same of one policy and a number, its rates being the second column."""
    test, directions = study.comparison.test, study.comparison.directions
    assert isinstance(test, Step)
    n_max, rate = study.n_max, rates[:, 1:]
    declared, undecided = np.zeros((2, len(rates), n_max)), np.zeros((len(rates), n_max))
    running = np.ones((len(rates), 1))
    for n in range(1, n_max + 1):
        failed, succeeded = (1 - rate) * running, rate * running
        running = np.pad(failed, ((0, 0), (0, 1))) + np.pad(succeeded, ((0, 0), (1, 0)))
        futile = np.ones(n + 1, dtype=bool)
        for one_rate, policy in zip(test.one_rate, directions, strict=True):
            # Of the direction of policy 0 failures are counted.
            counted = np.arange(n + 1) if policy == 1 else np.arange(n, -1, -1)
            stops = counted >= one_rate.reject_from[n]
            declared[policy, :, n - 1] = running @ stops
            running = running * ~stops
            futile &= counted < one_rate.continue_from[n]
        if test.stops_at_futility:
            undecided[:, n - 1] = running @ futile
            running = running * ~futile
    undecided[:, -1] += running.sum(axis=1)
    return declared[1], declared[0], undecided


def _one_more_pair(running: Doubles, rate0: Doubles, rate1: Doubles) -> Doubles:
    more = np.zeros((len(running), running.shape[1] + 1, running.shape[2] + 1))
    more[:, :-1, :-1] = (1 - rate0) * (1 - rate1) * running
    more[:, 1:, :-1] += rate0 * (1 - rate1) * running
    more[:, :-1, 1:] += (1 - rate0) * rate1 * running
    more[:, 1:, 1:] += rate0 * rate1 * running
    return more
