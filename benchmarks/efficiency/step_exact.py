"""``step`` for n_max = 500, exactly: level, power, expected pairs and times on the real data.

Run ``python -m benchmarks.efficiency.step_exact`` (some minutes; tables are cached). Smaller
horizons are in the tests. Exits with 1 if a proven error exceeds its alpha.
"""

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.paper.datasets import step_outcomes
from benchmarks.paper.published_step import decision, published_design
from benchmarks.program import Found, benchmark, tracked

N_MAX = 500
LEVELS = {"0.05": 0.05, "0.01": 0.01, "0.05/6": 0.05 / 6}
TENTHS = np.array([(a / 10, b / 10) for b in range(1, 10) for a in range(1, b)]).T
POINTS = np.array([(0.5, 0.6), (0.1, 0.2), (0.85, 0.95), (0.3, 0.6)]).T
# Task, alpha; decision times of the reference and of the prototype of the optimal design.
TASKS = {
    "TRI_FOLD_RED_TOWEL": (0.05, 23, 20),
    "TRI_CLEAN_SPILL_v4": (0.05, 13, 9),
    "TRI_CLEAN_SPILL_v2": (0.05, 26, 22),
    "TRI_SIM_SPOON_ON_TOWEL": (0.01, 36, 35),
    "TRI_SIM_EGGPLANT_IN_BASKET": (0.01, 131, 146),
    "TRI_SIM_STACK_CUBE": (0.01, 225, 217),
}


@benchmark()
def main() -> Found:
    """Print the figures."""
    levels = Table("table", "alpha", "proven error", "mean power", "mean pairs", "power at points")
    good = True
    tables = {"optimal": sw.step_design, "paper": published_design}
    for kind, name in tracked([(kind, name) for kind in tables for name in LEVELS], "tables"):
        design = tables[kind](LEVELS[name], N_MAX)
        error = design.worst_case().error
        good &= error <= LEVELS[name]
        levels.add_row(
            kind,
            name,
            f"{error:.6f}",
            f"{design.power(*TENTHS).mean():.4f}",
            f"{design.expected_n(*TENTHS).mean():.2f}",
            " ".join(f"{power:.4f}" for power in design.power(*POINTS)),
        )
    times = Table("data", "alpha", "reference", "paper table", "prototype", "optimal table")
    for task, (alpha, reference, prototype) in TASKS.items():
        scores = step_outcomes(task, N_MAX)
        ended = decision(published_design(alpha, N_MAX), *scores, seed=0)
        published = "None" if ended is None else f"{ended[1]}"
        ours = sw.SequentialTest("step", alpha, N_MAX, alternative="two-sided", ties="paper").run(
            *scores
        )
        times.add_row(
            task, f"{alpha}", f"{reference}", published, f"{prototype}", f"{ours.n_decided}"
        )
    return Found([levels, times], good=good)
