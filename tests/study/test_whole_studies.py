"""The promise for whole studies: any false order with probability at most alpha."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from stopwise.ranking.contest import Contest
from tests.guarantees.pinned import assert_at_most, assert_pinned
from tests.study.simulation import Simulation, simulate

ALPHA = 0.2
RUNS = 1000
CASES = {"all tied": (0.5, 0.5, 0.5, 0.5), "ties between clear ones": (0.02, 0.5, 0.5, 0.98)}
SETTINGS: dict[str, Any] = {"method": "wsr", "alpha": ALPHA, "n_max": 12}


def by_assignment(study: Simulation) -> int:
    """Judge the study as it is."""
    return study.false_claims(study.contest())


def by_arrival(study: Simulation) -> int:
    """Sabotage: the i-th result to arrive of each policy makes row i."""
    rules = study.contest().rules
    contest = Contest(**rules.settings())
    queues = {arm: [s for name, s in study.arrivals if name == arm] for arm in study.names}
    for row in range(max(map(len, queues.values()))):
        if contest.needed:
            scores = {arm: queue[row] for arm, queue in queues.items() if row < len(queue)}
            contest.add({arm: scores[arm] for arm in contest.needed if arm in scores})
    return study.false_claims(contest)


@pytest.mark.parametrize("name", CASES)
def test_any_false_order_has_at_most_alpha(name: str) -> None:
    """Catches rows made by arrival, and a policy dropped for its score."""
    false = simulate(np.array(CASES[name]), RUNS, by_assignment, **SETTINGS)

    errors = sum(found > 0 for found in false)
    assert_at_most(errors, RUNS, ALPHA)
    assert_pinned(f"whole studies, {name}", [errors])


def test_the_check_finds_rows_made_by_arrival() -> None:
    """Slow failures of one policy and slow successes of another make the first look better."""
    false = simulate(np.array(CASES["all tied"]), 150, by_arrival, **SETTINGS)

    errors = sum(found > 0 for found in false)
    assert binomtest(errors, len(false), ALPHA, alternative="greater").pvalue < 1e-4


def test_the_check_finds_trials_voided_for_their_score() -> None:
    false = simulate(
        np.array(CASES["all tied"]), 100, by_assignment, favoured="policy 2", **SETTINGS
    )

    errors = sum(found > 0 for found in false)
    assert binomtest(errors, len(false), ALPHA, alternative="greater").pvalue < 1e-4
