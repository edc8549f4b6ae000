"""Policies that join while the best is asked for, as was declared."""

import numpy as np
import pytest

import stopwise as sw
from stopwise.errors import InvalidInput
from stopwise.questions.best import BestQuestion
from tests.questions.drawn import play, rules_of

RATES = {"a": 0.3, "b": 0.9, "c": 0.4, "d": 0.5}


def test_nothing_is_named_before_all_declared_policies_have_joined() -> None:
    rates = {**RATES, "b": 0.8, "e": 1.0}
    rules = rules_of(rates, later=("e",))
    question = play(BestQuestion(rules), rates)
    assert question.candidates == ("b", "e")
    assert question.best is None
    assert question.needed == ()

    question.join("e")
    before = question.rows
    resumed = BestQuestion.from_json(question.to_json())
    question, resumed = (play(part, rates, seed=1) for part in (question, resumed))

    assert question.joined == {"e": before}
    assert question.best == "e"
    assert question.eliminated["b"].row > before
    assert question.to_json() == resumed.to_json()
    assert question.analysis().best == "e"


@pytest.mark.parametrize("design", ["independent", "paired"])
def test_a_policy_joins_a_rule_for_anyones_own_loop(design: str) -> None:
    rng = np.random.default_rng(3)
    rates = {**RATES, "e": 0.95}
    rule = sw.StopRule(list(rates), goal="best", n_max=150, later=["e"], design=design)
    while not rule.stop:
        for policy in rule.needed:
            rule.add(policy, float(rng.random() < rates[policy]))
        if rule.rows == 10 and "e" not in rule.needed:
            rule.join("e")
        if rule.rows % 25 == 11:
            rule = sw.StopRule.from_json(rule.to_json())

    assert "e" in rule.candidates
    assert rule.waiting == 0
    assert rule.analysis().eliminated == rule.eliminated
    with pytest.raises(InvalidInput, match="takes part already"):
        rule.join("e")
    with pytest.raises(InvalidInput, match="all policies take part from the start"):
        sw.StopRule(["a", "b"]).join("c")
