"""What declaring "paired" buys: both designs on the same pairs, by correlation of their scores.

Run ``python -m benchmarks.efficiency.pairing``. Both scores of a pair depend on a common difficulty
(a Gaussian copula, set so that the scores have the stated correlation; where both margins do not
allow it, the largest one that they do). "Independent" is then declared by somebody who overlooks
what is shared.
"""

from argparse import Namespace

import numpy as np
from rich.table import Table
from scipy.optimize import brentq
from scipy.special import ndtr

import stopwise as sw
from benchmarks.efficiency.suite import Case, bernoulli, discrete, synthetic
from benchmarks.program import benchmark
from stopwise.core.arrays import Floats

CORRELATIONS = (0.0, 0.2, 0.4, 0.6, 0.8)
CALIBRATION = 200_000  # pairs by which the copula is set
LARGEST = 0.9999
LEVELS = tuple(np.linspace(0, 1, 5).tolist())
CASES = (
    Case("success .5 / .7", "Bernoulli", bernoulli(0.5), bernoulli(0.7)),
    Case(
        "partial credit .5 / .62 (5 levels)",
        "levels",
        discrete(LEVELS, (2, 2, 2, 2, 2)),
        discrete(LEVELS, (1.2, 1.5, 1.9, 2.3, 3.1)),
    ),
    next(case for case in synthetic() if case.name == "beta 5,5/6,4"),
)


def coupled(
    case: Case, latent: float, rng: np.random.Generator, size: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Return scores whose normal difficulties have this correlation."""
    common, own = np.sqrt(latent), np.sqrt(1 - latent)
    difficulty = common * rng.standard_normal(size)
    return (
        case.policy0.quantile(ndtr(difficulty + own * rng.standard_normal(size))),
        case.policy1.quantile(ndtr(difficulty + own * rng.standard_normal(size))),
    )


def latent_correlation(case: Case, wanted: float, seed: int) -> tuple[float, float]:
    """Return the correlation of difficulties that gives the wanted one of scores, and the latter.

    All calls use the same random numbers, so the function to be solved is smooth enough.
    """

    def correlation(latent: float) -> float:
        rng = np.random.default_rng(seed)
        return float(np.corrcoef(*coupled(case, latent, rng, (CALIBRATION,)))[0, 1])

    if wanted == 0:
        return 0.0, 0.0
    largest = correlation(LARGEST)
    if largest <= wanted:
        return LARGEST, largest
    latent = float(brentq(lambda x: correlation(x) - wanted, 0, LARGEST, xtol=1e-3))
    return latent, correlation(latent)


@benchmark(n=200, runs=1000, seed=3)
def main(options: Namespace) -> Table:
    title = f"Mean pairs / power, n_max = {options.n}, alpha = .05, {options.runs} runs"
    table = Table("case", "correlation", "independent", "paired", title=title)
    for case in CASES:
        for wanted in CORRELATIONS:
            latent, reached = latent_correlation(case, wanted, options.seed)
            rng = np.random.default_rng([options.seed, round(1000 * wanted)])
            scores = coupled(case, latent, rng, (options.runs, options.n))
            own = {"n_max": options.n, "workers": 1, "alternative": "greater"}
            found = [
                sw.simulate("nscore-plus", *scores, design=design, **own)
                for design in ("independent", "paired")
            ]
            cells = [f"{sim.n.mean():.1f} / {sim.rate(1):.3f}" for sim in found]
            table.add_row(case.name, f"{reached:.2f}", *cells)
    return table
