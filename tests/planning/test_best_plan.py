"""Plans to name the best policy: against live questions, and what they say of ties."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.planning.best_plan import BestPlan
from stopwise.planning.guesses import Guess
from stopwise.planning.populations import Guessed, Population, Resampled
from stopwise.planning.studies import BestStudy
from stopwise.questions.best import BestQuestion

RATES = (0.4, 0.5, 0.6, 0.8)
SEEN = (np.random.default_rng(4).random((12, 4)) < RATES) * 1.0


def guessed(*rates: float, correlation: float = 0.0) -> Guessed:
    return Guessed(tuple(Guess.of_rate(rate) for rate in rates), correlation)


def planned(*guesses: Any, **settings: Any) -> sw.PlanResult:
    return sw.plan(*guesses, goal="best", precision=0.05, **settings)


@pytest.fixture(scope="module")
def plan() -> sw.PlanResult:
    return planned(*RATES, n_max=[60, 400], minutes_per_trial=2)


@pytest.mark.parametrize(
    "settings",
    [{}, {"indifference": 0.1}, {"design": "paired"}, {"indifference": 0.1, "allocation": "even"}],
)
def test_a_planned_study_is_a_live_one(settings: dict[str, Any]) -> None:
    """Row by row, with the same trials: who is named, after how many rows and trials."""
    rules = Rules(policies=("a", "b", "c", "d"), n_max=80, goal="best", **settings)
    population = guessed(*RATES)
    for seed in map(np.random.SeedSequence, range(12)):
        trials = population.begin(np.random.default_rng(seed), 1)
        question = BestQuestion(rules)
        spent = 0
        while (needed := question.places) and not question.decided:
            drawn = trials.draw(max(map(len, needed.values())))[0]
            question.add(
                {name: drawn[: len(needed[name]), "abcd".index(name)].tolist() for name in needed}
            )
            spent += sum(map(len, needed.values()))
        ends = BestStudy(rules, population).simulate(seed, 1)

        assert ends.mean_n == question.rows
        assert np.flatnonzero(ends.spent[0]).tolist() == [spent]
        assert ends.power == float(question.best == "d")
        assert ends.mean_left == (None if question.best else len(question.candidates))


@pytest.mark.parametrize(
    "population",
    [
        guessed(*RATES),
        guessed(*RATES, correlation=0.3),
        Resampled(SEEN),
        Resampled(SEEN, paired=True),
    ],
)
def test_trials_do_not_depend_on_how_calls_cut_them(population: Population) -> None:
    whole = population.draw(np.random.default_rng(3), 6, 7)
    world = population.begin(np.random.default_rng(3), 6)
    parts = np.concatenate([world.draw(n) for n in (2, 4, 1)], axis=1)

    assert np.array_equal(whole.scores, parts)
    assert np.array_equal(whole.means, world.means)


def test_ties_of_guesses_keep_the_correlation_they_can_have() -> None:
    tied = guessed(0.8, 0.1, 0.9, correlation=0.2).with_tie()

    assert [guess.mean for guess in tied.guesses] == [0.9, 0.1, 0.9]
    assert tied.correlation == 0.2


def test_what_to_expect_and_what_if_the_two_best_are_equal(plan: sw.PlanResult) -> None:
    short, long, short_tie, long_tie = plan.rows

    assert [row.what_if for row in plan.rows] == [False, False, True, True]
    assert [row.n_max for row in plan.rows] == [60, 400, 60, 400]
    assert [round(row.gap, 9) for row in plan.rows] == [0.2, 0.2, 0, 0]
    assert short.power < 0.8
    assert long.power > 0.97
    assert long.mean_trials < 285
    assert 0 < (long.mean_trials_error or 0.0) < 10
    assert short.trial_quantiles is not None
    assert short.mean_trials <= short.trial_quantiles[2] <= short.most_trials == 60 * 5
    assert plan.advised is plan.shown is long
    assert short.mean_left is not None
    assert 2 <= short.mean_left < 4
    for tie in (short_tie, long_tie):
        # Each of the two is dropped in at most alpha of the studies.
        assert tie.power < 0.1 + 4 * tie.power_error
        assert tie.wrong < 0.05 + 4 * tie.power_error
        assert tie.n_quantiles[1] == tie.n_max
    assert long_tie.mean_trials > 2.5 * long.mean_trials
    assert plan.order_trials is not None
    assert 1000 < plan.order_trials < 1500
    for row in plan.rows:
        assert row.power + row.wrong + row.undecided == pytest.approx(1)


def test_the_sentence_says_it_all(plan: sw.PlanResult) -> None:
    shown, tied = plan.rows[1], plan.rows[3]

    assert "names the best of 4 with probability" in plan.sentence
    assert f"It takes {shown.mean_trials:.0f} trials of all policies together" in plan.sentence
    assert "ordering all pairs would take about 12" in plan.sentence
    assert f"If the two best are equal, it takes {tied.mean_trials:.0f} trials" in plan.sentence
    assert "(2.0 candidates left)" in plan.sentence
    assert "dropping the best policy (or any given one of several) is at most 0.05" in plan.sentence
    assert any("indifference=0.05 lets one of them be named" in note for note in plan.notes)


def test_json_page_and_figures(plan: sw.PlanResult, tmp_path: Path) -> None:
    content = json.loads(plan.to_json())
    assert isinstance(plan, BestPlan)
    curves = plan.stopping_curves()

    assert (content["goal"], content["indifference"], content["policies"]) == ("best", 0, 4)
    assert content["rows"][1]["trial_quantiles"] == list(plan.rows[1].trial_quantiles or ())
    assert content["rows"][1]["most_hours"] == pytest.approx(400 * 5 * 2 / 60)
    assert content["order_trials"] == plan.order_trials
    assert [curve.label for curve in curves] == ["as assumed", "the two best equal"]
    assert [curve.chance[-1] for curve in curves] == [plan.rows[1].power, plan.rows[3].power]
    assert [curve.label for curve in plan.power_curves()] == [curve.label for curve in curves]
    assert plan.to_html().count('<img src="data:image/svg+xml;base64,') == 2
    assert {path.stem for path in plan.save_figures(tmp_path)} == {"power", "named"}


def test_an_indifference_makes_near_ones_right_and_names_ties() -> None:
    """Near the greatest score there is, ties are named sooner than the better of two without it."""
    near = planned(0.5, 0.94, 0.96, n_max=150, indifference=0.1)
    apart = planned(0.5, 0.94, 0.96, n_max=150)

    assert [row.wrong for row in near.rows] == [0, 0]
    assert near.rows[1].power > apart.rows[0].power + 0.4
    assert near.rows[1].mean_trials < 0.7 * apart.rows[1].mean_trials
    assert "names one within 0.1 of the best of 3" in near.sentence
    assert "naming one not within 0.1 of the best" in near.sentence
    assert not near.notes


def test_a_wrong_name_is_counted() -> None:
    row = planned(0.5, 0.52, n_max=100, alpha=0.6, power=0.7).rows[0]

    assert row.wrong > 0.05


def test_equal_guesses_gaps_and_a_pilot_can_be_planned() -> None:
    equal = planned(0.9, 0.9, n_max=40, indifference=0.2)
    gaps = planned(policies=3, gaps=[0.1, 0.3], n_max=40)
    pilot = planned(pilot={f"p{i}": column.tolist() for i, column in enumerate(SEEN.T)}, n_max=40)

    assert [row.what_if for row in equal.rows] == [False]
    assert [row.gap for row in gaps.rows] == pytest.approx([0.1, 0, 0.3, 0])
    assert gaps.order_trials is None
    assert "for each" not in gaps.sentence
    assert gaps.rows[2].power > gaps.rows[0].power
    assert isinstance(gaps, BestPlan)
    assert [curve.label for curve in gaps.stopping_curves()][2] == "gap 0.3"
    assert [row.what_if for row in pilot.rows] == [False]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"later": ["policy 1"]}, "take part from the start: plan without later"),
        ({"method": "step"}, "needs a method that bets"),
        ({"baseline": True}, "baseline belongs to the goal .order."),
        ({"alternative": "greater"}, "takes no direction"),
    ],
)
def test_what_cannot_be_planned(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        planned(0.4, 0.5, 0.6, **{"n_max": 20, **settings})
