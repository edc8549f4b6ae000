"""Questions about many policies on a fixed list of scenes."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.errors import InvalidInput

RNG = np.random.default_rng(4)
SCORES = {
    name: (RNG.random(60) < rate).astype(float)
    for name, rate in zip("abc", (0.3, 0.8, 0.5), strict=True)
}
PAIR = {name: SCORES[name] for name in "ab"}


def stopped(policies: Any = SCORES, **settings: Any) -> sw.StopRule:
    """A rule that was given scores of the list until it stopped."""
    rule = sw.StopRule(list(policies), list_size=60, **settings)
    while not rule.stop:
        row = rule.rows
        for policy in rule.needed:
            rule.add(policy, policies[policy][row])
    return rule


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"design": "paired"},
        {"reference": 0.5},
        {"equivalence": 0.1},
        {"goal": "best"},
        {"goal": "best", "indifference": 0.05},
        {"baseline": "a", "margin": -0.1},
        {"futility": "binding"},
        {"design": "paired", "by": "wins"},
        {"bounds": (0, 2), "lower_is_better": True},
    ],
)
def test_every_question_is_about_the_list_and_ends_with_it(settings: dict[str, Any]) -> None:
    rule = stopped(**settings)

    assert rule.n_max == 60
    assert " on these 60 scenes, in this run" in rule.analysis().sentence
    assert rule.analysis().order_text == one_look(settings)
    assert rule.analysis().warnings[0].startswith("for new scenes and runs")


def one_look(settings: dict[str, Any]) -> Any:
    """The order by one look at the whole list."""
    return sw.analyze(SCORES, list_size=60, **settings).order_text


def test_policies_that_score_alike_on_the_list_are_equal_on_it() -> None:
    tie = {"a": SCORES["a"], "b": SCORES["a"][::-1]}

    found = stopped(tie).analysis()

    assert found.sentence.startswith("a = b on these 60 scenes, in this run: 1 of 1 pair decided")
    assert found.pairs[0].interval == (0, 0)


def test_a_stored_baseline_that_was_run_on_the_list_is_paired_by_scene() -> None:
    stored = {"base": SCORES["a"]}
    rule = sw.StopRule(["base", "new"], stored=stored, list_size=60, design="paired")
    while not rule.stop:
        rule.add("new", SCORES["b"][rule.rows])

    both = stopped({"base": SCORES["a"], "new": SCORES["b"]}, design="paired")
    assert rule.rows == both.rows
    assert rule.analysis().pairs[0].p_value == both.analysis().pairs[0].p_value
    with pytest.raises(InvalidInput, match="has 20 stored trials, but the list has 60 scenes"):
        sw.StopRule(["base", "new"], stored={"base": [1.0] * 20}, list_size=60)


def test_the_best_on_a_list_tries_each_candidate_once_per_row() -> None:
    rule = sw.StopRule(["a", "b", "c"], list_size=60, goal="best")

    assert rule.rules.allocation == "even"
    assert rule.needed == ("a", "b", "c")


def test_a_scene_without_a_score_is_refused() -> None:
    rule = sw.StopRule(["a", "b"], list_size=60)
    with pytest.raises(InvalidInput, match="'a' has no score of a scene, and none of the list may"):
        rule.add("a", None)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"by": "wins"}, "wins need the paired design"),
        ({"goal": "best", "later": ["b"]}, "a policy that joins late has missed scenes"),
    ],
)
def test_what_a_list_does_not_allow_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        sw.StopRule(["a", "b", "c"], list_size=60, **settings)
