"""Least favourable nulls: two-point distributions with equal means, found by optimisation.

Run ``python -m benchmarks.efficiency.adversarial``. The search maximises the share of studies in
which ``nscore-plus`` declares policy 1 better although both means are equal: binary and random
candidates first, then differential evolution from the best of them, then more runs of a shortlist;
the worst null of a smaller N is a candidate for the next. The worst found is measured again on
fresh runs; only that rate is free of the bias of the search. If it exceeds alpha, it is measured
once more, on further runs that are ten times as many (up to N = 200, fewer beyond). In the paired
design the two scores of a pair are also coupled, from countermonotone (-1) over independent (0)
to comonotone (1).
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from scipy.optimize import differential_evolution
from scipy.special import expit
from scipy.stats import binomtest

import stopwise as sw
from benchmarks.document import markdown
from benchmarks.program import Found, benchmark
from stopwise.core.arrays import Floats

# Log-odds of the common mean, and the four points as shares of the way from it to the bounds.
BOUNDS = [(-5.0, 5.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0)]
COUPLING = (-1.0, 1.0)
POPULATION = 10
# The largest of many noisy rates is mostly noise: the top few are repeated before one is chosen.
SHORTLIST, REPEATS = 5, 5
# Both binary, or one of them certain: where sums of bounded scores are spread most or least.
CORNERS = [
    np.array([log_odds, *shares, coupling])
    for log_odds, shares, coupling in (
        (0.0, (1, 1, 1, 1), 0.0),
        (0.0, (1, 1, 1, 1), -1.0),
        (-1.0, (1, 1, 1, 1), 0.0),
        (1.0, (1, 1, 1, 1), 0.0),
        (2.0, (0, 0, 1, 1), 0.0),
        (-2.0, (1, 1, 0, 0), 0.0),
    )
]
PART = 2_000_000  # scores simulated at once


@dataclass(frozen=True)
class TwoPoint:
    """Policy 0 scores low0 or high0, policy 1 low1 or high1; both with this mean."""

    mean: float
    low0: float
    high0: float
    low1: float
    high1: float
    coupling: float = 0.0

    @classmethod
    def at(cls, position: Floats) -> "TwoPoint":
        """Return the null at a point of the search space."""
        mean = float(expit(position[0]))
        down0, up0, down1, up1 = (float(share) for share in position[1:5])
        return cls(
            mean,
            mean * (1 - down0),
            mean + (1 - mean) * up0,
            mean * (1 - down1),
            mean + (1 - mean) * up1,
            float(position[5]) if len(position) > 5 else 0.0,
        )

    def draw(self, rng: np.random.Generator, size: tuple[int, int]) -> tuple[Floats, Floats]:
        """Return the scores of both policies."""
        uniform0, uniform1 = rng.random(size), rng.random(size)
        if self.coupling:
            same = uniform0 if self.coupling > 0 else 1 - uniform0
            uniform1 = np.where(rng.random(size) < abs(self.coupling), same, uniform1)
        return (
            self._scores(uniform0, self.low0, self.high0),
            self._scores(uniform1, self.low1, self.high1),
        )

    def _scores(self, uniform: Floats, low: float, high: float) -> Floats:
        chance = (self.mean - low) / (high - low) if high > low else 0.0
        return np.where(uniform < chance, high, low)


def rejections(
    null: TwoPoint,
    n: int,
    alpha: float,
    design: str,
    *,
    runs: int,
    rng: np.random.Generator,
    workers: int | None = None,
) -> int:
    """Return the number of false declarations."""
    count, part = 0, max(1, PART // n)
    for start in range(0, runs, part):
        scores = null.draw(rng, (min(part, runs - start), n))
        sim = sw.simulate(
            "nscore-plus",
            *scores,
            alpha=alpha,
            n_max=n,
            design=design,
            workers=workers,
            alternative="greater",
        )
        count += int((sim.decision == 1).sum())
    return count


def search(
    rate: Callable[[Floats], float],
    dimensions: int,
    evaluations: int,
    start: list[Floats],
    seed: int,
) -> Floats:
    """Return the point of greatest rate: half of the evaluations at random, half by evolution."""
    tried: list[tuple[float, Floats]] = []

    def loss(point: Floats) -> float:
        tried.append((rate(point), np.array(point)))
        return -tried[-1][0]

    bounds = [*BOUNDS, COUPLING][:dimensions]
    low, high = np.array(bounds).T
    rng = np.random.default_rng(seed)
    candidates = [*start, *(corner[:dimensions] for corner in CORNERS)]
    while len(candidates) < evaluations // 2:
        point = rng.uniform(low, high)
        # Often at the bounds, or certain: there the rates are greatest.
        point[1:5] = np.where(rng.random(4) < 0.5, np.round(point[1:5]), point[1:5])
        candidates.append(point)
    losses = [loss(point) for point in candidates]
    best = [candidates[i] for i in np.argsort(losses)[:POPULATION]]
    generations = max(1, evaluations // 2 // POPULATION - 1)
    differential_evolution(
        loss, bounds, init=np.array(best), maxiter=generations, polish=False, tol=0, rng=seed
    )
    shortlist = [point for _, point in sorted(tried, key=lambda pair: -pair[0])[:SHORTLIST]]
    repeated = [np.mean([rate(point) for _ in range(REPEATS)]) for point in shortlist]
    return shortlist[int(np.argmax(repeated))]


def confirmed(
    row: dict[str, Any], seed: list[int], *, runs: int, workers: int | None
) -> dict[str, Any]:
    """Return the rate of a null on fresh runs, and on further ones if it exceeds alpha."""
    n, alpha = row["n"], row["alpha"]

    def rate(runs: int, stage: int) -> dict[str, Any]:
        rng = np.random.default_rng([*seed, stage])
        null = TwoPoint(**row["null"])
        count = rejections(null, n, alpha, row["design"], runs=runs, rng=rng, workers=workers)
        interval = binomtest(count, runs).proportion_ci(0.95)
        above = binomtest(count, runs, alpha, alternative="greater").pvalue
        return {
            "runs": runs,
            "rate": count / runs,
            "interval": [float(interval.low), float(interval.high)],
            "above": float(above),
        }

    first = rate(runs, 1)
    further = rate(round(10 * runs * min(1, 200 / n)), 2) if first["rate"] > alpha else None
    return {**first, "further": further}


def described(measured: dict[str, Any] | None) -> str:
    """Return a rate with its 95 % interval."""
    if measured is None:
        return ""
    low, high = measured["interval"]
    return f"{measured['rate']:.4f} ({low:.4f} to {high:.4f})"


def table(found: Sequence[dict[str, Any]]) -> str:
    """Return the worst nulls."""
    rows = []
    for row in found:
        null, further = row["null"], row["further"]
        coupling = f"{null['coupling']:+.2f}" if row["design"] == "paired" else ""
        points = [f"{null[f'low{i}']:.3f} or {null[f'high{i}']:.3f}" for i in (0, 1)]
        again = f"; {described(further)} in {further['runs']} more runs" if further else ""
        setting = row["design"], f"{row['alpha']:g}", row["n"]
        rows.append([*setting, *points, coupling, f"{described(row)}{again}"])
    head = ["design", "alpha", "N", "policy 0", "policy 1", "coupling", "rate (95 % interval)"]
    return markdown(head, rows)


@benchmark(
    n=[50, 200, 1000],
    alpha=[0.05, 0.005],
    designs=["independent", "paired"],
    runs=(2000, "per evaluation of the search"),
    fresh=(20_000, "runs for the worst one"),
    evaluations=(60, "per setting, before the shortlist"),
    seed=0,
    workers=int,
    json=Path,
    fill=Path,
)
def main(options: Namespace) -> Found:
    """Search every setting and print the worst nulls."""
    found: list[dict[str, Any]] = []
    settings = [(design, alpha) for design in options.designs for alpha in options.alpha]
    with Progress(console=Console(stderr=True)) as progress:
        for design, alpha in settings:
            worst: list[Floats] = []
            for n in sorted(options.n):
                label = f"{design}, alpha = {alpha:g}, N = {n}"
                total = options.evaluations + POPULATION + SHORTLIST * REPEATS
                task = progress.add_task(label, total=total)
                rng = np.random.default_rng([options.seed, n, round(1e6 * alpha)])

                def rate(point: Floats) -> float:
                    progress.advance(task)  # noqa: B023
                    count = rejections(
                        TwoPoint.at(point), n, alpha, design,  # noqa: B023
                        runs=options.runs, rng=rng, workers=options.workers,  # noqa: B023
                    )  # fmt: skip
                    return float(count / options.runs)

                dimensions = len(BOUNDS) + (design == "paired")
                point = search(rate, dimensions, options.evaluations, worst, options.seed)
                worst = [*worst, point]
                fresh = [options.seed, n, round(1e6 * alpha)]
                row = {"design": design, "alpha": alpha, "n": n, "null": asdict(TwoPoint.at(point))}
                row |= confirmed(row, fresh, runs=options.fresh, workers=options.workers)
                found.append(row)
                progress.update(task, completed=total)
    return Found([], found, sections={"adversarial": table(found)})
