"""Notes advise only what is possible, count what they say, and name what was asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
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


def test_rounds_are_not_called_trials_where_the_best_is_asked_for(tasks: str) -> None:
    _, undeclared = run("analyze", tasks, *MEAN, "--goal", "best")
    _, declared = run("analyze", tasks, *MEAN, "--goal", "best", "--n-max", "40")

    assert "of 111 averages of a round, for one look at them;" in undeclared
    assert " averages of a round instead of 120, for one look at them;" in declared


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


def test_a_watch_does_not_call_unused_what_waits(tmp_path: Path) -> None:
    rows = [(p, 0.5) for p, most in (("a", 5), ("b", 8)) for _ in range(most)]
    path = table(tmp_path / "growing.csv", "policy,score", rows)

    _, said = run("watch", path, "--once", "--bounds", "0,1")

    assert "3 trials wait for the rest of the row" in said
    assert "unused" not in said


def test_a_trial_is_known_by_its_training_run_too(tmp_path: Path, seeds: str) -> None:
    code, said = run("analyze", seeds, "--bounds", "0,1")
    assert code == 0, said
    assert "columns used: policy, score = success, task, trial = episode, seed; override" in said
    assert "b is better than a" in said
    trials = sw.read_trials(seeds)
    assert len(trials.frame) == 200
    lines = Path(seeds).read_text().splitlines()
    copied = tmp_path / "copied.csv"
    copied.write_text("\n".join([*lines, lines[-1]]) + "\n")
    assert len(sw.read_trials(copied).frame) == 200
    other = lines[-1][:-1] + str(1 - int(lines[-1][-1]))
    copied.write_text("\n".join([*lines, other]) + "\n")
    with pytest.raises(sw.InvalidInput, match="seed '4', trial '9' already appears at line 201"):
        sw.read_trials(copied)


def test_training_runs_and_several_tasks_advise_what_is_possible(seeds: str) -> None:
    _, by_seed = run("analyze", seeds, "--bounds", "0,1", "--unit", "seed")
    assert "the claims on 2 tasks share alpha" in by_seed
    assert "--tasks mean" not in by_seed
    refused, _ = run("analyze", seeds, *MEAN, "--unit", "seed")
    _, said = run("analyze", seeds, *MEAN)
    assert refused == 2
    assert "as one trial, of each task by itself" in said


def test_a_reference_says_that_lower_is_better() -> None:
    test = sw.SequentialTest(reference=0.5, lower_is_better=True)
    verdict = test.update(0.2)

    assert "mean 0.2, lower is better" in str(verdict)


@pytest.mark.parametrize("method", ["nscore-plus", "wsr"])
@pytest.mark.parametrize("futility", ["advisory", "binding"])
def test_a_loop_of_ones_own_stops_where_a_decision_is_unlikely(method: str, futility: str) -> None:
    test = sw.SequentialTest(method, n_max=40, futility=futility, alternative="greater")
    verdict = test.verdict
    while not verdict.stop:
        verdict = test.update(1, 0)

    assert (verdict.decided, verdict.futile, verdict.n < 40) == (False, True, True)
    assert "and a decision by n_max has become unlikely" in str(verdict)
    patient = sw.SequentialTest(method, n_max=40, alternative="greater", futility=None)
    while not patient.verdict.stop:
        patient.update(1, 0)
    assert patient.verdict.n == 40
    decided = sw.SequentialTest(method, n_max=40)
    while not decided.verdict.stop:
        decided.update(1, 0)
    assert decided.verdict.decision is sw.Decision.POLICY0


def test_what_was_only_assumed_is_not_called_declared() -> None:
    together = RNG.random(60)
    found = sw.analyze({"a": together, "b": together * 0.9}, bounds=(0, 1))

    (doubt,) = found.doubts
    assert "although they are treated as independent" in doubt
    assert "declared independent" not in found.sentence


def test_a_plan_beside_a_reference_speaks_of_one_policy() -> None:
    plan = sw.plan(0.95, reference=0.8, n_max=50, detectable=False, precision=0.05)

    assert "If the policy performs as assumed" in plan.sentence
    assert "at most 50 trials reaches" in plan.sentence
    assert "design" not in plan.sentence


def test_a_plan_with_stored_trials_does_not_advise_a_larger_n_max() -> None:
    """The number of rows makes the groups of stored trials, so that more are not free."""
    rough: dict[str, Any] = {"n_max": 20, "detectable": False, "precision": 0.05}
    plain, stored = sw.plan(0.3, 0.7, **rough), sw.plan(0.3, 0.7, stored=100, **rough)

    assert any("generously" in note for note in plain.notes)
    assert not any("generously" in note for note in stored.notes)


def test_many_robots_need_no_less_than_one_trial_takes() -> None:
    rough: dict[str, Any] = {
        "n_max": 20,
        "detectable": False,
        "precision": 0.05,
        "minutes_per_trial": 6,
    }
    few, many = (sw.plan(0.2, 0.8, robots=robots, **rough) for robots in (1, 200))
    one, row = few.table()[0], many.table()[0]

    assert one["mean_hours"] == pytest.approx(0.1 * one["mean_trials"])
    assert one["hours_saved"] == pytest.approx(0.1 * one["trials_saved"])
    assert row["mean_hours"] == row["most_hours"] == pytest.approx(0.1)
    assert row["hours_saved"] == 0


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


def test_files_of_stored_trials_are_said_to_be_given_otherwise(tmp_path: Path) -> None:
    new = table(tmp_path / "new.csv", "policy,score", [("new", 0.5)] * 9)
    code, said = run("analyze", new, "--stored", "old=old.csv")

    assert code == 2
    assert "as in --policy old=old.csv --policy new=FILE --stored old" in said
