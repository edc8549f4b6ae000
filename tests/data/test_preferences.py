"""Preferences, names of scores of which less is better, and training seeds."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import stopwise as sw
from tests.data import files


def codes(notes: tuple[str, ...]) -> set[str]:
    return {getattr(note, "code", "") for note in notes}


def test_each_row_of_preferences_is_two_trials() -> None:
    columns = {
        "policy_a": ["x", "x", "y", "z"],
        "policy_b": ["y", "y", "x", "x"],
        "preference": ["A", "b", "Tie", "x"],
    }
    trials = sw.read_trials(pl.DataFrame(columns))
    found = sw.analyze(trials)

    assert trials.frame["policy"].to_list() == ["x", "y", "x", "y", "y", "x", "z", "x"]
    assert trials.frame["score"].to_list() == [1, 0, 0, 1, 0.5, 0.5, 0, 1]
    assert found.rules.by == "wins"
    assert found.design == "paired"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("x", "y", "C"), "column 'winner': must be A, B, tie, or one of x, y, but got 'C'"),
        (("x", "y", None), "must be A, B, tie, or one of x, y, but got ''"),
        (("x", "x", "A"), "the two policies must differ, but both are 'x'"),
    ],
)
def test_a_preference_for_neither_is_an_error(row: tuple[Any, ...], message: str) -> None:
    columns = dict(zip(("model_a", "model_b", "winner"), ([value] for value in row), strict=True))
    with pytest.raises(sw.InvalidInput, match=message):
        sw.read_trials(pl.DataFrame(columns))


@pytest.mark.parametrize("answer", ["done", "second"])
def test_a_milestone_is_no_preference(answer: str) -> None:
    """Trials that a study exports are judged by preference if an answer says which was better."""
    scores = {"policy": ["a", "b"] * 9, "score": [0, 1] * 9, "row": [n // 2 for n in range(18)]}
    trials = pl.DataFrame({**scores, "answer": ["done", answer] * 9})
    assert sw.analyze(trials).rules.by == ("means" if answer == "done" else "wins")


def test_preferences_have_no_means(tmp_path: Path) -> None:
    trials = sw.read_trials(files.roboarena(tmp_path), score="preference")

    assert trials.frame["score"].to_list() == [0, 1, 0, 1]
    assert "wins more often" in sw.analyze(trials).sentence
    with pytest.raises(sw.InvalidInput, match="not by how much"):
        sw.analyze(trials, by="means")
    with pytest.raises(sw.InvalidInput, match="no scores that could be lower"):
        sw.analyze(trials, lower_is_better=True)


@pytest.mark.parametrize("name", ["Completion Time (s)", "collisions", "lifetime", "wrench peak"])
def test_the_direction_of_a_score_is_asked_where_its_name_does_not_say(name: str) -> None:
    columns = {"policy": ["a", "b"] * 4, name: [1.0, 2.0] * 4}
    trials = sw.read_trials(columns, score=name, bounds=(0, 3))

    assert "direction-unknown" in codes(trials.notes)
    with pytest.raises(sw.InvalidInput, match=r"does not say whether more .* lower_is_better=True"):
        sw.analyze(trials)
    for answer in (True, False):
        told = sw.analyze(trials, lower_is_better=answer)
        assert "direction-unknown" not in codes(told.warnings)


def with_seeds(name: str, episodes: int = 2) -> sw.Trials:
    per_policy = [seed for seed in (1, 2, 3) for _ in range(episodes)]
    columns = {
        "policy": ["a"] * len(per_policy) + ["b"] * len(per_policy),
        name: per_policy * 2,
        "score": [0.2, 0.4] * len(per_policy),
    }
    return sw.read_trials(columns, bounds=(0, 1))


@pytest.mark.parametrize("name", ["seed", "train_seed", "run"])
def test_training_seeds_are_no_blocks(name: str) -> None:
    trials = with_seeds(name)
    found = sw.analyze(trials)
    by_run = sw.analyze(trials, unit="seed")

    assert "block" not in trials.frame.columns
    assert found.design == "independent"
    assert "about the checkpoints of these 6 training runs, not about what other" in found.sentence
    assert any("takes the mean of a training run" in note for note in found.warnings)
    assert "checkpoints" not in by_run.sentence
    assert [policy.n for policy in by_run.policies] == [3, 3]
    assert by_run.policies[0].mean == pytest.approx(0.3)


def test_seeds_of_environments_stay_blocks() -> None:
    """One trial of each policy with each seed: they share its environment."""
    assert sw.analyze(with_seeds("seed", episodes=1)).design == "paired"
    assert "seed" not in with_seeds("run", episodes=1).frame.columns
    chosen = {"policy": ["a", "a", "b", "b"], "seed": [1, 1, 1, 1], "score": [0, 1, 0, 1]}
    trials = sw.read_trials(chosen, columns={"block": "seed"})
    assert "block" in trials.frame.columns


def test_the_unit_needs_seeds() -> None:
    trials = sw.read_trials({"policy": ["a", "b"], "score": [0, 1]})
    with pytest.raises(sw.InvalidInput, match=r"unit='seed' needs a column of training seeds"):
        sw.analyze(trials, unit="seed")
    with pytest.raises(sw.InvalidInput, match="unit='seed' needs a trial table"):
        sw.analyze({"a": [0.1], "b": [0.2]}, unit="seed")
    with pytest.raises(sw.InvalidInput, match="unit must be one of trial, seed, but got 'run'"):
        sw.analyze(trials, unit="run")
