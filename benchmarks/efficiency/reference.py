"""Trials of one policy against a number, against a second policy, and in a fixed-sample test.

Run ``python -m benchmarks.efficiency.reference``: mean trials and power, one-sided. Against a
second policy whose mean is the number, every pair takes two trials. The figures of ``step`` are
exact; those of the fixed-sample tests are the least numbers with the power of ``nscore-plus``.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from rich.table import Table
from scipy.stats import binom

import stopwise as sw
from benchmarks.efficiency.draws import Draw, partial_credit, returns, success
from benchmarks.program import benchmark
from stopwise.core.rules import Rules
from stopwise.core.step.one_rate import one_rate_test
from stopwise.planning.fixed_sample import fixed_plan
from stopwise.planning.guesses import as_guess
from stopwise.planning.populations import Guessed, WithNumber
from stopwise.planning.studies import PlannedOrder

# Kind of score, the number, the mean of the policy, n_max.
CASES: tuple[tuple[Draw, float, float, int], ...] = (
    (success, 0.5, 0.7, 100),
    (success, 0.6, 0.8, 50),
    (success, 0.87, 0.95, 100),
    (success, 0.87, 0.95, 200),
    (success, 0.9, 0.99, 100),
    (success, 0.1, 0.2, 100),
    (success, 0.1, 0.3, 50),
    (success, 0.5, 0.5, 100),
    (success, 0.87, 0.87, 200),
    (partial_credit, 0.5, 0.6, 100),
    (partial_credit, 0.8, 0.88, 100),
    (partial_credit, 0.5, 0.5, 100),
    (returns, 0.5, 0.57, 100),
    (returns, 0.5, 0.5, 100),
)


def fixed_n(draw: Draw, number: float, mean: float, power: float, alpha: float) -> str:
    if mean == number:
        return "-"
    guesses: dict[str, Any] = {
        "success": mean,
        "partial_credit": _milestones(mean),
        "returns": _spread(mean),
    }
    guess = guesses[draw.__name__]
    rules = Rules(policies=("one",), alpha=alpha, n_max=2, alternative="greater", reference=number)
    population = WithNumber(Guessed((as_guess(guess, rules.scale),)), number)
    found = fixed_plan(PlannedOrder(rules), population, power)
    return "-" if found is None else str(found.n)


def _milestones(mean: float) -> dict[float, float]:
    return {level / 4: float(binom.pmf(level, 4, mean)) for level in range(5)}


def _spread(mean: float) -> tuple[float, float]:
    return mean, float(np.sqrt(mean * (1 - mean) / 9))  # of a beta as concentrated as 8 trials


@benchmark(alpha=0.05, runs=4000, seed=0, workers=int)
def main(options: Namespace) -> Table:
    table = Table("scores", "number, mean", "N", "nscore-plus", "step", "second policy", "fixed")
    for index, (draw, number, mean, n_max) in enumerate(CASES):
        rng = np.random.default_rng([options.seed, index])
        size = options.runs, n_max
        scores, others = draw(rng, mean, size), draw(rng, number, size)
        own: dict[str, Any] = {"alpha": options.alpha, "n_max": n_max, "workers": options.workers}
        alone = sw.simulate("nscore-plus", scores, reference=number, **own, alternative="greater")
        pairs = sw.simulate("nscore-plus", others, scores, **own, alternative="greater")
        exact = "-"
        if draw is success:
            best = one_rate_test(options.alpha, n_max, number)
            exact = f"{best.expected_n(mean):.1f} / {best.power(mean):.3f}"
        table.add_row(
            draw.__name__.replace("_", " "),
            f"{number:g}, {mean:g}",
            str(n_max),
            f"{alone.n.mean():.1f} / {alone.rate(1):.3f}",
            exact,
            f"{2 * pairs.n.mean():.1f} / {pairs.rate(1):.3f}",
            fixed_n(draw, number, mean, alone.rate(1), options.alpha),
        )
    return table
