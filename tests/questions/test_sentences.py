"""What an analysis says in words: what was found, what it rests on, and what speaks against it."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.questions.analyze import analyze

rank = partial(analyze, method="nscore")
tasks = partial(analyze, tasks="each", method="nscore")


def test_very_many_policies_get_a_sentence_of_bounded_length() -> None:
    """It names those that no other was shown to be better than; the order is in the JSON."""
    scores = {f"low {number}": [0.0, 0.1] * 15 for number in range(10)}
    analysis = rank({**scores, "high": [1.0, 0.9] * 15, "top": [0.9, 1.0] * 15})
    start = "Of 12 policies, none was shown to be better than high or top "

    assert analysis.sentence.startswith(
        f"{start}(undecided does not mean equal): 20 of 66 pairs decided with "
    )
    assert analysis.to_dict()["order_text"] == analysis.order_text
    assert analysis.order_text.startswith("high > low 0, low 1")
    assert (
        "Of 12 policies, none was shown to be better than another ("
        in rank({**scores, "x": [0.1, 0.0] * 15, "y": [0.1, 0.1] * 15}).sentence
    )


SORTED = {"a": [0.0] * 20 + [1.0] * 30, "b": [1.0] * 25 + [0.0] * 25}


def test_a_sorted_file_is_not_believed() -> None:
    found = analyze(SORTED)

    assert found.order_text == "b > a"
    assert found.letters == {"b": "", "a": ""}
    assert found.warnings[0].endswith("; no letters are given")
    assert [policy.name for policy in found.policies] == ["b", "a"]
    order, *rest = found.doubts
    assert order.startswith("b > a was decided after ")
    assert order.endswith("but over all pairs of trials a did better")
    assert rest == [
        "the mean of b lies outside its own interval",
        "the mean of a lies outside its own interval",
        "the mean difference of b and a lies outside its own interval",
    ]
    assert found.warnings[0].startswith("every claim assumes fresh draws in random order")
    assert all(doubt in found.warnings[0] for doubt in found.doubts)
    assert "for fresh draws in random order the chance of any false order" in found.sentence
    assert "these trials do not look like fresh draws in random order: b > a" in found.sentence


def test_fresh_draws_are_hardly_ever_doubted() -> None:
    """Fails if doubts come up where trials are as they should be."""
    rng = np.random.default_rng(3)
    doubted = 0
    for _ in range(40):
        drawn = {name: rng.random(60) < rate for name, rate in (("a", 0.3), ("b", 0.6))}
        doubted += bool(analyze({name: own * 1.0 for name, own in drawn.items()}).doubts)

    assert doubted <= 1


@pytest.mark.parametrize(
    ("settings", "claim"),
    [
        ({"margin": 0.1}, "(> means better by more than 0.1 in the mean over 2 tasks"),
        (
            {"margin": -0.1, "baseline": "old"},
            "(not worse means not worse by 0.1 or more in the mean over 2 tasks",
        ),
        (
            {"margin": -0.1, "baseline": "new", "lower_is_better": True},
            "averaged into each row, where a lower mean is better)",
        ),
    ],
)
def test_the_margin_is_part_of_a_claim_about_the_mean_over_tasks(
    settings: dict[str, Any], claim: str
) -> None:
    """Catches "not worse means better in the mean", which no such test has shown."""
    rows = [
        (task, name) for _ in range(40) for task in ("reach", "push") for name in ("old", "new")
    ]
    columns = {
        "task": [task for task, _ in rows],
        "policy": [name for _, name in rows],
        "score": [float(name == "new") for _, name in rows],
    }

    found = analyze(sw.read_trials(columns, bounds=(0, 1)), tasks="mean", **settings)

    assert found.pairs[0].decided
    assert claim in found.sentence


def test_every_text_says_which_training_runs_it_is_about() -> None:
    """Catches a paragraph for the paper that leaves out what the sentence says."""
    episodes = {
        "policy": ["ppo"] * 20 + ["sac"] * 20,
        "seed": [number for number in range(4) for _ in range(5)] * 2,
        "success": [0, 0, 1, 0, 0] * 4 + [1, 1, 0, 1, 1] * 4,
    }
    trials = sw.read_trials(episodes, bounds=(0, 1))
    about = "about the checkpoints of these 8 training runs, not about what other runs would give"

    for goal in ("order", "best"):
        found = analyze(trials, goal=goal)
        assert about in found.sentence
        assert about in found.headline
        assert f"All claims are {about}. " in found.methods_paragraph
        runs = analyze(trials, goal=goal, unit="seed")
        assert "Each trial is the mean score of one training run. " in runs.methods_paragraph
