"""The stopping rule: rows count in their order, whatever the order of arrival."""

from typing import Any

import pytest

import stopwise as sw


def test_a_policy_that_is_told_apart_is_needed_no_more() -> None:
    rule = sw.StopRule(["low", "a", "b"], n_max=40)
    values = {"low": [0.0, 0.0], "a": [0.8, 1.0], "b": [1.0, 0.8]}
    eliminated = None
    while not rule.stop:
        row = rule.rows
        for policy in rule.needed:
            rule.add(policy, values[policy][row % 2], row)
        if eliminated is None and "low" not in rule.needed:
            eliminated = rule.rows

    assert eliminated is not None
    assert rule.rows == 40
    assert not rule.decided
    assert rule.analysis().order_text == "a > low; b > low; a undecided against b"
    saved = {policy.name: policy.trials_saved for policy in rule.analysis().policies}
    assert saved == {"low": 40 - eliminated, "a": 0, "b": 0}


def test_what_cannot_be_a_result_is_refused_and_changes_nothing() -> None:
    rule = sw.StopRule(["a", "b"], bounds=(0, 10))
    rule.add("a", 3)
    rule.add("b", 3)
    cases: list[tuple[tuple[Any, ...], str]] = [
        (("c", 1.0), "policies are a, b"),
        (("a", 11.0), r"within the bounds \[0, 10\]"),
        (("a", float("nan")), "within the bounds"),
        (("a", 1.0, 0), "row 0 has already been looked at"),
        (("a", 1.0, -1), "row must be a whole number"),
    ]
    for wrong, message in cases:
        with pytest.raises(sw.InvalidInput, match=message):
            rule.add(*wrong)
    rule.add("a", 1.0, 7)
    with pytest.raises(sw.InvalidInput, match="already has a result in row 7"):
        rule.add("a", 1.0, 7)
    with pytest.raises(sw.InvalidState, match="not a saved StopRule"):
        sw.StopRule.from_json("{}")

    assert rule.rows == 1
    assert rule.waiting == 1
