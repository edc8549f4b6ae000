"""What sharing environments buys: TTD in the paired design by correlation between the policies.

Run ``python -m benchmarks.efficiency.correlation``. Both scores of a pair depend on a common
difficulty (a Gaussian copula, set so that the scores have the stated correlation; where both
margins do not allow it, the largest one that they do). The paired design is measured on such pairs,
the independent one on the same distributions without a common difficulty.
"""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from scipy.optimize import brentq
from scipy.special import ndtr

import stopwise as sw
from benchmarks.document import markdown
from benchmarks.efficiency.suite import Case, synthetic
from benchmarks.program import Found, benchmark
from stopwise.core.arrays import Floats

CASES = ("bern 0.45/0.55", "beta 5,5/6,4", "lev7a")
CORRELATIONS = (0.0, 0.2, 0.4, 0.8)
CALIBRATION = 200_000  # pairs by which the copula is set
LARGEST = 0.9999


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


def measure(
    case: Case, wanted: float, n: int, *, runs: int, seed: int, workers: int | None
) -> dict[str, Any]:
    """Return TTD, its standard error and power of both methods in the paired design."""
    latent, reached = latent_correlation(case, wanted, seed)
    rng = np.random.default_rng([seed, round(1000 * wanted)])
    scores = coupled(case, latent, rng, (runs, n))
    figures: dict[str, Any] = {"case": case.name, "wanted": wanted, "correlation": reached}
    for method in ("nscore-plus", "nscore"):
        sim = sw.simulate(
            method, *scores, n_max=n, design="paired", workers=workers, alternative="greater"
        )
        figures[f"{method}, paired"] = _figure(sim)
    if wanted == 0:
        for method in ("nscore-plus", "nscore"):
            figures[f"{method}, independent"] = _figure(
                sw.simulate(method, *scores, n_max=n, workers=workers, alternative="greater")
            )
    return figures


def _figure(sim: sw.Simulation) -> dict[str, float]:
    error = sim.n.std(ddof=1) / np.sqrt(len(sim.n))
    return {"ttd": float(sim.n.mean()), "ttd_error": float(error), "power": sim.rate(1)}


def table(figures: dict[str, Any]) -> str:
    """Return TTD by correlation."""
    rows = [
        [
            row["case"],
            f"{row['correlation']:.2f}",
            *(_cell(row[name]) for name in ("nscore-plus, paired", "nscore, paired")),
            f"{row['to nscore']:.3f}",
            f"{row['to independent']:.3f}",
        ]
        for row in figures["rows"]
    ]
    head = ["case", "correlation", "nscore-plus paired", "nscore paired"]
    return markdown([*head, "to nscore paired", "to independent environments"], rows)


def _cell(figure: dict[str, float]) -> str:
    return f"{figure['ttd']:.1f} ± {figure['ttd_error']:.1f} / {figure['power']:.3f}"


@benchmark(n=500, runs=1000, seed=3, workers=int, json=Path)
def main(options: Namespace) -> Found:
    """Print one row per case and correlation."""
    cases = [case for case in synthetic() if case.name in CASES]
    found = []
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("cases", total=len(cases) * len(CORRELATIONS))
        for case in cases:
            base: dict[str, Any] = {}
            for wanted in CORRELATIONS:
                figures = measure(
                    case, wanted, options.n,
                    runs=options.runs, seed=options.seed, workers=options.workers,
                )  # fmt: skip
                base = base or figures
                ours, theirs = figures["nscore-plus, paired"], figures["nscore, paired"]
                alone = base["nscore-plus, independent"]
                figures["to nscore"] = ours["ttd"] / theirs["ttd"]
                figures["to independent"] = ours["ttd"] / alone["ttd"]
                found.append(figures)
                progress.advance(task)
    return Found([table({"rows": found})], {**vars(options), "json": None, "rows": found})
