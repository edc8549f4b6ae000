"""Trials of one policy against a number, against a second policy, and in a fixed-sample test.

Run ``python -m benchmarks.efficiency.reference``: mean trials and power, one-sided. Against a
second policy whose mean is the number, every pair takes two trials. The figures of ``step`` are
exact; those of the fixed-sample tests are the least numbers with the power of ``nscore-plus``.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from rich.table import Table
from scipy.stats import binom, nct, t

import stopwise as sw
from benchmarks.efficiency.draws import Draw, partial_credit, returns, success
from benchmarks.program import benchmark
from stopwise.core.step.one_rate import one_rate_test

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


def fixed_n(draw: Draw, number: float, mean: float, power: float, alpha: float) -> int:
    """Least trials of the exact binomial test, or of a t-test, with this power."""
    effect = (mean - number) / draw(np.random.default_rng(0), mean, (1, 100_000)).std()

    def power_of(n: int) -> float:
        if draw is success:
            return float(binom.sf(binom.isf(alpha, n, number), n, mean))
        return float(nct.sf(t.isf(alpha, n - 1), n - 1, effect * np.sqrt(n)))

    return next(n for n in range(2, 1000) if power_of(n) >= min(power, 0.99))


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
        exact = fixed = "-"
        if mean > number:
            fixed = str(fixed_n(draw, number, mean, alone.rate(1), options.alpha))
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
            fixed,
        )
    return table
