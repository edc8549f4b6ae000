"""Midway forecasts: continued from the actual state, calibrated, and honest about futility."""

import json
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.planning.guesses import Guess
from stopwise.planning.populations import Guessed, Resampled
from stopwise.planning.studies import OrderStudy
from stopwise.questions.pairs import PairTests, replay


def test_continuation_starts_from_the_actual_state() -> None:
    """The same future through ``SequentialTest``, resumed after the trials seen."""
    rng = np.random.default_rng(3)
    past = rng.beta(2, 2, (12, 2))
    rules = Rules.of(policies=("a", "b"), n_max=40)
    population = Guessed((Guess.of_moments(0.4, 0.2), Guess.of_moments(0.6, 0.2)))
    seed = np.random.SeedSequence(8)
    ends = OrderStudy(rules, population, past).simulate(seed, 60)
    futures = population.begin(np.random.default_rng(seed), 60).draw(40)[:, 12:]
    decided, further = 0, 0
    for future in futures:
        test = sw.SequentialTest("nscore-plus", n_max=40, alternative="two-sided", ties="strict")
        test.run(past[:, 0], past[:, 1])
        resumed = sw.SequentialTest.from_json(test.to_json())
        verdict = resumed.run(future[:, 0], future[:, 1])
        decided += verdict.decided
        further += verdict.n - 12

    assert (ends.decided, ends.mean_trials) == (decided, 2 * further / 60)
    assert ends.more @ np.arange(41) == further


def test_gaps_of_a_paired_study_stay_and_open_trials_are_drawn() -> None:
    scores = np.array([[0.0, 1.0], [np.nan, 1.0], [0.0, 0.5], [1.0, 0.5]])
    for design, gap in (("paired", True), ("independent", False)):
        ordered = scores if gap else np.array([[0, 1], [0, 1], [1, 0.5], [np.nan, 0.5]])
        rules = Rules.of(policies=("a", "b"), n_max=6, design=design)
        ends = OrderStudy(rules, Resampled(ordered, gap), ordered).simulate(
            np.random.SeedSequence(0), 20
        )
        assert ends.more.sum() == 20
        assert np.flatnonzero(ends.more).max() <= (2 if gap else 3)


def test_chances_are_calibrated_where_gaps_are_usual() -> None:
    """Success rates whose gaps are as a rule small: stated chances against what came.

    If chances are true, squared misses have a known mean and variance. Forecasts that take the
    rates seen so far for the truth miss by far more, and fail here.
    """
    rng = np.random.default_rng(0)
    middle, half_gap = rng.uniform(0.3, 0.7, 120), rng.normal(0.0, 0.15, 120)
    rates = np.stack([middle - half_gap, middle + half_gap], axis=1)[:, None, :]
    studies = (rng.random((120, 30, 2)) < rates) * 1.0
    rules = Rules.of(policies=("a", "b"), n_max=30)
    tests = PairTests(rules)
    outcome = replay(tests.comparison, tests.budget, studies, with_p_values=False)
    chances, verdicts = [], []
    for study, came in zip(studies, outcome.claims[:, 0].tolist(), strict=True):
        ends = OrderStudy(rules, Resampled(study[:8]), study[:8]).simulate(
            np.random.SeedSequence(1), 60
        )
        if ends.mean_trials:
            chances.append((ends.decided + 0.5) / 61)
            verdicts.append(any(came))
    stated, found = np.array(chances), np.array(verdicts)
    variance = stated * (1 - stated)

    assert len(stated) > 100
    assert abs(np.sum(found - stated)) < 3.3 * np.sqrt(np.sum(variance))
    excess = np.sum((found - stated) ** 2 - variance)
    assert excess < 3.3 * np.sqrt(np.sum(variance * (1 - 2 * stated) ** 2))


def test_futility_advice_needs_a_threshold_and_explains_itself() -> None:
    close = {"a": [0, 1] * 20, "b": [1, 0] * 20}
    without = sw.forecast(close, n_max=50)
    advised = sw.forecast(close, n_max=50, futility_chance=0.1, minutes_per_trial=6)
    hopeful = sw.forecast({"a": [0, 1, 0, 0], "b": [1, 1, 0, 1]}, n_max=60, futility_chance=0.1)

    assert without.futile is None
    assert "futility" not in without.sentence
    assert advised.futile
    assert advised.chance < 0.1
    assert "never raises the chance of a false claim" in advised.sentence
    assert "does not show that the policies are equal" in advised.sentence
    assert advised.hours == pytest.approx(advised.mean_trials / 10)
    assert hopeful.futile is False
    assert "continue" in hopeful.sentence
    assert "does not affect validity" in hopeful.sentence


def test_many_policies_and_decided_pairs() -> None:
    scores = {"a": [1.0] * 12, "b": [0.0] * 12, "c": [0.0, 1.0] * 6}
    ahead = sw.forecast(scores, n_max=60)
    decided = {(pair.policy0, pair.policy1): pair.decided for pair in ahead.pairs}

    assert decided["a", "b"] == "a"
    assert decided["a", "c"] is None
    assert ahead.pairs[0].chance == 1.0
    assert ahead.chance <= min(pair.chance for pair in ahead.pairs)
    assert ahead.chance_further >= ahead.chance
    done = sw.forecast({"a": [1.0] * 20, "b": [0.0] * 20}, n_max=60)
    assert done.decided
    assert done.mean_trials == 0
    assert "no more trials are needed" in done.sentence


def test_json_and_seed() -> None:
    trials = {"a": [0, 1, 0, 0], "b": [1, 1, 0, 1]}
    content = json.loads(sw.forecast(trials, n_max=30, seed=1).to_json())

    assert content["seen"] == {"a": 4, "b": 4}
    assert content["schema"] == 1
    assert content["chance_by"] == sorted(content["chance_by"])
    assert len(content["chance_by"]) == 27  # none, or up to 26 further trials
    assert content["chance_by"][-1] == content["chance"]
    assert content["pairs"][0]["chance"] == content["chance"]
    assert content == json.loads(sw.forecast(trials, n_max=30, seed=1).to_json())


@pytest.mark.parametrize(
    ("trials", "settings", "line"),
    [
        ({"a": [0, 1], "b": [1, 1]}, {"n_max": 2}, "must exceed the 2 trials per policy so far"),
        (
            {"a": [0, 1], "b": [1, 1]},
            {"n_max": 9, "futility_chance": 1.5},
            "futility_chance must lie strictly",
        ),
        ({"a": [0], "b": [1]}, {"n_max": 9}, "at least 2 trials of each policy"),
        ({"a": [0, 1], "b": [1, 3]}, {"n_max": 9}, "within the bounds"),
        ({"a": [0, 1]}, {"n_max": 9}, "at least 2 policies"),
        ({"a": [0, 1], "b": [1, 1]}, {"n_max": 9, "precision": 0}, "precision must lie between"),
        ({"a": [0, 1], "b": [1, 1]}, {"n_max": 9, "wrong": 1}, "has no keyword 'wrong'"),
    ],
)
def test_impossible_input_has_one_clear_line(
    trials: dict[str, list[float]], settings: dict[str, Any], line: str
) -> None:
    with pytest.raises(sw.InvalidInput, match=line):
        sw.forecast(trials, **settings)
