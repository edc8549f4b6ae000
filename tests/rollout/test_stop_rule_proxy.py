"""A proxy beside the trials of a stopping rule."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.errors import InvalidInput

MEANS = {"low": 0.4, "high": 0.55}


def test_a_rule_that_was_saved_goes_on_identically() -> None:
    rng = np.random.default_rng(3)
    rows = rng.random((60, 2, 2))
    whole, other = (
        sw.StopRule(["low", "high"], n_max=60, design="paired", proxy_mean=MEANS) for _ in range(2)
    )
    for row, ((r0, r1), (g0, g1)) in enumerate(rows):
        for rule in (whole, other):
            rule.add("high", r1, proxy=g1)
        if row == 20:  # one result waits while it is saved
            other = sw.StopRule.from_json(other.to_json())
        for rule in (whole, other):
            rule.add("low", r0, proxy=g0)
    assert other.to_json() == whole.to_json()
    table = {"low": rows[:, 0, 0], "high": rows[:, 0, 1]}
    guesses = {"low": rows[:, 1, 0], "high": rows[:, 1, 1]}
    found = sw.analyze(table, design="paired", n_max=60, proxy=guesses, proxy_mean=MEANS)
    assert found.to_dict()["pairs"] == whole.analysis().to_dict()["pairs"]


def test_a_rule_for_your_own_loop_takes_simulated_scenes() -> None:
    rng = np.random.default_rng(3)
    rows, many = rng.random((40, 2, 2)), rng.random((500, 2))
    known: dict[str, Any] = {"n_max": 40, "design": "paired", "proxy_scores": many}
    rule = sw.StopRule(["low", "high"], **known)
    for (r0, r1), (g0, g1) in rows:
        rule.add("low", r0, proxy=g0)
        rule.add("high", r1, proxy=g1)
    columns, guesses = (dict(zip(("low", "high"), rows[:, k].T, strict=True)) for k in (0, 1))
    found = sw.analyze(columns, proxy=guesses, **known)

    assert rule.analysis().to_dict()["pairs"] == found.to_dict()["pairs"]
    assert sw.StopRule.from_json(rule.to_json()).rules == rule.rules
    with pytest.raises(InvalidInput, match="give one of the two"):
        sw.StopRule(["low", "high"], proxy_mean=MEANS, **known)


def test_trials_without_a_score_of_the_proxy_are_refused() -> None:
    rule = sw.StopRule(["low", "high"], design="paired", proxy_mean=MEANS)
    with pytest.raises(InvalidInput, match="give both, or neither"):
        rule.add("low", 0.5)
