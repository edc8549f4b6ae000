"""Mean width of the intervals that invert the test, beside others, by number of pairs.

Beside them: WSR's confidence sequence (its test inverted as well), a confidence sequence that knows
of no test and of no n_max (what ``step`` shows), and the fixed-sample interval of
Wald, which holds at one look only.

Run ``python -m benchmarks.efficiency.interval_width``.
"""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.table import Table
from scipy.stats import norm

from benchmarks.efficiency.interval_paths import interval_paths, paths_alone
from benchmarks.program import Found, benchmark, tracked
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules

ALPHA = 0.05
SIZES = (50, 200)
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]


def binary(rate: float) -> Draw:
    return lambda rng, size: (rng.random(size) < rate) * 1.0


CASES: dict[str, tuple[Draw, Draw]] = {
    "Bernoulli .5, .5": (binary(0.5), binary(0.5)),
    "Bernoulli .5, .7": (binary(0.5), binary(0.7)),
    "Bernoulli .2, .8": (binary(0.2), binary(0.8)),
    "Bernoulli .9, .9": (binary(0.9), binary(0.9)),
    "Bernoulli .05, .1": (binary(0.05), binary(0.1)),
    "7 levels": (
        lambda rng, size: rng.binomial(6, 0.4, size) / 6,
        lambda rng, size: rng.binomial(6, 0.6, size) / 6,
    ),
    "U-shaped beta": (
        lambda rng, size: rng.beta(0.3, 0.6, size),
        lambda rng, size: rng.beta(0.5, 0.5, size),
    ),
    "beta, sd .12": (
        lambda rng, size: rng.beta(8, 8, size),
        lambda rng, size: rng.beta(8, 6, size),
    ),
    "beta, sd .05": (
        lambda rng, size: rng.beta(50, 50, size),
        lambda rng, size: rng.beta(53, 47, size),
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


@benchmark(runs=200, json=Path)
def main(options: Namespace) -> Found:
    names = ("no test", "WSR", "inverted", "inverted, paired", "Wald (one look)")
    table = Table("case", "N", *names, "inverted / no test", title="95% width")
    figures: dict[str, dict[int, list[float]]] = {}
    for name, (draw0, draw1) in tracked(CASES.items(), "cases"):
        rng = np.random.default_rng(0)
        size = (options.runs, max(SIZES))
        scores = draw0(rng, size), draw1(rng, size)
        figures[name] = {}
        for n in SIZES:
            widths = [
                width_alone(n, *scores),
                sequence_width(n, *scores, method="wsr"),
                sequence_width(n, *scores),
                sequence_width(n, *scores, design="paired"),
                wald_width(n, *scores),
            ]
            figures[name][n] = widths
            ratio = f"{widths[2] / widths[0]:.2f}"
            table.add_row(name, str(n), *(f"{width:.3f}" for width in widths), ratio)
    return Found([table], figures)
