"""Races over several tasks: which is drawn when, what goes on from a journal, and the watch."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.rollout.draws import drawn_task
from stopwise.rollout.watch import Watch
from tests.rollout.players import draw

RATES = {"low": 0.3, "high": 0.8}
NAMES = ("lift", "push", "reach")
# A file does not know of a task that was not drawn: the weights name all of them.
ASKED: dict[str, Any] = {
    "tasks": "mean",
    "task_order": "random",
    "weights": dict.fromkeys(NAMES, 1.0),
    "n_max": 100,
}


def envs(seen: list[str] | None = None) -> dict[str, Callable[[Any, int], float]]:
    """One episode function per task, which notes that it ran."""

    def episode(task: str, policy: Any, seed: int) -> float:
        if seen is not None:
            seen.append(task)
        return draw(policy, seed)

    return {task: _named(partial(episode, task), task) for task in NAMES}


def _named(function: Any, task: str) -> Callable[[Any, int], float]:
    def run(policy: Any, seed: int) -> float:
        return float(function(policy, seed))

    run.__qualname__ = task
    return run


race = partial(sw.race, RATES, tasks="mean", n_max=100)


def test_all_policies_of_a_row_meet_its_task_and_seed() -> None:
    seen: list[str] = []
    result = race(envs(seen), seed=3, weights={"lift": 2})

    assert seen == [episode.task for episode in result.episodes]
    rows: dict[int, set[object]] = {}
    for episode in result.episodes:
        rows.setdefault(episode.row, set()).add((episode.task, episode.seed))
    assert all(len(found) == 1 for found in rows.values())
    shares = {"lift": 0.5, "push": 0.25, "reach": 0.25}
    assert all(
        episode.task == drawn_task(3, shares, episode.row, 1, paired=True)
        for episode in result.episodes
    )
    assert result.analysis.task == "mean over tasks"
    drawn = Counter(drawn_task(0, shares, row, 0, paired=True) for row in range(4000))
    assert drawn == {"lift": 1978, "push": 1032, "reach": 990}
    assert any("drawn with seed 3" in note for note in result.analysis.warnings)


def test_independent_episodes_draw_a_task_each() -> None:
    result = race(envs(), seed=3, design="independent")
    rows: dict[int, set[object]] = {}
    for episode in result.episodes:
        rows.setdefault(episode.row, set()).add(episode.task)

    assert any(len(found) > 1 for found in rows.values())
    again = sw.analyze(result.trials, design="independent", **ASKED)
    assert again.sentence == result.analysis.sentence
    assert sw.analyze(result.trials, **ASKED).design == "paired"  # which nobody has to declare


def test_the_seed_is_drawn_recorded_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "race.jsonl"
    first, again = race(envs()), race(envs())
    begun = race(envs(), journal=path)
    assert len({first.seed, again.seed, begun.seed}) == 3
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:6]) + "\n")  # as if it had stopped there

    assert sw.read_trials(path).tasks == tuple(dict.fromkeys(e.task for e in begun.episodes[:5]))

    resumed = race(dict(reversed(envs().items())), journal=path)

    assert resumed.seed == begun.seed
    read = sw.analyze(sw.read_trials(path), **ASKED)
    assert read.sentence == begun.analysis.sentence
    assert [e.to_dict() | {"seconds": 0} for e in resumed.episodes] == [
        e.to_dict() | {"seconds": 0} for e in begun.episodes
    ]
    with pytest.raises(sw.InvalidInput, match="its seed is"):
        race(envs(), journal=path, seed=1)
    with pytest.raises(sw.InvalidInput, match="belongs to another race: its task 'lift' is"):
        race(envs(), journal=path, weights={"lift": 3})


def test_an_environment_is_made_when_its_task_is_first_drawn() -> None:
    made = []

    def factory(task: str) -> Any:
        def make() -> Any:
            import gymnasium

            made.append(task)
            return gymnasium.make("CartPole-v1", max_episode_steps=20)

        return make

    policies = {"left": lambda _: 0, "right": lambda _: 1}
    many = {f"task {number:02}": factory(f"task {number:02}") for number in range(50)}
    result = sw.race(policies, many, tasks="mean", n_max=5, bounds=(0, 20))

    assert len(made) <= 6
    assert set(made) == {episode.task for episode in result.episodes} | {"task 00"}


@pytest.mark.parametrize(
    ("env", "settings", "message"),
    [
        (envs(), {"tasks": None}, "several environments are tasks: give tasks='mean'"),
        (draw, {}, "tasks='mean' needs environments by name"),
        ({"lift": draw}, {}, "the mean over tasks needs at least 2 tasks, but got 1"),
        ({"lift": draw, 3: draw}, {}, "the names of tasks must be text, but got 3"),
        (envs(), {"weights": {"lifd": 1}}, "names the task 'lifd', but the tasks are lift"),
        ({"a": draw, "b": 7}, {"weights": {"b": 1000}}, "task 'b': env must be a gymnasium id"),
    ],
)
def test_what_makes_no_sense_is_refused(env: Any, settings: Any, message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        sw.race(RATES, env, **{"tasks": "mean", "n_max": 50, **settings})


def written(path: Path, rows: list[tuple[str, str, float]]) -> None:
    lines = [f"{task},{policy},{score:g}" for task, policy, score in rows]
    path.write_text("\n".join(["task,policy,score", *lines]) + "\n")


@pytest.mark.parametrize("order", ["rounds", "random"])
def test_a_watch_follows_the_mean_as_files_grow(tmp_path: Path, order: str) -> None:
    path, state = tmp_path / "trials.csv", tmp_path / "state.json"
    result = race(envs(), seed=3)
    frame = result.trials.frame.select("task", "policy", "score")
    rows = [row for row in frame.rows() for _ in range(3)] if order == "rounds" else frame.rows()
    weights = dict.fromkeys(NAMES, 1.0)
    watch = partial(
        Watch,
        path,
        reading={"bounds": (0.0, 1.0)},
        settings={"n_max": 100},
        tasks="mean",
        task_order=order,
        weights=weights,
        state=state,
    )
    if order == "rounds":
        rows = [(task, policy, float(policy == "high")) for _ in range(9) for task in NAMES
                for policy in RATES]  # fmt: skip
    written(path, rows[: len(rows) // 2])
    (early,) = watch().look()
    written(path, rows)
    (late,) = watch().look()

    assert early.task == late.task == "mean over tasks"
    assert not early.stop
    assert late.decided
    assert late.analysis is not None
    assert late.analysis.order_text == "high > low"


def test_a_task_with_one_policy_so_far_holds_nothing_up(tmp_path: Path) -> None:
    path = tmp_path / "trials.csv"
    rows = [("lift", policy, float(policy == "high")) for _ in range(20) for policy in RATES]
    written(path, [*rows, ("push", "low", 0.0)])
    watch = Watch(path, reading={"bounds": (0.0, 1.0)}, settings={"n_max": 20})

    done, begun = watch.look()
    written(path, [*rows, ("push", "low", 0.0), ("push", "high", 1.0)])
    _, later = watch.look()

    assert done.stop
    assert (begun.stop, begun.rows, begun.needed, begun.waiting) == (False, 0, ("high",), 1)
    assert later.rows == 1
