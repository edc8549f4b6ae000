"""Tables as people and their scripts write them: read right, or told what was done."""

import gzip
import json
import math
import re
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.data import formats
from stopwise.data.order import log_of_few_runs
from tests.cli.typed import run
from tests.data import files, sheets
from tests.data.test_questions import OLD_NEW, RESULTS, objects, table, won

Scores = dict[tuple[str, str], list[float]]
ZERO_ONE: list[float] = [1, 0, 0, 1, 1, 0, 1, 0, 1, 1]
STEPS = [{"reward": 0.0, "t": t} for t in range(4)]
NESTED = {"cup": {"base": [0, 1], "new": [1, 1]}, "jar": {"base": [0], "new": [1]}}
OF_NESTED: Scores = {
    ("cup", "base"): [0, 1],
    ("cup", "new"): [1, 1],
    ("jar", "base"): [0],
    ("jar", "new"): [1],
}


def verdict(number: int) -> str:
    return ("model_a", "model_b", "tie", "tie (bothbad)")[number % 4]


RIGHT: dict[str, tuple[str, Scores]] = {
    "sides.csv": (
        "session_id,policy_a,policy_b,preference,score_a,score_b\n"
        "s1,pi0,dp,A,0.9,0.5\ns2,dp,octo,B,0.25,0.75\n",
        {("task", "pi0"): [0.9], ("task", "dp"): [0.5, 0.25], ("task", "octo"): [0.75]},
    ),
    "arena.csv": (
        table("model_a,model_b,winner,turn", "xxxx", "yyyy", map(verdict, range(4)), "1111"),
        {("task", "x"): [1, 0, 0.5, 0.5], ("task", "y"): [0, 1, 0.5, 0.5]},
    ),
    "levels.json": (
        json.dumps({"policies": {"a": {"tasks": {"cup": {"successes": [1, 0]}}}}}),
        {("cup", "a"): [1, 0]},
    ),
    "nested.json": (json.dumps({"date": "2026-05-01", "results": NESTED}), OF_NESTED),
    "below_results.json": (
        json.dumps({"config": {"seed": 1}, "results": NESTED["cup"]}),
        {("task", "base"): [0, 1], ("task", "new"): [1, 1]},
    ),
    "of_a_policy.json": (
        json.dumps({"policy": "act", "results": NESTED["cup"]}),
        {("base", "act"): [0, 1], ("new", "act"): [1, 1]},
    ),
    "by_task.json": (
        json.dumps(
            {"cup": [{"policy": "a", "success": True}], "jar": [{"policy": "b", "success": 0}]}
        ),
        {("cup", "a"): [1], ("jar", "b"): [0]},
    ),
    "columns.json": (
        json.dumps({"policy": ["a", "b"], "score": [0.5, 1]}),
        {("task", "a"): [0.5], ("task", "b"): [1]},
    ),
    "named_tasks.json": (
        json.dumps({p: {"task_0": [1, 0], "task_1": [0, 1]} for p in ("act", "dp")}),
        {
            (t, p): s
            for p in ("act", "dp")
            for t, s in (("task_0", [1.0, 0.0]), ("task_1", [0.0, 1.0]))
        },
    ),
    "named_seeds.json": (
        json.dumps({"seed_0": {"act": [1, 0], "dp": [0, 1]}, "seed_1": {"act": [1]}}),
        {("task", "act"): [1, 0, 1], ("task", "dp"): [0, 1]},
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
    **{
        f"pandas_{orient}.json": (content, {("task", "a"): [1, 1], ("task", "b"): [0]})
        for orient, content in (
            ("columns", '{"policy":{"0":"a","1":"b","2":"a"},"success":{"0":1,"1":0,"2":1}}'),
            ("split", '{"columns":["policy","success"],"data":[["a",1],["b",0],["a",1]],"n":3}'),
        )
    },
    "runs_by_tasks.json": (
        json.dumps({"DQN": [[1, 2], [3, 4]], "C51": [[5, 6]]}),
        {
            ("task0", "DQN"): [1, 3],
            ("task1", "DQN"): [2, 4],
            ("task0", "C51"): [5],
            ("task1", "C51"): [6],
        },
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
    "tasks_by_number.json": (
        json.dumps(
            {
                "condition": "x",
                "tasks": {
                    str(t): {"instruction": f"do {t}", "per_episode": [{"success": 1}] * 5}
                    for t in range(3)
                },
            }
        ),
        {(str(t), "tasks_by_number"): [1] * 5 for t in range(3)},
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
    "by_scene.json": (
        json.dumps({f"scene{i}|{i}": {"success": i % 2, "spl": 0.5} for i in range(6)}),
        {("task", "by_scene"): [0, 1] * 3},
    ),
    "beside_prompts.json": (
        json.dumps(
            {
                "tasks": [{"task": {"actions": [1, 2, 3]}}],
                "results": {
                    "prompts": [{"provider": "x", "metrics": {"score": 5}}],
                    "results": [
                        {"provider": "x", "score": i % 2, "parts": [1, 1]} for i in range(4)
                    ],
                },
            }
        ),
        {("task", "beside_prompts"): [0, 1] * 2},
    ),
    "steps_within.json": (
        json.dumps(
            [{"policy": p, "success": p == "a", "x": [[0.1]], "steps": STEPS} for p in "ab"]
        ),
        {("task", "a"): [1], ("task", "b"): [0]},
    ),
    "parts_within.json": (
        json.dumps(
            [{"success": i, "parts": {"x": {"success": 1}, "y": {"success": i}}} for i in (0, 1)]
        ),
        {("task", "parts_within"): [0, 1]},
    ),
    "steps_within_a_map.json": (
        json.dumps(
            {
                f"episode_{i}": {"policy": "ab"[i % 2], "success": i > 1, "steps": [{"r": 1}]}
                for i in range(4)
            }
        ),
        {("task", "a"): [0, 1], ("task", "b"): [0, 1]},
    ),
    "words_in_lists.json": (
        json.dumps([{"policy": p, "results": ["success", "failure"]} for p in "ab"]),
        {("task", "a"): [1, 0], ("task", "b"): [1, 0]},
    ),
    "rewards_within.jsonl": (
        objects(*({"policy": p, "success": True, "rewards": [0, 0, 1]} for p in "ab")),
        {("task", "a"): [1], ("task", "b"): [1]},
    ),
    "lists.csv": (
        'Task,Policy,Rollout_Outcomes,Num_Rollouts,Success_Rate\ncup,old,"[0, 1, 0]",3,0.3333\n'
        'cup,new,"[1 1 1 0]",4,0.75\n',
        {("cup", "old"): [0, 1, 0], ("cup", "new"): [1, 1, 1, 0]},
    ),
    "header_again.csv": (
        "policy,success\na,1\na,0\npolicy,success\nb,0\n",
        {("task", "a"): [1, 0], ("task", "b"): [0]},
    ),
    "words_of_headers.csv": (
        "policy,result\nmodel,success\nagent,failure\nmodel,success\n",
        {("task", "model"): [1, 1], ("task", "agent"): [0]},
    ),
    "about_a_run.jsonl": (
        objects(
            {"config": {"lr": 1}},
            *({"policy": "a", "success": bool(i % 3)} for i in range(10)),
            {"mean_success": 0.6},
        ),
        {("task", "a"): [0, 1, 1, 0, 1, 1, 0, 1, 1, 0]},
    ),
    "below_titles.csv": (
        "Stacking (lab B),,\n2 May,Judge: JK,\nTrial #,Policy,Success\n1,a,Y\n2,b,N\n3,a,N\n",
        {("task", "a"): [1, 0], ("task", "b"): [0]},
    ),
    "noise.csv": (
        "Warning: added '10.0.0.1' to the list of known hosts.\n"
        "Warning: added '10.0.0.2' to the list of known hosts.\n"
        "policy,task,success\na,cup,0\na,cup,1\n",
        {("cup", "a"): [0, 1]},
    ),
    "no_comments.csv": (
        "policy,trial,score\n#1,0,1\n#2,0,0\n",
        {("task", "#1"): [1], ("task", "#2"): [0]},
    ),
    "as_people_write.csv": (
        "Robot policy,Score (0-1)\nold,0\nnew,1\nold,1\nnew,1\n",
        {("task", "old"): [0, 1], ("task", "new"): [1, 1]},
    ),
    "one_scene_each.csv": (
        "task,base,new\ncup,0,1\nmug,1,1\n",
        {("cup", "base"): [0], ("cup", "new"): [1], ("mug", "base"): [1], ("mug", "new"): [1]},
    ),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", RIGHT)
def test_trials_are_read(tmp_path: Path, name: str, packed: bool) -> None:
    content, expected = RIGHT[name]
    path = files.text(tmp_path / name, content)
    if packed:
        path = path.with_name(f"{name}.gz")
        path.write_bytes(gzip.compress(content.encode()))
    frame = sw.read_trials(path).frame

    found = {key: own["score"].to_list() for key, own in frame.group_by("task", "policy")}
    assert found == expected


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (RIGHT["header_again.csv"][0], "1 line repeats the header: left out"),
        ("policy,reward,success\na,1,\nb,2,\n", "no value in 'success', so 'reward' is compared"),
        (
            "policy,return,success_once,success_at_end\nold,0.5,1,1\nnew,0.75,0,1\n",
            "compared is 'success_once', not 'return', 'success_at_end'; score='return' compares",
        ),
        (
            "policy,seed,success_rate\na,0,0.4\na,1,0.5\nb,0,0.8\nb,1,0.9\n",
            "'success_rate' sounds like a mean of many trials",
        ),
    ],
)
def test_what_may_change_the_answer_is_told_first(tmp_path: Path, content: str, note: str) -> None:
    notes = sw.read_trials(files.text(tmp_path / "a.csv", content)).notes
    assert note in notes[0]


@pytest.mark.parametrize(
    ("column", "scores"),
    [
        (["yes", "No", "y", "N"], [1, 0, 1, 0]),
        (["Succeeded", "Failed", "PASS", "failure"], [1, 0, 1, 0]),
        (["T", "F", "true", "f"], [1, 0, 1, 0]),
        (["✓", "✗", "✔", "❌"], [1, 0, 1, 0]),
        (["✔\ufe0f", "✖\ufe0f", "✔\ufe0f", "❌\ufe0f"], [1, 0, 1, 0]),
        (["5/6", "3 / 6", "0/2", "6 of 6"], [5 / 6, 0.5, 0, 1]),
        (["83 %", "5%", "0 %", "100%"], [0.83, 0.05, 0, 1]),
    ],
)
def test_scores_as_people_write_them(
    tmp_path: Path, column: list[str], scores: list[float]
) -> None:
    rows = "".join(f"{'ab'[i % 2]},{value}\n" for i, value in enumerate(column))
    path = files.text(tmp_path / "a.csv", f"ckpt,Success\n{rows}")
    trials = sw.read_trials(path)

    assert trials.frame["score"].to_list() == pytest.approx(scores)
    assert trials.bounds == {"task": (0.0, 1.0)}
    if "%" in column[0]:
        with pytest.raises(sw.InvalidInput, match=r"83 % is 0\.83: declare bounds=\(0, 1\)"):
            sw.read_trials(path, bounds=(0, 100))


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("20%", "write all scores with the sign, or all without it"),
        ('"20,5"', "write it with a decimal point"),
        ("crashed", "the words understood are"),
    ],
)
def test_advice_for_other_ways_to_write_scores(tmp_path: Path, value: str, advice: str) -> None:
    path = files.text(tmp_path / "a.csv", f"policy,score\na,{value}\nb,1\n")
    with pytest.raises(sw.InvalidInput, match=f"must be a number, but got .*; {advice}"):
        sw.read_trials(path)


def test_words_of_success_add_to_those_understood(tmp_path: Path) -> None:
    words = ["yes", "ok_slow", "no", "1", "0", "slipped", ""]
    path = files.text(tmp_path / "a.csv", table("policy,result", "aabbaab", words))
    trials = sw.read_trials(path, success_word="OK_slow", missing="drop")
    assert trials.frame["score"].to_list() == [1, 1, 0, 1, 0, 0]
    assert trials.notes[0].endswith("counted as failures: 'slipped'")


def test_decimal_commas_where_nothing_else_is_a_comma(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", "policy;score\nbase;0,25\nnew;1\nbase;0,125\n")
    trials = sw.read_trials(path)
    assert trials.frame["score"].to_list() == [0.25, 1, 0.125]
    assert trials.notes[0].endswith("commas in 'score' are decimal points")
    files.text(path, "policy;return\nbase;1,250\nnew;2,000\nbase;10\n")  # thousands?
    with pytest.raises(sw.InvalidInput, match=r"line 2, column 'return': must be a number"):
        sw.read_trials(path)


@pytest.mark.parametrize(
    ("at", "scores"), [("last", [3, 9]), ("best", [5, 9]), (10, [5, 4]), ("auc", [3.25, 4.5])]
)
def test_a_curve_is_one_score_per_training_run(
    at: Any, scores: list[float], tmp_path: Path
) -> None:
    """In whatever order the points stand, and as lists in a cell as well."""
    points = {1: [0, 5, 3], 2: [1, 4, 9]}
    rows = [(20, points[s][2], s) for s in points] + [
        (10 * i, points[s][i], s) for s in points for i in (0, 1)
    ]
    path = files.text(tmp_path / "a.csv", table("step,return,seed", *zip(*rows, strict=True)))
    lists = [{"method": "a", "seed": s, "xs": [0, 10, 20], "ys": own} for s, own in points.items()]
    other = files.text(tmp_path / "b.json", json.dumps(lists))

    for place in (path, other):
        trials = sw.read_trials(place, at=at)
        assert trials.frame["score"].to_list() == scores
        assert (trials.frame["seed"].to_list(), trials.unit) == (["1", "2"], "seed")


def test_steps_that_stop_at_a_limit_are_lengths_of_episodes(tmp_path: Path) -> None:
    steps = [20, 25, 30, 35, 40, 300, 300, 300, 300, 300] * 2
    columns = ("a" * 10 + "b" * 10, [*range(10)] * 2, won(20, 0.5), steps)
    path = files.text(tmp_path / "a.csv", table("policy,episode,success,steps", *columns))
    assert len(sw.read_trials(path)) == 20
    with pytest.raises(sw.InvalidInput, match="as lengths of episodes do"):
        sw.read_trials(path, at="last")


def test_the_last_step_of_each_episode(tmp_path: Path) -> None:
    rows = [(p, e, t, int(t == 4 and e % 2)) for p in "ab" for e in range(6) for t in range(5)]
    content = table("policy,episode,t,reward", *zip(*rows, strict=True))
    trials = sw.read_trials(files.text(tmp_path / "a.csv", content), at="last")
    assert trials.counts() == {("task", "a"): 6, ("task", "b"): 6}
    assert trials.frame["score"].sum() == 6


@pytest.mark.parametrize("name", ["scene_seed", "init_state", "start pose", "thing"])
def test_starts_that_policies_share_are_blocks(tmp_path: Path, name: str) -> None:
    """Whatever the column is called, if its values do not merely count the trials."""
    starts = [f"x{i * 7 % 30}" if name == "thing" else 1000 + i for i in range(30) for _ in "ab"]
    path = files.text(tmp_path / "a.csv", table(f"policy,{name},success", OLD_NEW, starts, RESULTS))
    trials = sw.read_trials(path)

    assert sw.analyze(trials).design == "paired"
    assert next(own for own in trials.columns if own.name == name).role == "block"


@pytest.mark.parametrize("video", ["{}", "videos/ep_{}.mp4"])
def test_what_merely_counts_the_trials_is_no_block(tmp_path: Path, video: str) -> None:
    videos = [video.format(i) for i in range(30) for _ in "ab"]
    path = files.text(tmp_path / "a.csv", table("policy,video,success", OLD_NEW, videos, RESULTS))
    trials = sw.read_trials(path)

    assert sw.analyze(trials).design == "independent"
    assert any("'video' numbers the trials of each policy" in note for note in trials.notes)


def test_nan_is_missing_in_arrays_too() -> None:
    new, old = np.where(np.array(RESULTS) > 0, 1, np.nan), np.array(won(60, 0.8), dtype=float)
    for source in ({"new": new, "old": old}, np.stack([new, old], axis=1)):
        with pytest.raises(sw.InvalidInput, match=r"missing='fail'"):
            sw.analyze(source)
        with pytest.raises(sw.InvalidInput, match=r"failures"):
            sw.analyze({"new": new, "old": old}, missing="drop")
        counted = sw.analyze(source, missing="fail")
        assert min(policy.mean for policy in counted.policies) == pytest.approx(np.mean(RESULTS))
    with pytest.raises(sw.InvalidInput, match="missing"):
        sw.gate(new, old, margin=0.05)
    assert sw.gate(new, old, margin=0.05, missing="fail").answer != "pass"


def test_lists_within_some_records_hide_no_trial(tmp_path: Path) -> None:
    crashes = [[], [{"actor": "car"}], [], [{"actor": "cyclist"}]]
    records = [{"planner": "a", "driving": i / 4, "crashes": c} for i, c in enumerate(crashes)]
    path = files.text(tmp_path / "routes.json", json.dumps({"records": records}))

    frame = sw.read_trials(path, columns={"policy": "planner", "score": "driving"}).frame

    assert frame["score"].to_list() == [0, 0.25, 0.5, 0.75]


def test_tasks_of_one_scene_each_are_scenes_of_one_task() -> None:
    tasks = [f"scene {i}" for i in range(30) for _ in "ab"]
    columns = {"task": tasks, "policy": OLD_NEW, "success": RESULTS}
    trials = sw.read_trials(columns)

    assert (trials.tasks, sw.analyze(trials).design) == (("task",), "paired")
    assert len(sw.read_trials(columns, columns={"task": "task"}).tasks) == 30


SHUFFLED = np.random.default_rng(1).permutation([0, 1] * 25).tolist()


def in_batches(scores: list[int], size: int) -> list[int]:
    starts = range(0, len(scores), size)
    return [score for i in starts for score in sorted(scores[i : i + size], reverse=True)]


@pytest.mark.parametrize(
    "scores",
    [
        *(in_batches(SHUFFLED, 50), in_batches(SHUFFLED, 25), in_batches(SHUFFLED, 10)),
        *(sorted(SHUFFLED), np.linspace(0, 1, 30).tolist()),
    ],
)
def test_like_outcomes_that_stand_together_are_rearranged_and_told(scores: list[float]) -> None:
    """The same rows give the same order; in an order of chance they stay as they are."""
    first, again = (sw.read_trials({"a": scores, "b": SHUFFLED}) for _ in "xy")

    assert first.frame.equals(again.frame)
    assert first.frame.filter(policy="a")["score"].to_list() != scores
    assert "like outcomes of 'a' stand together" in first.notes[0]
    few = sw.read_trials({"a": [1, 1, 1, 0, 0], "b": SHUFFLED})
    assert few.frame.filter(policy="a")["score"].to_list() == [1, 1, 1, 0, 0]
    assert few.frame.filter(policy="b")["score"].to_list() == SHUFFLED


@pytest.mark.parametrize(("high", "low"), [(1, 1), (3, 4), (5, 2), (1, 6)])
def test_the_chance_of_few_runs_is_that_of_counting(high: int, low: int) -> None:
    changes = [
        sum(one != other for one, other in pairwise(order))
        for order in set(permutations([1] * high + [0] * low))
    ]
    for most in range(1, high + low):
        share = sum(own <= most for own in changes) / len(changes)
        assert math.exp(log_of_few_runs(most, high, high + low)) == pytest.approx(share)


def shards(folder: Path, policy: str) -> None:
    rows = [
        {"task_name": "cup", "episode_idx": i, "success": bool(value)}
        for i, value in enumerate(won(40, 0.6))
    ]
    parts = {"results": rows, **{f"rank_{rank}": rows[rank::4] for rank in range(4)}}
    for name, own in parts.items():
        files.text(folder / policy / f"{name}.jsonl", objects(*own))


def test_a_merged_file_and_its_parts_count_once(tmp_path: Path) -> None:
    for policy in ("old", "new"):
        shards(tmp_path, policy)
    trials = sw.read_trials(tmp_path)

    assert trials.counts() == {("cup", "new"): 40, ("cup", "old"): 40}
    assert any("holds the trials of 'rank_0.jsonl'" in note for note in trials.notes)
    assert sw.read_trials(tmp_path / "new").policies == ("new",)
    (tmp_path / "new" / "results.jsonl").unlink()
    assert sw.read_trials(tmp_path / "new").counts() == {("cup", "new"): 40}


def test_what_is_stray_in_a_folder_stops_nothing(tmp_path: Path) -> None:
    for name in ("old", "new"):
        text = table("success,grasp_quality", won(12, 0.5), range(12))
        files.text(tmp_path / name / "trials.csv", text)
        files.text(tmp_path / name / "trials.csv.bak", text)
        files.text(tmp_path / name / "summary.json", '{"success_rate": 0.5, "n_episodes": 12}')
        files.text(tmp_path / name / "config.json", '{"lr": 0.1, "layers": [1, 2]}')
        files.text(tmp_path / name / "model.safetensors", "\0\1")
    trials = sw.read_trials(tmp_path)

    assert trials.counts() == {("task", "new"): 12, ("task", "old"): 12}
    assert any("hold no trials: " in note and "config.json" in note for note in trials.notes)
    assert len(sw.read_trials(tmp_path, score="grasp_quality")) == 24
    assert len(sw.read_trials(tmp_path, where={"grasp_quality": 3})) == 2
    files.text(tmp_path / "third.csv", "success\n1\n")
    with pytest.raises(sw.InvalidInput, match="no column 'grasp_quality'"):
        sw.read_trials(tmp_path, score="grasp_quality")


def test_jobs_of_hydra_are_named_by_their_overrides(tmp_path: Path) -> None:
    for number, (policy, seed) in enumerate([(p, s) for p in ("act", "dp") for s in (1, 2)]):
        job = tmp_path / "multirun" / "2026-05-01" / str(number)
        files.text(job / ".hydra" / "overrides.yaml", f"- policy={policy}\n- seed={seed}\n")
        files.text(job / ".hydra" / "config.yaml", "policy: x\n")
        files.text(job / "eval_results.csv", table("success,seconds", won(8, 0.5), range(8)))
    trials = sw.read_trials(tmp_path / "multirun")

    assert trials.counts() == {("task", "act"): 16, ("task", "dp"): 16}
    assert trials.frame["seed"].unique().sort().to_list() == ["1", "2"]


def test_logs_of_training_beside_evaluations_are_left_out(tmp_path: Path) -> None:
    for policy in ("ppo", "sac"):
        (tmp_path / policy).mkdir()
        files.sb3_evaluations(tmp_path / policy)
        files.sb3_monitor(tmp_path / policy)
    trials = sw.read_trials(tmp_path, columns={"trial": None})

    assert trials.counts() == {("task", "ppo"): 3, ("task", "sac"): 3}
    assert any("left out" in note and "monitor.csv" in note for note in trials.notes)


def test_files_of_one_name_are_policies_by_their_folders(tmp_path: Path) -> None:
    one, two = (
        files.text(tmp_path / name / "scores.csv", f"score\n1\n{score}\n")
        for name, score in (("base", 0), ("new", 1))
    )
    other = files.text(tmp_path / "third.csv", "score\n1\n0\n")

    assert sw.read_trials([one, two]).policies == ("base", "new")
    mixed = sw.read_trials([one, two, other])
    assert mixed.policies == ("scores", "third")
    assert any("are read as trials of one policy, 'scores'" in note for note in mixed.notes)


def test_files_may_be_named_on_the_command_line(tmp_path: Path) -> None:
    for name in ("a", "b"):
        files.text(tmp_path / f"{name}.csv", table("success,x", won(9, 0.5), range(9)))
    code, output = run("analyze", f"old={tmp_path / 'a.csv'}", f"new={tmp_path / 'b.csv'}")
    assert (code, "new" in output) == (0, True)
    code, output = run("watch", str(tmp_path / "absent"))
    assert (code, "no such file" in output) == (2, True)


@pytest.mark.parametrize(
    ("line", "won"),
    [
        ("Episode 10 finished", None),
        ("[INFO] episode 3/20 done, success rate so far: 0.43", None),
        ("Episode 2 success rate: 1", None),
        ("Episode 9 - failed to grasp, success: True", 1),
        ("[2024-05-01 10:00:09] INFO Episode 2: FAIL in 90 steps", 0),
        ("[Trial 12/50] failed", 0),
    ],
)
def test_lines_of_logs(line: str, won: int | None, tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.log", f"{line}\nEpisode 21: Success\nEpisode 22: Failure\n")
    found = sw.read_trials(path).frame["score"].to_list()
    assert found == ([1, 0] if won is None else [won, 1, 0])


def test_the_guide_lists_every_format() -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/files.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z0-9-]+)` \| [^f]", guide, re.MULTILINE)
    assert sorted(listed) == sorted(formats.names())


def test_sheets_of_one_kind_are_tasks_or_policies(tmp_path: Path) -> None:
    cup: list[list[Any]] = [["policy", "score"], ["a", 1], ["b", 0.5]]
    trials = sw.read_trials(sheets.excel(tmp_path, cup=cup, jar=cup[:2], legend=[["a", "b"]]))
    assert trials.counts() == {("cup", "a"): 1, ("cup", "b"): 1, ("jar", "a"): 1}

    scores: list[list[Any]] = [["score"], [1], [0.5]]
    trials = sw.read_trials(sheets.excel(tmp_path, base=scores, new=scores[:2], old=[["x"], [1]]))
    assert trials.counts() == {("task", "base"): 2, ("task", "new"): 1}
    assert any("sheets with other columns than 'base' left out: 'old'" in n for n in trials.notes)


def test_runs_by_tasks_as_rliable_takes_them(tmp_path: Path) -> None:
    trials = sw.read_trials(files.rliable(tmp_path))
    counts = {(f"task{t}", policy): n for policy, n in (("DQN", 2), ("C51", 1)) for t in (0, 1)}
    assert trials.counts() == counts
    in_memory = {"DQN": [[0.5, 1.5], [0.25, 2.0]], "C51": [[1.0, 3.0]]}
    assert sw.read_trials(in_memory).frame.equals(trials.frame)
    with pytest.raises(sw.InvalidInput, match="with the same tasks for all"):
        sw.read_trials({"DQN": [[0.5, 1.5]], "C51": [[1.0]]})
    np.save(tmp_path / "pickled.npy", np.array(in_memory, dtype=object), allow_pickle=True)
    with pytest.raises(sw.InvalidInput, match=r"Python objects, .* np\.savez"):
        sw.read_trials(tmp_path / "pickled.npy")


def test_rows_of_an_array_are_blocks_if_the_design_says_so(tmp_path: Path) -> None:
    scores = np.random.default_rng(2).integers(0, 2, (40, 2)) * np.array([0.5, 1.0])
    np.save(tmp_path / "pairs.npy", scores)
    paired = sw.analyze(sw.read_trials(tmp_path / "pairs.npy"), design="paired")

    assert (paired.design, paired.policies[0].n) == ("paired", 40)
    assert "blocks: the rows of the table, as the design says" in paired.warnings
    assert sw.analyze(sw.read_trials(tmp_path / "pairs.npy")).design == "independent"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('policy,score,note\nbase,1,\n"","",""\nnew,x,\n', 4),
        ('policy,score,note\na,1,"two\nlines"\n\na,bad,x\n', 5),
        ("policy,trial,score\n#1,0,\n#2,0,0\n", 2),
    ],
)
def test_lines_are_counted_as_an_editor_does(tmp_path: Path, content: str, line: int) -> None:
    path = files.text(tmp_path / "a.csv", content)
    with pytest.raises(sw.InvalidInput, match=re.escape(f"a.csv, line {line}, column 'score'")):
        sw.read_trials(path)
