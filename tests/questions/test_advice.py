"""Notes advise only what is possible, count what they say, and name what was asked."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.cli.typed import run

RNG = np.random.default_rng(0)


def table(path: Path, columns: str, rows: Sequence[tuple[object, ...]]) -> str:
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join([columns, *lines]) + "\n")
    return str(path)


@pytest.fixture
def tasks(tmp_path: Path) -> str:
    """Three policies on two tasks, of which b lacks nine trials on the first."""
    rates = {"a": 0.2, "b": 0.5, "c": 0.9}
    rows = [
        (policy, task, int(RNG.random() < rate))
        for policy, rate in rates.items()
        for task in "xy"
        for _ in range(31 if (policy, task) == ("b", "x") else 40)
    ]
    return table(tmp_path / "tasks.csv", "policy,task,success", rows)


@pytest.fixture
def seeds(tmp_path: Path) -> str:
    """Five training runs of two policies, each of which numbers its episodes."""
    rows = [
        (policy, task, seed, episode, int(RNG.random() < rate))
        for policy, rate in (("a", 0.3), ("b", 0.9))
        for task in "xy"
        for seed in range(5)
        for episode in range(10)
    ]
    return table(tmp_path / "seeds.csv", "policy,task,seed,episode,success", rows)


MEAN = ("--bounds", "0,1", "--tasks", "mean")


def test_trials_beyond_the_last_full_round_are_those_that_no_average_has(tasks: str) -> None:
    """Policy b has 31 full rounds: the 9 further trials on the second task are in none."""
    _, said = run("analyze", tasks, *MEAN)

    assert "note: 9 trials beyond the last full round of all tasks left out" in said


@pytest.mark.parametrize("options", [("--by", "wins"), ("--goal", "best")])
def test_groups_are_advised_only_where_they_are_taken(tmp_path: Path, options: tuple[str]) -> None:
    rows = [
        (p, task, n % 2) for p, most in (("a", 9), ("b", 15)) for task in "xy" for n in range(most)
    ]
    path = table(tmp_path / "unequal.csv", "policy,task,success", rows)
    refused, _ = run("analyze", path, *options, "--design", "groups")
    code, said = run("analyze", path, *options)
    _, plain = run("analyze", path, "--bounds", "0,1")

    assert (refused, code) == (2, 0)
    assert "--design groups" not in said
    assert "--design groups" in plain


def test_training_runs_and_several_tasks_advise_what_is_possible(seeds: str) -> None:
    _, by_seed = run("analyze", seeds, "--bounds", "0,1", "--unit", "seed")
    assert "the claims on 2 tasks share alpha" in by_seed
    assert "--tasks mean" not in by_seed
    refused, _ = run("analyze", seeds, *MEAN, "--unit", "seed")
    _, said = run("analyze", seeds, *MEAN)
    assert refused == 2
    assert "as one trial, of each task by itself" in said


def test_a_copy_given_as_stored_is_told_as_one(tmp_path: Path) -> None:
    """Pairs cannot be declared of trials that were run before; and others share no scenes."""
    # With the first seed the test for dependence says nothing.
    first, second = (
        [(round(score, 3),) for score in np.random.default_rng(seed).random(40)] for seed in (18, 1)
    )
    old = table(tmp_path / "old.csv", "score", first)
    other = table(tmp_path / "other.csv", "score", second)
    near = table(tmp_path / "near.csv", "score", [(0.9 * score,) for (score,) in second])
    given = ("--bounds", "0,1", "--n-max", "40")
    _, copy = run("watch", "--once", "--policy", f"new={old}", "--stored", f"old={old}", *given)
    _, alike = run("watch", "--once", "--policy", f"new={near}", "--stored", f"old={other}", *given)

    assert "note: the scores of old and new are the same, row by row: is one a copy" in copy
    assert "stored trials must have been run apart from the new ones" in alike
    assert "as paired" not in copy + alike
