"""The paper's RoboArena study with every adjustment; as published it is in test_real_data."""

import pytest

import stopwise as sw
from benchmarks.paper.datasets import roboarena


def trials_used(adjust: str, ties: str) -> dict[str, int]:
    analysis = sw.analyze(
        roboarena(), method="nscore", bins=21, adjust=adjust, design="paired", ties=ties
    )
    assert all(pair.decided for pair in analysis.pairs)
    return {policy.name: policy.trials_used for policy in analysis.policies}


@pytest.mark.parametrize(
    ("adjust", "ties", "total"), [("bonferroni", "strict", 1554), ("holm", "strict", 1436)]
)
def test_roboarena_with_each_adjustment(adjust: str, ties: str, total: int) -> None:
    """Measured with this package; exact ties are covered too where ties are strict."""
    assert sum(trials_used(adjust, ties).values()) == total
