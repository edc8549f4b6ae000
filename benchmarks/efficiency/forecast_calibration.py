"""Midway forecasts on real data: stated chance of a verdict against how often it came.

Run ``python -m benchmarks.efficiency.forecast_calibration``. Real scores in random order are cut
after some trials; the forecast states the chance of a verdict by n_max, and the trials that follow
in that order show whether it came. Studies that are decided at the cut are left out.
"""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from rich.table import Table

from benchmarks.paper.datasets import lbm_scores, mujoco, roboarena_all
from benchmarks.program import benchmark, tracked
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.planning.populations import Resampled
from stopwise.planning.studies import OrderStudy
from stopwise.questions.pairs import PairTests, replay

RUNS = 500
CUTS = (0.1, 0.25, 0.5, 0.75)
EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)


@dataclass(frozen=True, eq=False)
class Source:
    name: str
    scores: Floats
    design: str
    n_max: int

    def order(self, rng: np.random.Generator) -> Floats:
        """Return a random order: of rows if they are paired, else of each policy."""
        if self.design == "paired":
            return self.scores[rng.permutation(len(self.scores))]
        return np.stack([rng.permutation(column) for column in self.scores.T], axis=1)

    def rules(self) -> Rules:
        return Rules(policies=("a", "b"), n_max=self.n_max, design=self.design)


def sources() -> Iterator[Source]:
    for (environment, task), policies in lbm_scores().items():
        first, second = policies.values()
        n = min(len(first), len(second))
        scores = np.array([first[:n], second[:n]]).T
        n_max = min(n * 4 // 5, 100)
        yield Source(f"LBM {environment} {task}", scores, "independent", n_max)
        yield Source(f"LBM-success {environment} {task}", success(scores), "independent", n_max)
    sessions = roboarena_all()
    for a, b in combinations(sessions, 2):
        scores = np.array([sessions[a], sessions[b]]).T
        yield Source(f"RoboArena {a} {b}", scores, "paired", 100)
        yield Source(f"RoboArena-success {a} {b}", success(scores), "paired", 100)
    for task, algorithms in mujoco().items():
        for a, b in combinations(algorithms, 2):
            scores = np.array([algorithms[a], algorithms[b]]).T
            yield Source(f"{task} {a} {b}", scores, "independent", 60)


def success(scores: Floats) -> Floats:
    return (scores >= 1.0 - 1e-6).astype(float)


@dataclass(frozen=True)
class Case:
    stated: float
    verdict: bool


def cases(source: Source, rng: np.random.Generator, *, runs: int = RUNS) -> Iterator[Case]:
    """Yield a forecast at each cut of one random order, and what came of it."""
    tests = PairTests(source.rules())
    order = source.order(rng)[: source.n_max]
    outcome = replay(tests.comparison, tests.budget, order[None], with_p_values=False)
    decided_at = int(outcome.rows[0, 0]) if outcome.claims.any() else None
    for cut in CUTS:
        seen = max(round(cut * source.n_max), 3)
        if decided_at is not None and decided_at <= seen:
            return
        past = order[:seen]
        population = Resampled(past, tests.rules.design == "paired")
        seed = np.random.SeedSequence(int(rng.integers(2**32)))
        ends = OrderStudy(tests.rules, population, past).simulate(seed, runs)
        yield Case(ends.chance(ends.decided), decided_at is not None)


def reliability(found: list[Case]) -> list[dict[str, float]]:
    stated = np.array([case.stated for case in found])
    came = np.array([case.verdict for case in found])
    place = np.digitize(stated, EDGES[1:-1], right=True)
    rows = []
    for index in range(len(EDGES) - 1):
        inside = place == index
        if inside.any():
            rows.append(
                {
                    "from": EDGES[index],
                    "to": EDGES[index + 1],
                    "cases": int(inside.sum()),
                    "stated": float(stated[inside].mean()),
                    "observed": float(came[inside].mean()),
                }
            )
    return rows


@benchmark(orders=(2, "random orders per pair"), seed=0)
def main(options: Namespace) -> Table:
    rng = np.random.default_rng(options.seed)
    found = [
        case
        for source in tracked(list(sources()), "pairs")
        for _ in range(options.orders)
        for case in cases(source, rng)
    ]
    table = Table("stated chance", "forecasts", "mean stated", "verdicts", title="all data")
    for row in reliability(found):
        table.add_row(
            f"{row['from']:g} to {row['to']:g}",
            f"{row['cases']}",
            f"{row['stated']:.3f}",
            f"{row['observed']:.3f}",
        )
    return table
