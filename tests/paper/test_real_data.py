"""The paper's decisions on real data, pair for pair.

Collected only where the data folder is present (``STOPWISE_DATA`` or ``../shared/data``).
"""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from benchmarks.paper.datasets import lbm_task, roboarena

EXPECTED = Path(__file__).parents[2] / "benchmarks" / "paper" / "expected"
TABLE2 = json.loads((EXPECTED / "table2_lbm.json").read_text())
ENVIRONMENTS = ["Sim_Unseen_Nominal", "HW_Unseen_Nominal"]
ROWS: dict[str, dict[str, Any]] = {
    "nscore progress": {"method": "nscore"},
    "wsr progress": {"method": "wsr"},
    "nscore binary, 3 bins": {"method": "nscore", "bins": 3},
    "savi binary": {"method": "savi"},
}


def decision_times(environment: str, row: str) -> list[int | None]:
    times = []
    for task in TABLE2[environment]["tasks"]:
        data = lbm_task(environment, task)
        settings = dict(ROWS[row])
        scores = (data.success0, data.success1)
        if "progress" in row:
            scores = (data.progress0, data.progress1)
            if settings["method"] == "nscore":
                settings["bin_values"] = data.milestones
        verdict = sw.SequentialTest(alpha=0.05, **settings).run(*scores)
        times.append(verdict.n_decided)
    return times


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("row", ROWS)
def test_lbm_decision_times(environment: str, row: str) -> None:
    assert decision_times(environment, row) == TABLE2[environment][row]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("method", ["nscore", "wsr"])
def test_lbm_totals(environment: str, method: str) -> None:
    """Rollouts of both policies, n_max where undecided."""
    n_max = TABLE2[environment]["n_max"]

    total = 2 * sum(time or n_max for time in decision_times(environment, f"{method} progress"))

    assert total == TABLE2[environment][f"total {method} progress"]


def test_two_bins_decide_earlier_than_the_published_three() -> None:
    """The paper's "N-SCORE_2" row needs 3 bins; with 2 the 98 pairs become 87."""
    data = lbm_task("Sim_Unseen_Nominal", "SeparateFruitsVegetablesIntoContainers")

    verdict = sw.SequentialTest("nscore", bins=2).run(data.success0, data.success1)

    assert verdict.n == 87


def test_roboarena_trials_per_policy() -> None:
    """All six pairs separated; a policy's trials are the largest decision time of its pairs."""
    expected = json.loads((EXPECTED / "roboarena.json").read_text())
    scores = roboarena()
    trials = dict.fromkeys(scores, 0)

    for first, second in itertools.combinations(scores, 2):
        test = sw.SequentialTest(
            "nscore", alpha=0.05 / 6, alternative="two-sided", design="paired", bins=21
        )
        verdict = test.run(scores[first], scores[second])
        assert verdict.decided
        for policy in (first, second):
            trials[policy] = max(trials[policy], verdict.n)

    assert trials == expected["trials"]
    assert sum(trials.values()) == expected["total"]
