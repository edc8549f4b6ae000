"""Layouts that people's own scripts write: read right, or asked about."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from tests.data import files

ZERO_ONE: list[float] = [1, 0, 0, 1, 1, 0, 1, 0, 1, 1]


def table(header: str, *rows: Any) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def objects(*records: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, records)) + "\n"


def winner(number: int) -> str:
    return ("model_a", "model_b", "tie", "tie (bothbad)")[number % 4]


RIGHT: dict[str, tuple[str, dict[tuple[str, str], list[float]]]] = {
    "sides.csv": (
        table(
            "session_id,policy_a,policy_b,preference,score_a,score_b",
            *(["s1", "pi0", "dp", "A", 0.9, 0.5], ["s2", "dp", "octo", "B", 0.25, 0.75]),
        ),
        {("task", "pi0"): [0.9], ("task", "dp"): [0.5, 0.25], ("task", "octo"): [0.75]},
    ),
    "arena.csv": (
        table("model_a,model_b,winner,turn", *(["x", "y", winner(i), 1] for i in range(4))),
        {("task", "x"): [1, 0, 0.5, 0.5], ("task", "y"): [0, 1, 0.5, 0.5]},
    ),
    "levels.json": (
        json.dumps({"policies": {"a": {"tasks": {"cup": {"successes": [1, 0]}}}}}),
        {("cup", "a"): [1, 0]},
    ),
    "task_results.json": (
        json.dumps(
            {
                "overall_success_rate": 0.5,
                "task_results": [
                    {
                        "task_id": 3,
                        "success_rate": 0.5,
                        "episode_results": [{"episode": i, "success": i > 0} for i in range(2)],
                    }
                ],
            }
        ),
        {("3", "task_results"): [0, 1]},
    ),
    "episodes.json": (
        json.dumps({p: {f"episode_{i}": {"success": i > 0} for i in range(2)} for p in "ab"}),
        {("task", "a"): [0, 1], ("task", "b"): [0, 1]},
    ),
    "suite.json": (
        json.dumps(
            {
                "task_suite": "libero_goal",
                "episodes": [{"task_id": 3, "episode": i, "success": i > 0} for i in range(2)],
            }
        ),
        {("libero_goal/3", "suite"): [0, 1]},
    ),
    "of.csv": (
        table("policy,score", ["a", "2 of 5"], ["a", "5 of 5"]),
        {("task", "a"): [0.4, 1.0]},
    ),
    "noise.csv": (
        "Warning: added '10.0.0.1' to the list of known hosts.\n"
        "Warning: added '10.0.0.2' to the list of known hosts.\n"
        + table("policy,task,success", *(["a", "cup", i % 2] for i in range(4))),
        {("cup", "a"): [0, 1, 0, 1]},
    ),
    "tasks_by_number.json": (
        json.dumps(
            {
                "condition": "x",
                "tasks": {
                    str(t): {
                        "instruction": f"do {t}",
                        "per_episode": [{"success": i > 0} for i in range(5)],
                    }
                    for t in range(3)
                },
            }
        ),
        {(str(t), "tasks_by_number"): [0, 1, 1, 1, 1] for t in range(3)},
    ),
    "questions.json": (
        json.dumps(
            {
                str(i): {
                    "task_id": i,
                    "turn_history": {"rewards": [0, 1]},
                    "summary": {"max_reward": i % 2},
                }
                for i in range(6)
            }
        ),
        {(str(i), "questions"): [i % 2] for i in range(6)},
    ),
    "items.json": (json.dumps(dict(enumerate(ZERO_ONE))), {("task", "items"): ZERO_ONE}),
}


@pytest.mark.parametrize("name", RIGHT)
def test_trials_are_read(tmp_path: Path, name: str) -> None:
    content, expected = RIGHT[name]
    frame = sw.read_trials(files.text(tmp_path / name, content)).frame

    found = {key: own["score"].to_list() for key, own in frame.group_by("task", "policy")}
    assert found == expected


PAIRS = [(i, name) for i in range(20) for name in ("old", "new")]
QUESTIONS: dict[str, tuple[str, str]] = {
    "prompts.csv": (
        table("question,prompt,correct", *(["q" + str(i), name, i % 2] for i, name in PAIRS)),
        r"differ in 'prompt' .*columns=\{'policy': 'prompt'\} makes each a policy",
    ),
    "progress.csv": (
        table(
            "rollout/success_rate,time/total_timesteps",
            *([round(i / 40, 3), 2048 * i] for i in range(20)),
        ),
        "differ in 'time/total_timesteps'",
    ),
    "german.csv": (
        table("Versuch,Methode,Erfolg,Sekunden", *([i, name, "ja", 1.5] for i, name in PAIRS)),
        r"'Versuch' rises from row to row.* the policies with columns=\{'policy': 'Methode'\}",
    ),
    "measures.csv": (
        table(
            "planner,map,collisions,reached_goal", *([name, "lab", i % 2, 1] for i, name in PAIRS)
        ),
        r"'collisions' sounds like what came of a trial.*\{'policy': 'planner'\}",
    ),
    "sides_of_measures.csv": (
        table(
            "seed,base_success,ours_success,base_hard_success,ours_hard_success,ours_time",
            *([i, i % 2, 1, i % 2, 0, 26.5] for i in range(9)),
        ),
        r"policies=\['base_success', 'ours_success'\]$",
    ),
    "long.csv": (
        table("policy,metric,value", *([name, "success", i % 2] for i, name in PAIRS)),
        r"perhaps 'value'.*where=\{'metric': \.\.\.\} reads one measure",
    ),
    "two_winners.csv": (
        table("model_1,model_2,g1_winner,g2_winner", *(["x", "y", "tie", "tie"] for _ in "ab")),
        "'g1_winner', 'g2_winner' may say which was preferred",
    ),
    "other_words.log": (
        "Trial 1 result: success\nTrial 2 result: timeout\nTrial 3 result: success\n",
        "line 2: 'timeout' says neither success nor failure of episode 2",
    ),
    "dashes.csv": (
        table("policy,success", *([name, "1-0"[i % 3]] for i, name in PAIRS)),
        r"the score is missing here .*missing='drop'",
    ),
    "clock_of_runs.csv": (
        table(
            "algorithm,run,wall_time,reward",
            *([a, r, round(10.5 * i, 1), i] for a in "xy" for r in (1, 2) for i in range(10)),
        ),
        r"differ in 'wall_time' .*columns=\{'step': 'wall_time'\} with at='last' the last",
    ),
    "evaluations_by_step.json": (
        json.dumps({p: {f"step_{i}": [0, 1, 1] for i in (100, 200)} for p in "ab"}),
        r"differ in 'step' \('step_100', 'step_200'\)",
    ),
    "lengths.json": (
        json.dumps(
            {p: {"episode_rewards": [[0, 1]] * 3, "episode_lengths": [2] * 3} for p in "ab"}
        ),
        "no column looks like a score",
    ),
    "summary_line.jsonl": (
        objects(
            *({"type": "episode", "policy": n, "success": i % 2} for i, n in PAIRS),
            {"type": "summary", "policy": "new", "success": 0.5},
        ),
        "'summary' in column 'type' seems to sum up other rows",
    ),
    "games.csv": (
        table(
            "Game,DQN,Rainbow", *([g, i / 7, i / 5] for i, g in enumerate(("Pong", "Go", "Hex")))
        ),
        "each 'Game' has one row, as in a table of means or rates",
    ),
    "rates_beside_lists.json": (
        json.dumps({t: {"success_rate": 0.5, "progress_score": [0.5, 1, 0.25]} for t in "xy"}),
        "each row sums up many trials",
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_open_is_a_question(tmp_path: Path, name: str) -> None:
    content, question = QUESTIONS[name]

    with pytest.raises(sw.InvalidInput, match=question) as caught:
        sw.read_trials(files.text(tmp_path / name, content))
    assert len(str(caught.value)) <= 500


def test_arrays_that_are_no_columns_of_policies_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "runs_by_tasks.npy", np.zeros((5, 26)))
    with pytest.raises(sw.InvalidInput, match=r"there are 26 columns and 5 rows: .*np\.savez"):
        sw.read_trials(tmp_path / "runs_by_tasks.npy")
    np.savez(tmp_path / "curves.npz", a=np.zeros((2, 3, 4)))
    with pytest.raises(sw.InvalidInput, match="take one point of each"):
        sw.read_trials(tmp_path / "curves.npz")


def test_logs_of_training_beside_evaluations_are_left_out(tmp_path: Path) -> None:
    for policy in ("ppo", "sac"):
        (tmp_path / policy).mkdir()
        files.sb3_evaluations(tmp_path / policy)
        files.sb3_monitor(tmp_path / policy)
    trials = sw.read_trials(tmp_path, columns={"trial": None})

    assert trials.counts() == {("task", "ppo"): 3, ("task", "sac"): 3}
    assert any("left out" in note and "monitor.csv" in note for note in trials.notes)


def test_an_outcome_without_any_value_is_told(tmp_path: Path) -> None:
    text = table("policy,success,reward", *([name, "", i] for i, name in PAIRS))
    notes = sw.read_trials(files.text(tmp_path / "a.csv", text)).notes

    assert "no value in 'success', so 'reward' is compared" in notes[0]


@pytest.mark.parametrize("name", [*RIGHT])
def test_packed_files_are_read_as_they_are_unpacked(tmp_path: Path, name: str) -> None:
    content, expected = RIGHT[name]
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(content.encode()))

    frame = sw.read_trials(path).frame
    found = {key: own["score"].to_list() for key, own in frame.group_by("task", "policy")}
    assert found == expected


def folders(root: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        files.text(root / name, table("success", *([(i * number) % 3 % 2] for i in range(6))))
    return root


@pytest.mark.parametrize(
    ("names", "called"),
    [
        (("cup/act.csv", "cup/dp.csv", "pan/act.csv", "pan/dp.csv"), "'act', 'dp'"),
        (
            ("act/cup/seed_0.csv", "act/pan/seed_0.csv", "dp/cup/seed_0.csv", "dp/pan/seed_0.csv"),
            "'cup",
        ),
        (("a/s_1/eval.csv", "a/s_2/eval.csv", "b/s_1/eval.csv", "b/s_2/eval.csv"), "'s_1', 's_2'"),
    ],
)
def test_files_with_names_that_recur_in_folders_are_asked_about(
    tmp_path: Path, names: tuple[str, ...], called: str
) -> None:
    source = folders(tmp_path, *names)

    with pytest.raises(sw.InvalidInput, match=f"are files called {called}"):
        sw.read_trials(source)
    assert len(sw.read_trials(source, columns={"ignore": "file"})) == 6 * len(names)


def test_files_in_folders_of_tasks_are_policies_if_told(tmp_path: Path) -> None:
    source = folders(tmp_path, "cup/act.csv", "cup/dp.csv", "pan/act.csv", "pan/dp.csv")
    trials = sw.read_trials(source, columns={"policy": "file", "task": "folder"})

    assert {*trials.counts()} == {(t, p) for t in ("cup", "pan") for p in ("act", "dp")}


def test_files_whose_scores_are_of_several_kinds_are_asked_about(tmp_path: Path) -> None:
    one = files.text(tmp_path / "a.csv", table("episode,success", [0, 1]))
    other = files.text(tmp_path / "b.csv", table("episode,success,score", [0, 1, 0.5]))

    with pytest.raises(sw.InvalidInput, match=r"'success' in .*a\.csv and 'score' in .*b\.csv"):
        sw.read_trials([one, other])
    assert len(sw.read_trials([one, other], score="success")) == 2


def test_backups_are_no_results(tmp_path: Path) -> None:
    folders(tmp_path, "a.csv", "a.csv.bak", "b.csv", "b.csv~")
    assert sw.read_trials(tmp_path).policies == ("a", "b")


def test_names_of_either_tasks_or_policies_are_asked_about(tmp_path: Path) -> None:
    items = {key: dict(enumerate(ZERO_ONE)) for key in ("a", "b")}
    path = files.text(tmp_path / "x.json", json.dumps(items))

    with pytest.raises(sw.InvalidInput, match=r"stand under 'a', 'b': .*\{'policy': 'key1'\}"):
        sw.read_trials(path)
    policies = sw.read_trials(path, columns={"policy": "key1"}).counts()
    tasks = sw.read_trials(path, columns={"task": "key1"}).counts()
    assert policies == {("task", "a"): 10, ("task", "b"): 10}
    assert tasks == {("a", "x"): 10, ("b", "x"): 10}
