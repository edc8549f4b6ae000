"""Tests and rules that were saved in the middle go on as they would have then."""

import json
from typing import Any

import pytest

import stopwise as sw
from tests.saved.same import SAVED, changing, read, require_same, verdict_content

TESTS = sorted(path.stem for path in (SAVED / "tests").iterdir())
RULES = sorted(path.stem for path in (SAVED / "rules").iterdir())


def rule_content(rule: sw.StopRule) -> dict[str, Any]:
    """Return all that a rule says, as plain values."""
    content = {
        "rows": rule.rows,
        "needed": rule.needed,
        "waiting": rule.waiting,
        "stop": rule.stop,
        "decided": rule.decided,
        "settings": rule.settings(),
        "analysis": rule.analysis().to_dict(),
    }
    plain: dict[str, Any] = json.loads(json.dumps(content))
    return plain


def test_all_kinds_are_there() -> None:
    assert {name.partition("-p")[0] for name in TESTS} >= {"nscore", "savi", "step", "wsr"}
    assert set(RULES) == {"holm"}


@pytest.mark.parametrize("name", TESTS)
def test_a_saved_test_goes_on(name: str) -> None:
    kept = read(f"tests/{name}.json")
    test = sw.SequentialTest.from_json(kept["saved"])

    require_same(verdict_content(test.verdict), kept["verdict"])
    saved, again = (json.loads(text)["content"] for text in (kept["saved"], test.to_json()))
    assert saved.pop("confidence") is not None  # the former kind of interval; ours begins anew
    assert again.pop("interval") is not None
    assert again == saved
    for (r0, r1), expected in zip(kept["further"], kept["verdicts"], strict=True):
        require_same(changing(test.update(r0, r1)), expected, f"after {test.verdict.n} pairs")


@pytest.mark.parametrize("name", RULES)
def test_a_saved_rule_goes_on_with_the_results_that_waited(name: str) -> None:
    kept = read(f"rules/{name}.json")
    rule = sw.StopRule.from_json(kept["saved"])

    assert rule.waiting > 0
    require_same(rule_content(rule), kept["before"])
    assert rule.to_json() == kept["saved"]
    for policy, score, row in kept["further"]:
        rule.add(policy, score, row)
    require_same(rule_content(rule), kept["after"])
