"""Exact probabilities of every end of ``step`` with known success rates."""

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.step.method import Step
from stopwise.planning.ends import Ends
from stopwise.planning.populations import Guessed, Population, WithNumber
from stopwise.planning.studies import PlannedOrder


def is_exact(population: Population, ranking: PlannedOrder) -> bool:
    """Whether the probabilities can be computed: ``step`` and two given success rates."""
    if isinstance(population, WithNumber):
        population = population.population
    step = ranking.rules.method == Step.name and ranking.family.size == 1
    return step and isinstance(population, Guessed) and population.binary


def exact_ends(study: PlannedOrder, population: Population) -> Ends:
    """Exact probability of every end.

    The distribution of the two success counts is carried from pair to pair; what the rule stops
    is taken out. ``StepDesign.power`` works differently, from the counts at the horizon, and a test
    compares the two.
    """
    rates = population.moments(np.random.default_rng(0), 1).means[0]  # those of guesses are known
    if study.rules.reading.constants:
        number, rate = rates[1], rates[0]  # the number is policy 0
        policy1, policy0, undecided = _beside_number(study, rate)
        up = rate > number
    else:
        policy1, policy0, undecided = _two_policies(study, *rates)
        up = rates[1] > rates[0]
    right, wrong = (policy1, policy0) if up else (policy0, policy1)
    return Ends.exact(right, wrong, undecided, len(study.rules.reading.run))


def _two_policies(study: PlannedOrder, rate0: float, rate1: float) -> tuple[Floats, Floats, Floats]:
    """By number of pairs: policy 1 declared, policy 0 declared, neither."""
    test, n_max = study.comparison.test, study.n_max
    assert isinstance(test, Step)
    policy1, policy0, undecided = np.zeros((3, n_max))
    running: Floats = np.ones((1, 1))
    for n in range(1, n_max + 1):
        running = _one_more(_one_more(running, rate0).T, rate1).T
        reject = test.stopping.rule.table(n)
        policy1[n - 1] = (running * reject).sum()
        policy0[n - 1] = (running * reject.T).sum()
        running = running * (1 - reject - reject.T)
        if test.stops_at_futility:
            futile = test.stopping.rule.futility_table(n)
            undecided[n - 1] = (running * futile).sum()
            running = running * ~futile
    undecided[-1] += running.sum()
    # A one-sided study is closed where the other direction would reject, and ends undecided.
    if study.rules.alternative == "greater":
        undecided[-1] += policy0.sum()
        policy0 = np.zeros(n_max)
    elif study.rules.alternative == "less":
        undecided[-1] += policy1.sum()
        policy1 = np.zeros(n_max)
    return policy1, policy0, undecided


def _beside_number(study: PlannedOrder, rate: float) -> tuple[Floats, Floats, Floats]:
    """The same of one policy and a number."""
    test, n_max = study.comparison.test, study.n_max
    assert isinstance(test, Step)
    declared, undecided = np.zeros((2, n_max)), np.zeros(n_max)
    running: Floats = np.ones(1)
    for n in range(1, n_max + 1):
        running = _one_more(running, rate)
        futile = np.ones(n + 1, dtype=bool)
        for one_rate, policy in zip(test.one_rate, study.comparison.directions, strict=True):
            # Of the direction of policy 0 failures are counted.
            counted = np.arange(n + 1) if policy == 1 else np.arange(n, -1, -1)
            stops = counted >= one_rate.reject_from[n]
            declared[policy, n - 1] = running @ stops
            running = running * ~stops
            futile &= counted < one_rate.continue_from[n]
        if test.stops_at_futility:
            undecided[n - 1] = running @ futile
            running = running * ~futile
    undecided[-1] += running.sum()
    return declared[1], declared[0], undecided


def _one_more(running: Floats, rate: float) -> Floats:
    """Chances of each number of successes, the first axis, after one more trial."""
    none = np.zeros_like(running[:1])
    more: Floats = np.concatenate([(1 - rate) * running, none])
    more[1:] += rate * running
    return more
