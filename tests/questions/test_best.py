"""The best policy, asked row by row: what is named, what is asked for, and what is resumed."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.errors import InvalidInput
from stopwise.questions import pose
from stopwise.questions.best import BestQuestion
from stopwise.questions.candidates import start
from tests.questions.drawn import play, rules_of

RATES = {"a": 0.3, "b": 0.9, "c": 0.4, "d": 0.5}
SATURATED = {"a": 0.6, "b": 1.0, "c": 0.95, "d": 1.0, "e": 1.0}
Settings = dict[str, Any]
CASES: dict[str, Settings] = {
    "plain": {},
    "paired": {"design": "paired"},
    "near": {"indifference": 0.1},
    "wsr, near": {"method": "wsr", "indifference": 0.1},
}


def test_the_best_is_named_when_all_others_are_dropped() -> None:
    question = play(BestQuestion(rules_of(RATES)), RATES)

    assert question.decided
    assert question.best == "b"
    assert question.candidates == ("b",)
    assert set(question.eliminated) == {"a", "c", "d"}
    assert all(out.row <= question.rows for out in question.eliminated.values())
    assert {name for name, p in question.p_values.items() if p <= 0.05} == {"a", "c", "d"}
    assert question.needed == ()
    assert question.remaining(()) == 0


def test_the_leader_is_tried_several_times_in_a_row_and_the_others_once() -> None:
    names = tuple("abcdefgh")
    question = BestQuestion(Rules(policies=names, n_max=50, goal="best"))
    first = question.needed
    leader = question.leader

    assert set(first) == set(names)
    assert {name: first.count(name) for name in names} == {
        name: 3 if name == leader else 1 for name in names
    }

    scores = {name: 0.7 if name == "c" else 0.4 for name in names}
    without = {name: [None] * (len(numbers) - 1) for name, numbers in question.places.items()}
    question.add({name: [score, *without[name]] for name, score in scores.items()})
    assert question.leader == "c"
    assert question.places["c"] == range(1, 4)
    assert question.places[leader] == range(3, 4)  # two of its trials were without a score


@pytest.mark.parametrize("case", CASES)
def test_many_studies_at_once_are_the_same_as_live_ones(case: str) -> None:
    rules, rates = rules_of(SATURATED, **CASES[case]), list(SATURATED.values())
    rng = np.random.default_rng(5)
    together, *apart = (start(BestQuestion(rules).comparison, n) for n in (7, *(1,) * 7))
    for board in (together, *apart):
        board.choose()
    while together.count.any() and together.rows < 60:
        times = int(together.count.max())
        row = (rng.random((times, 7, 5)) < rates) * 1.0
        row[np.arange(times)[:, None, None] >= together.count] = np.nan
        for study, board in enumerate(apart):
            assert (board.count[0] == together.count[study]).all()
            board.observe(row[:, [study]])
        together.observe(row)

    assert (together.dropped > 0).any() or (together.named >= 0).any()
    for study, board in enumerate(apart):
        assert (board.log_wealth[0] == together.log_wealth[study]).all()
        assert board.named[0] == together.named[study]


def test_without_a_clear_best_the_candidates_are_named() -> None:
    rng = np.random.default_rng(1)
    scores = {
        name: (rng.random(60) < rate) * 1.0 for name, rate in {"x": 0.9, "y": 0.9, "z": 0.1}.items()
    }

    analysis = sw.analyze(scores, goal="best")

    assert analysis.best is None
    assert set(analysis.candidates) == {"x", "y"}
    assert analysis.sentence.startswith("The best of 3 is among ")
    assert analysis.trials_saved == 60 - analysis.eliminated["z"].row


def test_one_of_several_equals_is_named_within_the_indifference() -> None:
    question = play(BestQuestion(rules_of(SATURATED, indifference=0.05)), SATURATED)

    assert question.best in ("b", "d", "e")
    assert len(question.candidates) > 1
    assert "or within 0.05 of it" in question.analysis().sentence


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"method": "step"}, "needs a method that bets"),
        ({"baseline": "a"}, "baseline belongs to the goal .order."),
        ({"indifference": -0.1}, "indifference must lie strictly between 0 and 1"),
        ({"later": ("a", "b", "c")}, "at least 2 policies"),
        ({"allocation": "odd"}, "allocation"),
    ],
)
def test_what_it_cannot_do_is_said_at_once(settings: Settings, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        pose(rules_of(RATES, **settings))


def test_what_is_wrong_with_a_row_or_a_newcomer_is_said() -> None:
    question = BestQuestion(rules_of(RATES))
    with pytest.raises(InvalidInput, match="takes 2 trials of 'a'"):
        question.add({"a": [0.0, 1.0, 1.0]})
    with pytest.raises(InvalidInput, match="within the bounds"):
        question.add({"a": [2.0, 0.0]})
    with pytest.raises(InvalidInput, match="policies are a, b, c, d"):
        question.add({"x": [0.0]})
    with pytest.raises(InvalidInput, match="new cannot join: it was not declared in later"):
        question.join("new")
    assert question.rows == 0


def test_a_leader_that_ran_out_of_trials_does_not_stop_the_others() -> None:
    rng = np.random.default_rng(0)
    scores = {
        "few": [1.0] * 5,
        "good": (rng.random(200) < 0.85) * 1.0,
        "bad": (rng.random(200) < 0.2) * 1.0,
    }
    found = sw.analyze(scores, goal="best", bounds=(0, 1))

    assert found.candidates == ("few", "good")
    assert found.eliminated["bad"].leader == "good"
