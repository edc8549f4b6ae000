"""What a binding futility stop saves under no effect, and the power that it costs.

Run ``python -m benchmarks.efficiency.futility``: power and mean pairs without and with stops, on
the same scores; with ``--many`` the same of several policies.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.efficiency.draws import Draw, partial_credit, returns, success
from benchmarks.program import benchmark
from stopwise.core.rules import Rules
from stopwise.questions.candidates import simulated_rows
from stopwise.questions.pairs import PairTests, replay

# Kind of score, means of both policies, n_max.
CASES: tuple[tuple[Draw, float, float, int], ...] = (
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


# Success rates, n_max, and what is asked.
MANY: tuple[tuple[tuple[float, ...], int, dict[str, Any]], ...] = (
    ((0.5, 0.5, 0.5), 200, {}),
    ((0.5, 0.5, 0.7), 200, {}),
    ((0.5, 0.6, 0.7), 200, {}),
    ((0.5, 0.6, 0.7), 200, {"adjust": "bonferroni"}),
    ((0.5, 0.5, 0.6, 0.7), 200, {"baseline": "0"}),
    ((0.9, 0.9, 0.9, 0.7), 400, {"baseline": "0", "margin": -0.05}),
    ((0.5, 0.5, 0.5, 0.5), 200, {"goal": "best"}),
    ((0.6, 0.6, 0.7, 0.8), 200, {"goal": "best"}),
    ((0.4, 0.5, 0.8, 0.8), 200, {"goal": "best"}),
    ((0.4, 0.5, 0.8, 0.8), 200, {"goal": "best", "indifference": 0.1}),
)


def ends(
    rates: tuple[float, ...], n_max: int, asked: dict[str, Any], runs: int
) -> tuple[float, float]:
    names = tuple(str(index) for index in range(len(rates)))
    rules = Rules.of(policies=names, n_max=n_max, **asked)
    rng = np.random.default_rng(0)
    if rules.goal == "best":
        shape = runs, len(rates)
        *_, board = simulated_rows(rules, lambda: success(rng, rates, shape), runs)
        named = np.array(rates)[board.named] >= max(rates) - rules.indifference - 1e-9
        return float((named & (board.named >= 0)).mean()), float(board.asked.sum(axis=1).mean())
    study = PairTests(rules)
    scores = success(rng, rates, (runs, n_max, len(rates)))
    outcome = replay(study.comparison, study.budget, scores, with_p_values=False)
    return float(outcome.claims.any(axis=-1).mean()), float(outcome.last.sum(axis=1).mean())


def several(runs: int) -> Table:
    table = Table("rates", "N", "asked", "without", "with stops", "power lost")
    for rates, n_max, asked in MANY:
        free = ends(rates, n_max, asked, runs)
        bound = ends(rates, n_max, {**asked, "futility": "binding"}, runs)
        table.add_row(
            " ".join(f"{rate:g}" for rate in rates),
            f"{n_max}",
            ", ".join(f"{name} {value}" for name, value in asked.items()) or "order, holm",
            *(f"{power:.3f} / {trials:.0f}" for power, trials in (free, bound)),
            f"{free[0] - bound[0]:.4f}",
        )
    return table


@benchmark(runs=4000, seed=0, workers=int, many=False)
def main(options: Namespace) -> Table:
    if options.many:
        return several(options.runs)
    table = Table("scores", "means", "N", "without", "with stops", "power lost")
    for index, (draw, mean0, mean1, n_max) in enumerate(CASES):
        rng = np.random.default_rng([options.seed, index])
        scores0, scores1 = (draw(rng, mean, (options.runs, n_max)) for mean in (mean0, mean1))
        own: dict[str, Any] = {"n_max": n_max, "workers": options.workers}
        free = sw.simulate("nscore-plus", scores0, scores1, **own, alternative="greater")
        own["futility"] = "binding"
        bound = sw.simulate("nscore-plus", scores0, scores1, **own, alternative="greater")
        table.add_row(
            draw.__name__.replace("_", " "),
            f"{mean0:g} {mean1:g}",
            f"{n_max}",
            *(f"{sim.rate(1):.3f} / {sim.n.mean():.1f}" for sim in (free, bound)),
            f"{free.rate(1) - bound.rate(1):.4f}",
        )
    return table
