"""The level of the goal "best", at nulls that attain it: see ``ruin.py``.

A best policy loses a little against the others in each row, and once in a while it is the only one
that wins all. All have the same mean, so that to drop it is an error.
"""

from typing import Any

import pytest

import stopwise as sw
from tests.guarantees.ruin import GAIN, Law, assert_attained, paired

ALPHA = 0.5
TIE = paired()


def rows_until(rule: sw.StopRule, scores: dict[str, float], most: int = 400) -> int:
    """Show rows of these scores until the rule stops, or has dropped the first policy."""
    first = rule.policies[0]
    rows = 0
    while not rule.stop and first not in rule.eliminated and rows < most:
        rows += 1
        for name in rule.needed:
            rule.add(name, scores[name])
        p_values, alpha = rule.question.p_values, rule.question.rules.alpha
        assert {name for name in p_values if p_values[name] <= alpha} == {*rule.eliminated}
    return rows


def rule_of(policies: str, law: Law = TIE, **settings: Any) -> sw.StopRule:
    usual: dict[str, Any] = {
        "goal": "best",
        "design": "paired",
        "bounds": (0, 1),
        "method": "nscore",
    }
    own = {**usual, **settings}
    if own["method"] == "nscore":
        own["bin_values"] = [0, max(*law.bins, 0.002)]
    return sw.StopRule(list(policies), **own)


@pytest.mark.parametrize("settings", [{}, {"later": "c"}, {"n_max": 300, "futility": "binding"}])
@pytest.mark.parametrize("method", ["nscore", "nscore-plus", "wsr"])
def test_a_best_policy_is_dropped_with_at_most_alpha(method: str, settings: dict[str, Any]) -> None:
    """However many others there are: the whole level is held against each."""

    def risk(alpha: float) -> float:
        rule = rule_of("abc", method=method, alpha=alpha, **settings)
        rows = rows_until(rule, {"a": 0.0, "b": GAIN, "c": GAIN})
        assert "a" in rule.eliminated
        return float(TIE.chance**rows)

    assert_attained(risk, ALPHA)


def test_of_two_the_other_is_named_with_at_most_alpha() -> None:
    def risk(alpha: float) -> float:
        rule = rule_of("ab", alpha=alpha)
        rows = rows_until(rule, {"a": 0.0, "b": GAIN})
        assert rule.best == "b"
        return float(TIE.chance**rows)

    assert_attained(risk, ALPHA)


def test_nothing_is_named_before_all_have_joined() -> None:
    """The one that comes later may be the best."""
    rule = rule_of("abc", alpha=ALPHA, later="c")
    rows_until(rule, {"a": 0.0, "b": GAIN})
    assert "a" in rule.eliminated
    assert rule.best is None
    assert "c" not in rule.eliminated


def test_nothing_is_named_while_one_was_given_up() -> None:
    """That it could hardly be told apart by n_max is not evidence against it."""
    rule = rule_of("abc", method="nscore-plus", n_max=60, futility="binding")
    while not rule.stop:
        row = rule.rows
        won = {"a": row % 2 == 1, "b": row % 2 == 0, "c": row % 10 == 0}
        for name in rule.needed:
            rule.add(name, float(won[name]))
    assert rule.rows < 60
    assert list(rule.eliminated) == ["c"]
    assert rule.best is None


INDIFFERENCE = 0.005
# "b" is worse than "a" by exactly the indifference; in a gain it is no worse, and leads.
OUTSIDE = paired(-INDIFFERENCE, INDIFFERENCE + 1e-6)
LARGEST_BET = 0.995  # of N-SCORE, as a share of what would lose all


def rows_until_named(alpha: float) -> int:
    """Return after how many gains "b" is named."""
    rule = rule_of("bac", OUTSIDE, alpha=alpha, indifference=INDIFFERENCE)
    while not rule.stop and rule.rows < 2000:
        for name in rule.needed:
            rule.add(name, OUTSIDE.gain[int(name == "b")])
    assert rule.best == "b"
    return rule.rows


def test_one_outside_the_indifference_is_named_with_at_most_alpha() -> None:
    """A loss would end it: half of the purse is in the pot, which bets that "b" is good enough.

    The other half is not staked here, so that the level is not attained but of large alphas.
    """
    assert_attained(lambda alpha: float(OUTSIDE.chance ** rows_until_named(alpha)), 0.7, 1.2)


def test_what_is_held_against_the_best_is_purse_and_pot_and_no_more() -> None:
    """By hand: half of 1 is moved after six rows, and grows by the bet until both reach 1/alpha."""
    alpha = 0.05
    rows, purse, pot = 6, 0.5, 0.5
    factor = 1 + LARGEST_BET / (1 - INDIFFERENCE) * INDIFFERENCE
    while purse + pot < 1 / alpha:
        rows, pot = rows + 1, pot * factor

    assert rows_until_named(alpha) == pytest.approx(rows, abs=1)
