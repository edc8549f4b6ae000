"""Decision times of ``step`` on the STEP paper's own data, mirrored, in file order.

Collected only where the data folder is present.
"""

from typing import Any

import pytest

import stopwise as sw
from benchmarks.paper.datasets import step_outcomes
from benchmarks.paper.published_step import decision, published_design

# Task, n_max, alpha, published rule (measured on the reference), the optimal table at most.
TIMES = [
    ("PU_HARDWARE_DISTRIBUTION", 200, 0.05, None, None),
    ("PU_HARDWARE_POLICY", 200, 0.05, 61, 61),
    ("TRI_FOLD_RED_TOWEL", 50, 0.05, 19, 19),
    ("TRI_FOLD_RED_TOWEL", 200, 0.05, 21, 20),
    ("TRI_CLEAN_SPILL_v4", 50, 0.05, 8, 7),
    ("TRI_CLEAN_SPILL_v4", 200, 0.05, 9, 8),
    ("TRI_CLEAN_SPILL_v2", 50, 0.05, 21, 20),
    ("TRI_CLEAN_SPILL_v2", 200, 0.05, 24, 22),
]


@pytest.mark.parametrize(("task", "n_max", "alpha", "paper", "optimal"), TIMES)
def test_decision_times(
    task: str, n_max: int, alpha: float, paper: int | None, optimal: int | None
) -> None:
    """The published rule within 2 pairs (it is randomised), the optimal table no later."""
    scores = step_outcomes(task, n_max)
    common: dict[str, Any] = {"alpha": alpha, "n_max": n_max, "alternative": "two-sided"}
    common["ties"] = "paper"

    published = decision(published_design(alpha, n_max), *scores, seed=0)
    ours = sw.SequentialTest("step", **{"alternative": "greater", **common}).run(*scores)

    if paper is None or optimal is None:
        assert published is None
        assert not ours.decided
    else:
        assert published is not None
        assert abs(published[1] - paper) <= 2
        assert ours.n_decided is not None
        assert ours.n_decided <= optimal
