"""Exact probabilities of every end of ``step`` with known success rates."""

from collections.abc import Sequence

import numpy as np

from stopwise.core.arrays import Doubles
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


def exact_ends(ranking: PlannedOrder, populations: Sequence[Population]) -> list[Ends]:
    """Exact probability of every end, for each population.

    The distribution of the two success counts is carried from pair to pair; what the rule stops
    is taken out. ``StepDesign.power`` works differently, from the counts at the horizon, and a test
    compares the two.
    """
    if not populations:
        return []
    rng = np.random.default_rng(0)  # the means of guesses are known
    rates = np.concatenate([population.moments(rng, 1).means for population in populations])
    if not ranking.rules.reading.constants:
        policy1, policy0, undecided = _two_policies(ranking, rates)
    else:
        rates = rates[:, ::-1]  # the number is policy 0
        policy1, policy0, undecided = _beside_number(ranking, rates[:, 1:])
    up = rates[:, 1:] > rates[:, :1]
    right, wrong = np.where(up, policy1, policy0), np.where(up, policy0, policy1)
    run = len(ranking.rules.reading.run)
    return [Ends.exact(*parts, run) for parts in zip(right, wrong, undecided, strict=True)]


def exact_power(ranking: PlannedOrder, population: Population) -> float:
    """Power of ``step``: of two policies from its counts at the horizon."""
    test = ranking.comparison.test
    if not ranking.rules.reading.constants and isinstance(test, Step):
        rate0, rate1 = population.moments(np.random.default_rng(0), 1).means[0]
        return float(test.stopping.power(rate0, rate1))
    return exact_ends(ranking, [population])[0].power


def _two_policies(ranking: PlannedOrder, rates: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """By rates and number of pairs: policy 1 declared, policy 0 declared, neither."""
    test = ranking.comparison.test
    assert isinstance(test, Step)
    rule, n_max = test.stopping.rule, ranking.n_max
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
    if ranking.rules.alternative == "greater":
        undecided[:, -1] += policy0.sum(axis=1)
        policy0 = np.zeros_like(policy0)
    elif ranking.rules.alternative == "less":
        undecided[:, -1] += policy1.sum(axis=1)
        policy1 = np.zeros_like(policy1)
    return policy1, policy0, undecided


def _beside_number(ranking: PlannedOrder, rate: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """The same of one policy and a number."""
    test, directions = ranking.comparison.test, ranking.comparison.directions
    assert isinstance(test, Step)
    n_max = ranking.n_max
    declared, undecided = np.zeros((2, len(rate), n_max)), np.zeros((len(rate), n_max))
    running = np.ones((len(rate), 1))
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
