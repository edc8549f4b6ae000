"""The estimate beside the mean of a decided pair: seldom beyond the truth."""

import numpy as np
import pytest
from scipy.stats import binomtest

from benchmarks.efficiency.at_stop import at_stop
from stopwise.core.rules import Rules

RUNS = 400
POLICIES = ("a", "b")


@pytest.mark.parametrize(
    ("method", "rates"),
    [("nscore-plus", (0.4, 0.62)), ("nscore-plus", (0.05, 0.18)), ("step", (0.4, 0.62))],
)
def test_the_estimate_passes_the_truth_in_at_most_half_of_all_studies(
    method: str, rates: tuple[float, float]
) -> None:
    """The plain mean at the stop does so in more: put in its place, it fails this test."""
    rng = np.random.default_rng(0)
    scores = (rng.random((RUNS, 150, 2)) < rates) * 1.0
    rules = Rules(policies=POLICIES, n_max=150, method=method)

    decided, means, estimates = at_stop(rules, scores)

    gap = rates[1] - rates[0]
    passed = {
        name: int((decided & (own > gap)).sum())
        for name, own in (("mean", means), ("estimate", estimates))
    }
    assert binomtest(passed["estimate"], RUNS, 0.5, "greater").pvalue > 0.01
    assert binomtest(passed["mean"], RUNS, 0.5, "greater").pvalue < 0.01
