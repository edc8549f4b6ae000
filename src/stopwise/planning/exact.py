"""Exact probabilities of every end of ``step`` with two known success rates."""

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.step.method import Step
from stopwise.planning.ends import Ends
from stopwise.planning.populations import Guessed, Population
from stopwise.planning.studies import PlannedOrder


def exact_ends(study: PlannedOrder, population: Population) -> Ends | None:
    """Exact probability of every end; None where it has to be simulated.

    The distribution of the two success counts is carried from pair to pair; what the rule stops
    is taken out. ``StepDesign.power`` works differently, from the counts at the horizon, and a test
    compares the two.
    """
    two = len(study.rules.reading.run) == study.family.k == 2
    if not (study.rules.method == Step.name and two and isinstance(population, Guessed)):
        return None
    test = study.comparison.test
    assert isinstance(test, Step)
    rate0, rate1 = population.means
    declared, undecided = np.zeros((2, study.n_max + 1)), np.zeros(study.n_max + 1)
    running: Floats = np.ones((1, 1))
    for n in range(1, study.n_max + 1):
        running = _one_more(_one_more(running, rate0).T, rate1).T
        reject = test.stopping.rule.table(n)
        declared[:, n] = (running * reject.T).sum(), (running * reject).sum()
        running = running * (1 - reject - reject.T)
        if test.stops_at_futility:
            futile = test.stopping.rule.futility_table(n)
            undecided[n] = (running * futile).sum()
            running = running * ~futile
    undecided[-1] += running.sum()
    for policy in {0, 1} - set(study.rules.directions):
        # A one-sided study is closed where the other direction would reject, and ends undecided.
        undecided[-1] += declared[policy].sum()
        declared[policy] = 0
    wrong, right = declared if rate1 > rate0 else declared[::-1]
    by_row = right + wrong + undecided
    spent = np.zeros(2 * study.n_max + 1)
    spent[::2] = by_row
    power, decided = float(right.sum()), float(declared.sum())
    none = np.empty(0)
    return Ends(right, wrong, undecided, spent, power, 0.0, none, decided, decided, by_row, None)


def _one_more(running: Floats, rate: float) -> Floats:
    """Chances of each number of successes, the first axis, after one more trial."""
    none = np.zeros_like(running[:1])
    more: Floats = np.concatenate([(1 - rate) * running, none])
    more[1:] += rate * running
    return more
