"""Trials until the best of several policies is named.

Run ``python -m benchmarks.efficiency.best``. Success rates on ladders, with and without ties at the
top and with saturated checkpoints; resampled returns, RoboArena and LBM if their data are there.
All are at alpha .05 and end at n_max trials per policy.
"""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from benchmarks.paper.datasets import DATA, lbm_scores, mujoco, roboarena_all
from benchmarks.program import benchmark, tracked
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.questions.candidates import simulated_rows

ALPHA = 0.05


@dataclass(frozen=True)
class Case:
    pools: tuple[Floats, ...]  # scores of each policy, drawn with replacement
    n_max: int
    indifference: float = 0.0

    @classmethod
    def rates(cls, *rates: float, n_max: int, indifference: float = 0.0) -> "Case":
        pools = tuple(
            np.repeat([0.0, 1.0], [1000 - round(1000 * p), round(1000 * p)]) for p in rates
        )
        return cls(pools, n_max, indifference)

    def draws(self, rng: np.random.Generator, studies: int) -> tuple[Callable[[], Floats], Floats]:
        size = max(map(len, self.pools))
        stacked = np.array([np.resize(pool, size) for pool in self.pools])
        lengths = np.array(list(map(len, self.pools)))
        order = rng.permuted(np.tile(np.arange(len(self.pools)), (studies, 1)), axis=1)

        def draw() -> Floats:
            scores: Floats = stacked[order, (rng.random(order.shape) * lengths[order]).astype(int)]
            return scores

        return draw, np.array([pool.mean() for pool in self.pools])[order]


def _ladders() -> dict[str, Case]:
    eight = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.8)
    return {
        ".4 .5 .6 .8": Case.rates(0.4, 0.5, 0.6, 0.8, n_max=400),
        ".3 .4 .5 .6 .8": Case.rates(0.3, 0.4, 0.5, 0.6, 0.8, n_max=400),
        "7 at .5, one .75": Case.rates(*(0.5,) * 7, 0.75, n_max=400),
        "20, .9/.7": Case.rates(*np.linspace(0.1, 0.7, 19).round(3), 0.9, n_max=500),
        "8, two best at .8": Case.rates(0.3, 0.4, 0.5, 0.5, 0.6, 0.6, 0.8, 0.8, n_max=200),
        "8, .80/.65, within .05": Case.rates(*eight, n_max=500, indifference=0.05),
    }


def _recorded() -> dict[str, Case]:
    found = {}
    if (DATA / "mujoco_returns.csv").is_file():
        for task, policies in mujoco().items():
            pools = tuple(np.array(own) for own in policies.values())
            found[f"{task}, {len(pools)} policies"] = Case(pools, 500)
    if (DATA / "roboarena_complete599.csv").is_file():
        pools = tuple(np.array(own) for own in roboarena_all().values())
        found["RoboArena, 7 policies"] = Case(pools, 500)
    if (DATA / "lbm_progress.csv").is_file():
        for (_, task), policies in list(lbm_scores().items())[:3]:
            pools = tuple(np.array(own) for own in policies.values())
            found[f"LBM {task}"] = Case(pools, 200)
    return found


def measure(case: Case, studies: int, seed: int, allocation: str) -> list[float]:
    draw, means = case.draws(np.random.default_rng(seed), studies)
    rules = Rules(
        policies=tuple(str(index) for index in range(len(case.pools))),
        goal="best",
        alpha=ALPHA,
        n_max=case.n_max,
        indifference=case.indifference,
        allocation=allocation,
    )
    *_, board = simulated_rows(rules, draw, studies)
    known = board.named >= 0
    good = means[np.arange(studies), board.named] >= means.max(axis=1) - case.indifference - 1e-9
    shares = (float((known & good).mean()), float((known & ~good).mean()))
    return [float(board.trials.sum(axis=1).mean()), *shares]


@benchmark(
    runs=200,
    seed=0,
)
def main(options: Namespace) -> Table:
    cases = {**_ladders(), **_recorded()}
    figures = {
        name: {
            "stopwise": measure(case, options.runs, options.seed, "leader"),
            "each once": measure(case, options.runs, options.seed, "even"),
        }
        for name, case in tracked(cases.items(), "cases")
    }
    table = Table("policies", "by", "trials", "right", "wrong")
    for name, found in figures.items():
        for who, (trials, right, wrong) in found.items():
            table.add_row(name, who, f"{trials:,.0f}", f"{right:.3f}", f"{wrong:.3f}")
        table.add_section()
    return table
