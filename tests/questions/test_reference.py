"""One policy, or several, against a number: the same answer whichever way it is asked for."""

from typing import Any

import pytest

import stopwise as sw
from stopwise.report.tables import pair_rows

NEW = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0] * 6
OLD = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0] * 6


def test_the_number_is_a_policy_without_trials() -> None:
    found = sw.analyze({"new": NEW, "old": OLD}, reference=0.6, n_max=100)
    assert found.order_text == "new > 0.6; 0.6 > old"
    assert found.baseline == "0.6"
    number = next(policy for policy in found.policies if policy.name == "0.6")
    assert (number.n, number.mean, number.interval) == (0, 0.6, (0.6, 0.6))
    assert (number.trials_used, number.trials_saved) == (0, 0)
    assert "of at most 200 trials" in found.sentence
    assert found.to_dict()["reference"] == 0.6
    assert "against the number 0.6 (fixed in advance)" in found.to_html()
    above, below = (row["difference"] for row in pair_rows(found))
    assert (above, below) == ("0.3", "0.3"), "of the better one over the other"


def test_one_interval_for_mean_and_decision() -> None:
    found = sw.analyze({"new": NEW}, reference=0.7, bounds=(0, 1))
    (pair,), policy = found.pairs, found.policies[0]
    assert found.order_text == "new > 0.7"
    assert policy.interval.low == pytest.approx(0.7 + pair.interval.low)
    assert 0.7 < policy.interval.low < 0.9 < policy.interval.high <= 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reference": 1.0}, r"strictly between 0 and 1, the bounds of the score, but got 1\.0"),
        ({"reference": "high"}, "got the text 'high'"),
        ({"reference": 0.5, "baseline": "new"}, "a reference is the baseline itself"),
        ({"reference": 0.5, "goal": "best"}, "reference does not go with goal='best'"),
        ({"reference": 0.5, "method": "savi"}, "savi compares two policies and takes no reference"),
        ({"reference": 0.5, "method": "step"}, "step needs n_max"),
        ({}, "at least 2 policies, but got 1"),
    ],
)
def test_bad_input_gets_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message) as error:
        sw.analyze({"new": NEW}, **settings)
    assert "\n" not in str(error.value)


def test_no_policy_has_the_name_of_the_number() -> None:
    with pytest.raises(sw.InvalidInput, match=r"cannot have the name of the reference, '0\.5'"):
        sw.analyze({"0.5": NEW}, reference=0.5)
    rule = sw.StopRule(["new"], reference=0.5)
    with pytest.raises(sw.InvalidInput, match=r"policies are new, but got a result of '0\.5'"):
        rule.add("0.5", 1.0)


def test_a_gate_holds_a_policy_against_a_number() -> None:
    found = sw.gate(NEW, reference=0.7)
    assert (found.answer, found.exit_code, found.baseline) == ("pass", 0, "0.7")
    assert found.sentence.startswith(
        f"Pass: new is better than 0.7, shown after {found.n} trials. All trials: mean"
    )
    assert found.interval.low > 0.7
    worse = sw.gate(OLD, reference=0.7)
    assert (worse.answer, worse.exit_code) == ("fail", 1)
    assert "Fail: new is worse than 0.7, shown" in worse.sentence
    open_ = sw.gate(NEW, reference=0.9, method="step", n_max=60)
    assert (open_.answer, open_.exit_code) == ("undecided", 3)
    near = sw.gate(NEW, reference=0.95, margin=0.2)
    assert near.sentence.startswith("Pass: new is less than 0.2 worse than 0.95")
    assert "| mean |" in near.to_markdown()
    with pytest.raises(sw.InvalidInput, match="give one of the two"):
        sw.gate(NEW, OLD, reference=0.7)
    with pytest.raises(sw.InvalidInput, match="give one of the two"):
        sw.gate(NEW)
