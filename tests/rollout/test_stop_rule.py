"""The stopping rule: rows count in their order, whatever the order of arrival."""

import json
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.snapshot import dump


def scores(rows: int = 60, gap: float = 0.35) -> dict[str, list[float]]:
    rng = np.random.default_rng(5)
    return {
        "base": (rng.random(rows) < 0.4).astype(float).tolist(),
        "new": (rng.random(rows) < 0.4 + gap).astype(float).tolist(),
    }


@pytest.mark.parametrize("design", ["independent", "paired"])
@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_arrival_gives_the_same_verdict(design: str, seed: int) -> None:
    data = scores()
    places = [(policy, row) for policy in data for row in range(60)]
    expected = sw.analyze(data, design=design, n_max=60)

    rule = sw.StopRule(list(data), design=design, n_max=60)
    for index in np.random.default_rng(seed).permutation(len(places)):
        policy, row = places[index]
        rule.add(policy, data[policy][row], row)

    found = rule.analysis()
    assert found.pairs[0].decision == expected.pairs[0].decision
    assert found.pairs[0].n == expected.pairs[0].n
    assert found.pairs[0].p_value == expected.pairs[0].p_value
    assert rule.rows == expected.pairs[0].n
    assert rule.waiting == 2 * (60 - rule.rows)


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
    assert rule.analysis().order_text == "a > low; b > low; a ? b"
    saved = {policy.name: policy.trials_saved for policy in rule.analysis().policies}
    assert saved == {"low": 40 - eliminated, "a": 0, "b": 0}


def test_it_goes_on_exactly_after_a_snapshot() -> None:
    data = scores()
    whole, half = sw.StopRule(list(data)), sw.StopRule(list(data))
    for row in range(5):
        for rule in (whole, half):
            rule.add("new", data["new"][row])
    half = sw.StopRule.from_json(half.to_json())
    for row in range(20):
        for rule in (whole, half):
            rule.add("base", data["base"][row], row)

    assert whole.rows == half.rows == 5
    assert whole.to_json() == half.to_json()
    assert [pair.log_e for pair in whole.standings()] == [pair.log_e for pair in half.standings()]


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


@pytest.mark.parametrize(
    "change", [{"margin": -0.2}, {"alternative": "greater"}, {"goal": "nonsense"}]
)
def test_a_saved_rule_that_asks_something_else_is_refused(change: dict[str, Any]) -> None:
    rule = sw.StopRule(["a", "b", "c"], n_max=50)
    for policy in rule.policies:
        rule.add(policy, 0.5)
    content = json.loads(rule.to_json())["content"]
    question = json.loads(content["question"])

    def resumed(**changes: Any) -> sw.StopRule:
        rules = {**question["content"]["rules"], **changes}
        changed = {**question["content"], "rules": rules}
        text = dump(question["kind"], question["version"], changed)
        return sw.StopRule.from_json(dump("StopRule", 1, {**content, "question": text}))

    assert resumed().rows == 1
    with pytest.raises(sw.InvalidState):
        resumed(**change)
