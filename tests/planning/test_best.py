"""Plans and forecasts of the best policy: against live questions, and what they say of ties."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.planning import studies
from stopwise.planning.guesses import Guess
from stopwise.planning.populations import Guessed
from stopwise.planning.studies import BestStudy
from stopwise.questions.best import BestQuestion
from stopwise.rows.table import Table

RATES = (0.4, 0.5, 0.6, 0.8)
NAMES = ("a", "b", "c", "d")
SEEN = {
    name: (np.random.default_rng(place).random(18 - place % 2) < rate) * 1.0
    for place, (name, rate) in enumerate(zip(NAMES, (0.2, 0.5, 0.6, 0.85), strict=True))
}


def guessed(*rates: float, correlation: float = 0.0) -> Guessed:
    return Guessed(tuple(Guess.of_rate(rate) for rate in rates), correlation)


def planned(*guesses: Any, **settings: Any) -> sw.PlanResult:
    return sw.plan(*guesses, goal="best", precision=0.05, **settings)


def ahead(**settings: Any) -> sw.ForecastResult:
    even = {name: own[:17] for name, own in SEEN.items()}
    return sw.forecast(even, **{"n_max": 80, "goal": "best", "precision": 0.1, **settings})


@pytest.fixture(scope="module")
def plan() -> sw.PlanResult:
    return planned(*RATES, n_max=[60, 400], minutes_per_trial=2)


@pytest.mark.parametrize(
    "settings",
    [{}, {"indifference": 0.1}, {"design": "paired"}, {"indifference": 0.1, "allocation": "even"}],
)
def test_a_planned_study_is_a_live_one(settings: dict[str, Any]) -> None:
    """Row by row, with the same trials: who is named, after how many rows and trials."""
    rules = Rules(policies=NAMES, n_max=80, goal="best", **settings)
    population = guessed(*RATES)
    for seed in map(np.random.SeedSequence, range(12)):
        trials = population.begin(np.random.default_rng(seed), 1)
        question = BestQuestion(rules)
        spent = 0
        while (needed := question.places) and not question.decided:
            drawn = trials.draw(max(map(len, needed.values())))[0]
            question.add(
                {name: drawn[: len(needed[name]), NAMES.index(name)].tolist() for name in needed}
            )
            spent += sum(map(len, needed.values()))
        ends = BestStudy(rules, population).simulate(seed, 1)

        assert ends.mean_n == question.rows
        assert np.flatnonzero(ends.spent).tolist() == [spent]
        assert ends.power == float(question.best == "d")


class Recorded(studies._Trials):
    """Keeps the scores of each study by the numbers of their trials."""

    scores: Floats

    def __init__(self, study: BestStudy, world: Any, runs: int) -> None:
        super().__init__(study, world, runs)
        Recorded.scores = np.full((runs, 400, 4), np.nan)

    def __call__(self) -> Floats:
        numbers = self._number.copy()
        found = super().__call__()
        runs, policies = np.indices(found.shape)
        self.scores[runs, numbers, policies] = found
        return found


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"design": "paired"},
        {"allocation": "leader"},
        {"design": "paired", "indifference": 0.1, "allocation": "leader"},
    ],
)
def test_a_continuation_is_what_a_question_says_of_its_trials(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = Rules(policies=NAMES, n_max=60, goal="best", **{"allocation": "even", **settings})
    past = np.full((18, 4), np.nan)
    for column, own in enumerate(SEEN.values()):
        past[: own.size, column] = own
    if rules.design == "paired":
        past = past[:17]
    past[3, 1] = np.nan  # a trial that is void
    table = Table(policies=rules.policies, scores=past, design=rules.design)
    monkeypatch.setattr(studies, "_Trials", Recorded)
    model = BestStudy.after(table, rules)
    assert model.now is not None
    ends = model.simulate(np.random.SeedSequence(7), 20)

    named, rows = Counter[str | None](), []
    for scores in Recorded.scores:
        known = Table(policies=rules.policies, scores=scores, design=rules.design)
        found = BestQuestion(rules).analyze(known)
        named[found.best] += 1
        rows.append(found.rows - model.now.rows)
    counts = dict(zip(rules.policies, ends.claims.tolist(), strict=True))
    assert counts == {name: named[name] for name in rules.policies}
    assert np.flatnonzero(ends.more).tolist() == sorted(set(rows))
    assert len(set(rows)) > 5


def test_what_to_expect_and_what_if_the_two_best_are_equal(plan: sw.PlanResult) -> None:
    short, long = plan.rows

    assert [round(row.gap, 9) for row in (*plan.rows, *plan.equal)] == [0.2, 0.2, 0, 0]
    assert short.power < 0.8
    assert long.power > 0.97
    assert long.mean_trials < 285
    assert short.most_trials == 60 * 5
    assert plan.advised is plan.shown is long
    for row, tie in zip(plan.rows, plan.equal, strict=True):
        # Each of the two is dropped in at most alpha of the studies.
        assert tie.power < 0.1 + 4 * tie.power_error
        assert tie.wrong < 0.05 + 4 * tie.power_error
        assert tie.n_quantiles[1] == tie.n_max
        assert row.power + row.wrong + row.undecided == pytest.approx(1)
    tied = plan.equal[1]
    assert tied.mean_trials > 2.5 * long.mean_trials
    assert "names the best of 4 with probability" in plan.sentence
    assert f"{long.mean_trials:.0f} trials of all together" in plan.sentence
    assert f"If the two best are equal, it takes {tied.mean_trials:.0f} trials" in plan.sentence
    assert "dropping the best policy (or any given one of several) is at most 0.05" in plan.sentence


def test_json_page_and_figures(plan: sw.PlanResult, tmp_path: Path) -> None:
    content = json.loads(plan.to_json())
    curves = plan.stopping_curves()

    assert (content["goal"], content["indifference"], content["policies"]) == ("best", 0, 4)
    assert content["rows"][1]["most_hours"] == pytest.approx(400 * 5 * 2 / 60)
    assert [curve.chance[-1] for curve in curves] == [plan.rows[1].power, plan.equal[1].power]
    assert [curve.label for curve in plan.power_curves()] == [curve.label for curve in curves]
    assert plan.to_html().count('<img src="data:image/svg+xml;base64,') == 2
    assert {path.stem for path in plan.save_figures(tmp_path)} == {"power", "stopping"}


def test_an_indifference_makes_near_ones_right_and_names_ties() -> None:
    """Near the greatest score there is, ties are named sooner than the better of two without it."""
    near = planned(0.5, 0.94, 0.96, n_max=150, indifference=0.1)
    apart = planned(0.5, 0.94, 0.96, n_max=150)

    assert near.rows[0].wrong == near.equal[0].wrong == 0
    assert near.equal[0].power > apart.rows[0].power + 0.4
    assert near.equal[0].mean_trials < 0.7 * apart.equal[0].mean_trials
    assert "names one within 0.1 of the best of 3" in near.sentence
    assert "naming one not within 0.1 of the best" in near.sentence
    assert planned(0.5, 0.52, n_max=100, alpha=0.6, power=0.7).rows[0].wrong > 0.05


def test_equal_guesses_gaps_and_a_pilot_can_be_planned() -> None:
    equal = planned(0.9, 0.9, n_max=40, indifference=0.2)
    gaps = planned(policies=3, gaps=[0.1, 0.3], n_max=40)
    pilot = planned(pilot={name: own[:12].tolist() for name, own in SEEN.items()}, n_max=40)

    assert equal.equal == pilot.equal == ()
    assert [row.gap for row in gaps.rows] == pytest.approx([0.1, 0.3])
    assert gaps.rows[1].power > gaps.rows[0].power
    assert [curve.label for curve in gaps.stopping_curves()][1] == "gap 0.3"


def test_a_forecast_says_who_may_be_named_and_what_that_takes() -> None:
    found = ahead(minutes_per_trial=2, futility_chance=0.01)
    content = found.to_dict()
    assert 0.3 < found.chance < 1
    assert sum(found.chances.values()) == pytest.approx(found.chance)
    assert max(found.chances, key=found.chances.__getitem__) == "d"
    assert "The chance that one is named within 80 rows is 0." in found.sentence
    assert "not below the futility threshold" in found.sentence
    assert found.mean_n <= 63
    assert (content["best"], content["futile"], content["pairs"]) == (None, False, [])
    assert "candidate" in found.to_html()
    assert found.chance_by[-1] == found.chance
    assert ahead(n_max=400, indifference=0.3).chance > found.chance


def test_nothing_is_left_once_one_is_named() -> None:
    scores = {"a": [0.0, 0.1] * 20, "b": [0.9, 1.0] * 20}
    found = sw.forecast(scores, n_max=60, goal="best", precision=0.1)
    assert found.sentence.startswith("b has already been named (trials: a 40, b 40); no more")
    assert (found.decided, found.mean_trials, found.figures()) == (True, 0.0, {})


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


def test_what_cannot_be_forecast() -> None:
    with pytest.raises(sw.InvalidInput, match="needs all policies from the start"):
        ahead(later=("d",))
    with pytest.raises(sw.InvalidInput, match="goal must be one of order, best"):
        ahead(goal="worst")
