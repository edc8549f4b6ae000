"""Mean width of the intervals that invert the test, beside others, by number of pairs.

Beside them: WSR's confidence sequence (its test inverted as well), a confidence sequence that knows
of no test and of no n_max (what ``step`` shows), and the fixed-sample interval of
Wald, which holds at one look only.

Run ``python -m benchmarks.efficiency.interval_width``.
"""

from argparse import Namespace
from collections.abc import Callable

import numpy as np
from rich.table import Table
from scipy.stats import norm

from benchmarks.efficiency.interval_paths import interval_paths, paths_alone
from benchmarks.program import benchmark, tracked
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules

ALPHA = 0.05
SIZES = (50, 200)
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]


CASES: dict[str, tuple[Draw, Draw]] = {
    "Bernoulli .5, .5": (
        lambda rng, size: rng.binomial(1, 0.5, size) * 1.0,
        lambda rng, size: rng.binomial(1, 0.5, size) * 1.0,
    ),
    "7 levels": (
        lambda rng, size: rng.binomial(6, 0.4, size) / 6,
        lambda rng, size: rng.binomial(6, 0.6, size) / 6,
    ),
    "beta, sd .12": (
        lambda rng, size: rng.beta(8, 8, size),
        lambda rng, size: rng.beta(8, 6, size),
    ),
}


def sequence_width(n: int, scores0: Floats, scores1: Floats, **settings: str) -> float:
    rules = Rules.of(alternative="two-sided", ties="strict", alpha=ALPHA, n_max=n, **settings)
    *_, (low, high, _) = interval_paths(rules, scores0[:, :n], scores1[:, :n])
    return float(np.mean(high - low))


def width_alone(n: int, scores0: Floats, scores1: Floats) -> float:
    *_, (low, high) = paths_alone(ALPHA / 2, scores0[:, :n], scores1[:, :n])
    return float(np.mean(high - low))


def wald_width(n: int, scores0: Floats, scores1: Floats) -> float:
    variance = scores0[:, :n].var(axis=1, ddof=1) + scores1[:, :n].var(axis=1, ddof=1)
    return float(np.mean(2 * norm.isf(ALPHA / 2) * np.sqrt(variance / n)))


@benchmark(runs=200)
def main(options: Namespace) -> Table:
    names = ("no test", "WSR", "inverted", "inverted, paired", "Wald (one look)")
    table = Table("case", "N", *names, title="95% width")
    for name, (draw0, draw1) in tracked(CASES.items(), "cases"):
        rng = np.random.default_rng(0)
        size = (options.runs, max(SIZES))
        scores = draw0(rng, size), draw1(rng, size)
        for n in SIZES:
            widths = [
                width_alone(n, *scores),
                sequence_width(n, *scores, method="wsr"),
                sequence_width(n, *scores),
                sequence_width(n, *scores, design="paired"),
                wald_width(n, *scores),
            ]
            table.add_row(name, str(n), *(f"{width:.3f}" for width in widths))
    return table
