"""``step`` on success rates: how studies end, exactly, by going forward through all counts."""

from collections.abc import Sequence

import numpy as np

from stopwise.core.arrays import Doubles
from stopwise.core.step.method import Step
from stopwise.planning.population import Guessed, Population
from stopwise.planning.question import Design
from stopwise.planning.stopping import StoppingTimes

__all__ = ["exact_stopping_times", "is_exact"]


def is_exact(design: Design, population: Population) -> bool:
    """Whether the probabilities can be computed: ``step`` and two given success rates."""
    return (
        design.method == Step.name
        and len(design.policies) == 2
        and isinstance(population, Guessed)
        and population.binary
    )


def exact_stopping_times(design: Design, populations: Sequence[Guessed]) -> list[StoppingTimes]:
    """Return exact probabilities of every end of the study, for each pair of success rates.

    The distribution of the two success counts is carried from pair to pair; what the rule stops
    is taken out. This is another way than that of ``StepDesign.power``, which goes through the
    counts at the horizon, and a test holds the two against each other.
    """
    rates = np.array([[guess.mean for guess in population.guesses] for population in populations])
    policy1, policy0, undecided = _ends(design, rates)
    up = rates[:, 1:] > rates[:, :1]
    right, wrong = np.where(up, policy1, policy0), np.where(up, policy0, policy1)
    trials = 2.0 * (right + wrong + undecided) @ np.arange(1, design.n_max + 1)
    return [
        StoppingTimes(
            right[i], wrong[i], undecided[i], float(trials[i]), float(right[i].sum()), None
        )
        for i in range(len(rates))
    ]


def _ends(design: Design, rates: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Return, by rates and number of pairs: policy 1 declared, policy 0 declared, neither."""
    test = design.comparison.test
    assert isinstance(test, Step)
    rule, n_max = test.stopping.rule, design.n_max
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
    if design.alternative == "greater":
        undecided[:, -1] += policy0.sum(axis=1)
        policy0 = np.zeros_like(policy0)
    elif design.alternative == "less":
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
