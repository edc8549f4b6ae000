"""What a binding futility stop saves under no effect, and the power that it costs.

Run ``python -m benchmarks.efficiency.futility``: power and mean pairs without and with stops, on
the same scores.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import stopwise as sw
from stopwise.core.arrays import Floats

Draw = Callable[[np.random.Generator, float, tuple[int, int]], Floats]


def success(rng: np.random.Generator, mean: float, size: tuple[int, int]) -> Floats:
    """Return scores of 0 and 1."""
    return (rng.random(size) < mean).astype(np.float64)


def partial_credit(rng: np.random.Generator, mean: float, size: tuple[int, int]) -> Floats:
    """Return how many of four milestones were reached, as a share."""
    reached: Floats = rng.binomial(4, mean, size) / 4
    return reached


def returns(rng: np.random.Generator, mean: float, size: tuple[int, int]) -> Floats:
    """Return scores of a beta distribution."""
    scores: Floats = rng.beta(8 * mean, 8 * (1 - mean), size)
    return scores


# Kind of score, means of both policies, n_max.
CASES: tuple[tuple[Draw, float, float, int], ...] = (
    (success, 0.5, 0.5, 50),
    (success, 0.9, 0.9, 50),
    (success, 0.5, 0.7, 50),
    (success, 0.5, 0.8, 50),
    (partial_credit, 0.5, 0.5, 50),
    (partial_credit, 0.5, 0.6, 50),
    (returns, 0.5, 0.5, 50),
    (returns, 0.5, 0.57, 50),
    (success, 0.5, 0.5, 200),
    (success, 0.9, 0.9, 200),
    (success, 0.5, 0.6, 200),
    (success, 0.8, 0.9, 200),
    (success, 0.7, 0.5, 200),
    (partial_credit, 0.5, 0.5, 200),
    (partial_credit, 0.5, 0.55, 200),
    (returns, 0.5, 0.5, 200),
    (returns, 0.5, 0.535, 200),
)


def main() -> None:
    """Print one row per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", default="nscore-plus")
    parser.add_argument("--chance", type=float, default=0.05)
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int)
    options = parser.parse_args()
    table = Table("scores", "means", "N", "without", "with stops", "power lost")
    for index, (draw, mean0, mean1, n_max) in enumerate(CASES):
        if options.method == "savi" and draw is returns:
            continue
        rng = np.random.default_rng([options.seed, index])
        scores0, scores1 = (draw(rng, mean, (options.runs, n_max)) for mean in (mean0, mean1))
        own: dict[str, Any] = {"n_max": n_max, "workers": options.workers}
        if options.method == "savi":
            own["levels"] = 2 if draw is success else 5
        free = sw.simulate(options.method, scores0, scores1, **own)
        own |= {"futility": "binding", "futility_chance": options.chance}
        bound = sw.simulate(options.method, scores0, scores1, **own)
        table.add_row(
            draw.__name__.replace("_", " "),
            f"{mean0:g} {mean1:g}",
            f"{n_max}",
            *(f"{sim.rate(1):.3f} / {sim.n.mean():.1f}" for sim in (free, bound)),
            f"{free.rate(1) - bound.rate(1):.4f}",
        )
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
