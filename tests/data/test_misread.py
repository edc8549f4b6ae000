"""Layouts that could be misread without a word: right, or a question, or a refusal."""

import json
import math
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.data.order import log_of_few_runs
from tests.cli.typed import run
from tests.data import files

RNG = np.random.default_rng(7)


def table(header: str, *columns: Any) -> str:
    rows = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    return "\n".join([header, *rows]) + "\n"


def won(n: int, rate: float) -> list[int]:
    return [int(value) for value in RNG.random(n) < rate]


OLD_NEW = ["old", "new"] * 30
RESULTS = won(60, 0.6)


def blank(value: int) -> str:
    return "1" if value else ""


QUESTIONS: dict[str, tuple[str, str]] = {
    "ckpt": (
        table("policy,step,success", OLD_NEW, range(0, 60_000, 1000), RESULTS),
        r"differ in 'step' .*where=.*at='last'.*'ignore': 'step'",
    ),
    "algo_ckpt": (
        table("algo,checkpoint,success", OLD_NEW, [10] * 20 + [50] * 40, RESULTS),
        r"differ in 'checkpoint' \('10', '50'\)",
    ),
    "curve": (
        table("step,reward,seed", [*range(0, 300, 10)] * 2, range(60), [1] * 30 + [2] * 30),
        r"differ in 'step'",
    ),
    "phase": (
        table("policy,phase,success", OLD_NEW, ["test", "train", "train"] * 20, RESULTS),
        r"differ in 'phase' .*'block': 'phase'",
    ),
    "valid": (table("policy,success,valid", OLD_NEW, RESULTS, [1, 1, 0] * 20), "differ in 'valid'"),
    "blocks": (
        table(
            "Policy,Model #,In cup (Y/N)",
            ["act"] * 30 + ["dp"] * 30,
            [f"m{i // 10}" for i in range(60)],
            ["YN"[value] for value in RESULTS],
        ),
        r"differ in 'Model #' .*'seed': 'Model #'",
    ),
    "timesteps": (
        table(
            "policy,episode,t,reward",
            ["a"] * 20 + ["b"] * 20,
            [0] * 10 + [1] * 10 + [0] * 10 + [1] * 10,
            [*range(10)] * 4,
            won(40, 0.2),
        ),
        r"differ in 't'|already appears at",
    ),
    "blankfail": (
        table("policy,success", OLD_NEW, map(blank, RESULTS)),
        r"missing here and in \d+ more rows; all others are 1, .* missing='fail' counts them so$",
    ),
    "some_missing": (
        table("policy,success", OLD_NEW, ["", *RESULTS[1:]]),
        r"line 2, .*missing='drop' leaves .*missing='fail' counts",
    ),
    "total": (
        table("policy,success", [*OLD_NEW, "Average"], [*RESULTS, 0.6]),
        r"line 62: 'Average' in column 'policy' seems to sum up",
    ),
    "last_is_mean": (
        table("policy,success", ["old"] * 10 + ["new"] * 11, [*[0, 1] * 10, 0.5]),
        r"line 22: the score of 'new' sums up the others",
    ),
    "word_as_number": (
        table("trial,old,new", [*range(10), "SR"], [*[0, 1] * 5, 0.5], [*[1, 1] * 5, 1]),
        r"line 12: 'SR' in column 'trial' seems to sum up other rows",
    ),
    "running": (
        table(
            "trial,old", range(1, 13), [round((i + 1) // 2 / i, 3) for i in range(1, 13)]
        ).replace(",old", ",success_rate"),
        "holds rates of all trials so far",
    ),
    "sentinel": (
        table("policy,success", OLD_NEW, [-1, *RESULTS[1:]]),
        r"line 2: column 'success': -1 stands among 0 and 1: .*declare bounds=",
    ),
    "two_outcomes": (
        table("policy,grasp_score,success", OLD_NEW, RNG.random(60), RESULTS),
        "'success' and 'grasp_score' may be what is to be compared",
    ),
    "subtasks": (
        table(
            "policy,trial,part,success",
            ["a"] * 10,
            [0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
            "xy" * 5,
            [0, 1] * 5,
        ),
        r"already appears at line .* if these are parts of one trial, where= reads one",
    ),
    "scorers": (
        table(
            "model,doc_id,scorer,correct",
            ["a"] * 8 + ["b"] * 8,
            [*range(4)] * 4,
            ([*"xxxxyyyy"]) * 2,
            [0, 1] * 8,
        ),
        "differ in 'scorer'",
    ),
    "checkpoints_of_runs": (
        table("ckpt_id,run_id,success", [*"ccccdddd"] * 2, ["1", "2"] * 8, [0, 1, 1, 0] * 4),
        "each training run in 'run_id' has several checkpoints in 'ckpt_id'",
    ),
    "numbers_anew": (
        table("Versuch,Erfolg", [*range(10)] * 2, [0, 1] * 10),
        "no column looks like a score",
    ),
}


def selected(name: str) -> dict[str, Any]:
    return {"score": "In cup (Y/N)"} if name == "blocks" else {}


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_open_is_a_question(tmp_path: Path, name: str) -> None:
    content, question = QUESTIONS[name]
    path = files.text(tmp_path / f"{name}.csv", content)

    with pytest.raises(sw.InvalidInput, match=question) as caught:
        sw.read_trials(path, **selected(name))
    assert len(str(caught.value)) < 500
    code, output = run("analyze", str(path))
    assert code == 2
    assert all(len(line) < 500 for line in output.splitlines())


@pytest.mark.parametrize(
    ("name", "answer", "trials"),
    [
        ("ckpt", {"columns": {"ignore": "step"}}, 60),
        ("ckpt", {"where": {"step": [0, "1000"]}}, 2),
        ("ckpt", {"at": 0, "columns": {"policy": None}, "policy": "x"}, 1),
        ("algo_ckpt", {"where": {"checkpoint": 50}}, 40),
        ("algo_ckpt", {"where": ["checkpoint=50"]}, 40),
        ("algo_ckpt", {"at": "last"}, 40),
        ("curve", {"at": "last"}, 2),
        ("phase", {"where": {"phase": "test"}}, 20),
        ("phase", {"columns": {"block": "phase"}}, 60),
        ("valid", {"where": {"valid": True}, "columns": {"success": None}}, 0),
        ("blocks", {"columns": {"seed": "Model #"}, "score": "In cup (Y/N)"}, 60),
        ("blankfail", {"missing": "fail"}, 60),
        ("some_missing", {"missing": "drop"}, 59),
        ("some_missing", {"missing": "fail"}, 60),
    ],
)
def test_an_answer_is_taken(tmp_path: Path, name: str, answer: dict[str, Any], trials: int) -> None:
    path = files.text(tmp_path / f"{name}.csv", QUESTIONS[name][0])
    if not trials:
        with pytest.raises(sw.InvalidInput, match="no row has valid = true; the values are '1'"):
            sw.read_trials(path, **answer)
        return
    assert len(sw.read_trials(path, **answer)) == trials


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
    found = sw.analyze({"a": path, "b": path}, at=at, bounds=(0, 10))
    assert "about the checkpoints" not in found.sentence


def test_a_step_that_a_run_does_not_have_is_refused(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", "step,return,seed\n0,1,1\n5,2,1\n0,3,2\n")
    with pytest.raises(sw.InvalidInput, match="a training run has no step 5"):
        sw.read_trials(path, at=5)
    with pytest.raises(sw.InvalidInput, match=r"at must be last, best, auc or a step, but got 'x'"):
        sw.read_trials(path, at="x")
    alone = files.text(tmp_path / "b.csv", "step,return\n0,1\n5,2\n")
    with pytest.raises(sw.InvalidInput, match="'seed': "):
        sw.read_trials(alone, at="best")


def test_success_comes_before_what_was_optimised_and_after_partial_credit(tmp_path: Path) -> None:
    rows = "old,0.5,1,1\nnew,0.75,0,1\n" * 3
    path = files.text(tmp_path / "a.csv", f"policy,return,success_once,success_at_end\n{rows}")
    trials = sw.read_trials(path)

    assert trials.frame["score"].to_list() == [1, 0] * 3
    assert trials.notes[0].endswith(
        "compared is 'success_once', not 'return', 'success_at_end'; score='return' compares that"
    )
    partial = path.read_text().replace("return", "progress")
    assert sw.read_trials(files.text(path, partial)).frame["score"][0] == 0.5


def test_inner_lists_are_no_trials(tmp_path: Path) -> None:
    steps = [{"reward": 0.0, "t": t} for t in range(4)]
    rows = [
        {"policy": name, "success": bool(value), "actions": [[0.1, 0.2]], "steps": steps}
        for name, value in zip(OLD_NEW, RESULTS, strict=True)
    ]
    nested = sw.read_trials(files.text(tmp_path / "nested.json", json.dumps(rows)))
    assert nested.frame["score"].to_list() == RESULTS
    lines = [{"policy": n, "success": True, "rewards": [0, 0, 1]} for n in ("a", "b")]
    text = "\n".join(map(json.dumps, lines))
    assert len(sw.read_trials(files.text(tmp_path / "jr.jsonl", text))) == 2
    assert len(sw.read_trials(files.text(tmp_path / "jr.json", json.dumps(lines)))) == 2
    indices = {"task": "pick", "episodes": 20, "successes": 3, "success_episodes": [2, 3, 6]}
    path = files.text(tmp_path / "worker.json", json.dumps({"worker": 0, "tasks": [indices]}))
    with pytest.raises(sw.InvalidInput, match=r"sums up many trials \('successes', 'episodes'\)"):
        sw.read_trials(path)
    path = files.text(tmp_path / "agg.json", '{"old": 0.5, "new": 0.7}')
    with pytest.raises(sw.InvalidInput, match="one number for each"):
        sw.read_trials(path)


def test_a_header_that_recurs_is_no_trial(tmp_path: Path) -> None:
    half = table("policy,success", ["old"] * 5, won(5, 0.5))
    path = files.text(tmp_path / "cat.csv", half + half.replace("old", "new"))
    trials = sw.read_trials(path)

    assert trials.counts() == {("task", "old"): 5, ("task", "new"): 5}
    assert trials.notes[0].endswith("1 line repeats the header: left out")


@pytest.mark.parametrize("name", ["scene_seed", "init_state", "start pose", "thing"])
def test_starts_that_policies_share_are_blocks(tmp_path: Path, name: str) -> None:
    """Whatever the column is called, if its values do not merely count the trials."""
    starts = [f"x{i * 7 % 30}" if name == "thing" else 1000 + i for i in range(30) for _ in "ab"]
    path = files.text(tmp_path / "a.csv", table(f"policy,{name},success", OLD_NEW, starts, RESULTS))
    trials = sw.read_trials(path)

    assert sw.analyze(trials).design == "paired"
    assert next(own for own in trials.columns if own.name == name).role == "block"
    counting = path.read_text().replace(name, "nth") if name != "thing" else ""
    if counting:
        notes = sw.read_trials(files.text(path, counting)).notes
        assert any("'nth' numbers the trials" in note for note in notes)


def test_what_merely_counts_the_trials_is_no_block(tmp_path: Path) -> None:
    videos = [f"videos/ep_{i}.mp4" for i in range(30) for _ in "ab"]
    path = files.text(tmp_path / "a.csv", table("policy,video,success", OLD_NEW, videos, RESULTS))
    trials = sw.read_trials(path)

    assert sw.analyze(trials).design == "independent"
    assert any("'video' numbers the trials of each policy" in note for note in trials.notes)


def test_a_header_of_two_lines_is_refused(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", ",ACT,,DP,\ntrial,success,time,success,time\n0,1,9,0,8\n")
    with pytest.raises(sw.InvalidInput, match=r"line 2: .* look like a second line of headers"):
        sw.read_trials(path)
    files.text(path, "policy,result\nmodel,success\nagent,failure\nmodel,success\n")
    assert len(sw.read_trials(path)) == 3


def test_lines_about_a_run_are_no_trials(tmp_path: Path) -> None:
    rows = [{"policy": "ab"[i % 2], "success": bool(i % 3)} for i in range(10)]
    lines = [{"config": {"lr": 1}}, *rows, {"mean_success": 0.6}]
    trials = sw.read_trials(
        files.text(tmp_path / "a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    )
    assert len(trials) == 10
    assert trials.notes[0].endswith("line 1, line 12: no trial, but something about them; left out")


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


def shards(folder: Path, policy: str) -> list[dict[str, Any]]:
    rows = [
        {"task_name": "cup", "episode_idx": i, "success": bool(value)}
        for i, value in enumerate(won(40, 0.6))
    ]
    for name, own in [
        ("results", rows),
        *((f"rank_{rank}", rows[rank::4]) for rank in range(4)),
    ]:
        text = "".join(json.dumps(row) + "\n" for row in own)
        files.text(folder / policy / f"{name}.jsonl", text)
    return rows


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
        text = table("success,seconds", won(12, 0.5), range(12))
        files.text(tmp_path / name / "trials.csv", text)
        files.text(tmp_path / name / "summary.json", '{"success_rate": 0.5, "n_episodes": 12}')
        files.text(tmp_path / name / "config.json", '{"lr": 0.1, "layers": [1, 2]}')
        files.text(tmp_path / name / "model.safetensors", "\0\1")
    trials = sw.read_trials(tmp_path)

    assert trials.counts() == {("task", "new"): 12, ("task", "old"): 12}
    assert any("hold no trials: " in note and "config.json" in note for note in trials.notes)


def test_jobs_of_hydra_are_named_by_their_overrides(tmp_path: Path) -> None:
    for number, (policy, seed) in enumerate([(p, s) for p in ("act", "dp") for s in (1, 2)]):
        job = tmp_path / "multirun" / "2026-05-01" / str(number)
        files.text(job / ".hydra" / "overrides.yaml", f"- policy={policy}\n- seed={seed}\n")
        files.text(job / ".hydra" / "config.yaml", "policy: x\n")
        files.text(job / "eval_results.csv", table("success,seconds", won(8, 0.5), range(8)))
    trials = sw.read_trials(tmp_path / "multirun")

    assert trials.counts() == {("task", "act"): 16, ("task", "dp"): 16}
    assert trials.frame["seed"].unique().sort().to_list() == ["1", "2"]


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


def test_an_order_of_chance_stays() -> None:
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


def test_steps_that_stop_at_a_limit_are_lengths_of_episodes(tmp_path: Path) -> None:
    steps = [20, 25, 30, 35, 40, 300, 300, 300, 300, 300]
    path = files.text(
        tmp_path / "a.csv",
        table(
            "policy,episode,success,steps",
            "a" * 10 + "b" * 10,
            [*range(10)] * 2,
            won(20, 0.5),
            steps * 2,
        ),
    )
    assert len(sw.read_trials(path)) == 20
    with pytest.raises(sw.InvalidInput, match="as lengths of episodes do"):
        sw.read_trials(path, at="last")


def test_the_last_step_of_each_episode(tmp_path: Path) -> None:
    rows = [(p, e, t, int(t == 4 and e % 2)) for p in "ab" for e in range(6) for t in range(5)]
    path = files.text(
        tmp_path / "a.csv", table("policy,episode,t,reward", *zip(*rows, strict=True))
    )
    trials = sw.read_trials(path, at="last")
    assert trials.counts() == {("task", "a"): 6, ("task", "b"): 6}
    assert trials.frame["score"].sum() == 6


def test_circumstances_of_one_policy_each_are_told_first(tmp_path: Path) -> None:
    days = [f"2024-01-{i + 1:02}" for i in range(20)]
    content = table("day,policy,room,success", days, "a" * 10 + "b" * 10, "12" * 10, won(20, 0.5))
    path = files.text(tmp_path / "a.csv", content)
    assert sw.read_trials(path).notes[0].startswith("policy and 'day' cannot be told apart")
    mixed = table("day,policy,room,success", days, "ab" * 10, "1122" * 5, won(20, 0.5))
    assert not any("told apart" in note for note in sw.read_trials(files.text(path, mixed)).notes)


def test_words_of_success_add_to_those_understood(tmp_path: Path) -> None:
    words = ["yes", "ok_slow", "no", "1", "0", "slipped", ""]
    path = files.text(tmp_path / "a.csv", table("policy,result", "aabbaab", words))
    trials = sw.read_trials(path, success_word="ok_slow", missing="drop")
    assert trials.frame["score"].to_list() == [1, 1, 0, 1, 0, 0]
    assert trials.notes[0].endswith("counted as failures: 'slipped'")


def test_a_summary_in_a_folder_lacks_the_chosen_score(tmp_path: Path) -> None:
    for name in "ab":
        files.text(tmp_path / f"{name}.csv", table("success,grasp_score", [0, 1], [0.5, 1]))
    files.text(tmp_path / "metrics.json", '{"loss": 0.5}')
    assert len(sw.read_trials(tmp_path, score="grasp_score")) == 4
    files.text(tmp_path / "c.csv", "success\n1\n")
    with pytest.raises(sw.InvalidInput, match="no column 'grasp_score'"):
        sw.read_trials(tmp_path, score="grasp_score")


def test_names_of_keys_say_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    inner = {
        "act": {"task_0": [1, 0], "task_1": [0, 1]},
        "dp": {"task_0": [1, 1], "task_1": [0, 0]},
    }
    path.write_text(json.dumps(inner))
    assert sw.read_trials(path).policies == ("act", "dp")
    path.write_text(json.dumps({"seed_0": {"act": [1, 0], "dp": [0, 1]}, "seed_1": {"act": [1]}}))
    trials = sw.read_trials(path)
    assert trials.counts() == {("task", "act"): 3, ("task", "dp"): 2}
    assert trials.frame["seed"].n_unique() == 2


def test_words_sheets_and_rates_as_they_are_typed(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", "policy,result\na,grasped\nb,slipped\na,lost\n")
    trials = sw.read_trials(path, success_word="Grasped")
    assert trials.frame["score"].to_list() == [1, 0, 0]
    with pytest.raises(sw.InvalidInput, match="no 'result' is 'held'; the values are 'grasped'"):
        sw.read_trials(path, success_word="held")
    with pytest.raises(sw.InvalidInput, match="only workbooks have sheets"):
        sw.read_trials(path, sheet="one")
    files.text(path, "policy,n,success_rate\nold,500,43.9 %\nnew,500,50 %\n")
    with pytest.raises(sw.InvalidInput, match=r"43\.9 % of 500 trials is no whole number .*219\.5"):
        sw.compare(path)


def test_why_each_column_is_what_it_is(tmp_path: Path) -> None:
    path = files.text(tmp_path / "ckpt.csv", QUESTIONS["ckpt"][0])
    code, output = run("analyze", str(path), "--explain")

    assert code == 0
    assert "a usual name" in output
    assert "--where step=VALUE" in output
    columns = {own.name: own.role for own in sw.read_trials(path, at="last").columns}
    assert columns == {"policy": "policy", "step": "step", "success": "score"}


def test_files_may_be_named_on_the_command_line(tmp_path: Path) -> None:
    for name in ("a", "b"):
        files.text(tmp_path / f"{name}.csv", table("success,x", won(9, 0.5), range(9)))
    code, output = run("analyze", f"old={tmp_path / 'a.csv'}", f"new={tmp_path / 'b.csv'}")
    assert code == 0
    assert "new" in output
    code, output = run("watch", str(tmp_path / "absent"))
    assert (code, "no such file" in output) == (2, True)


def test_episodes_under_their_numbers_are_trials(tmp_path: Path) -> None:
    episodes = {f"scene{i}|{i}": {"success": i % 2, "spl": 0.5} for i in range(6)}
    path = files.text(tmp_path / "a.json", json.dumps(episodes))
    assert sw.read_trials(path).frame["score"].to_list() == [0, 1] * 3
    keys = {f"{kind}/sim_max_reward_{i}": i / 10 for kind in ("test", "train") for i in range(6)}
    files.text(path, json.dumps({"test/mean_score": 0.25, **keys}))
    with pytest.raises(sw.InvalidInput, match="differ in 'split'"):
        sw.read_trials(path)
    where = {"split": "test/sim_max_reward_"}
    assert sw.read_trials(path, where=where).frame["score"].to_list() == [i / 10 for i in range(6)]


def test_records_of_trials_come_before_other_lists(tmp_path: Path) -> None:
    prompts = [{"provider": "x", "metrics": {"score": 5}}]
    results = [{"provider": "x", "score": i % 2, "parts": [1, 1, 1]} for i in range(4)]
    tasks = [{"task": {"actions": [1, 2, 3]}}]
    content = {"tasks": tasks, "results": {"prompts": prompts, "results": results}}
    path = files.text(tmp_path / "a.json", json.dumps(content))
    assert sw.read_trials(path).frame["score"].to_list() == [0, 1] * 2
    records = {"progress": [4, 4], "records": [{"scores": {"score_route": i}} for i in range(4)]}
    files.text(path, json.dumps({"checkpoint": records}))
    with pytest.raises(
        sw.InvalidInput, match=r"no column looks like a score.*'scores.score_route'"
    ):
        sw.read_trials(path)


def test_ratings_of_one_trial_by_several_people_are_not_several_trials(tmp_path: Path) -> None:
    rows = [(v, p, r, (v + len(p)) % 2) for v in range(8) for p in ("a", "bb") for r in "xyz"]
    text = table("video_id,policy,rater,success", *zip(*rows, strict=True))
    path = files.text(tmp_path / "a.csv", text)
    with pytest.raises(sw.InvalidInput, match="differ in 'rater'"):
        sw.read_trials(path)
    assert len(sw.read_trials(path, where={"rater": "x"})) == 16


@pytest.mark.parametrize(
    ("line", "won"),
    [
        ("Episode 10 finished", None),
        ("[INFO] episode 3/20 done, success rate so far: 0.43", None),
        ("Episode 2 success rate: 1", None),
        ("Episode 9 - failed to grasp, success: True", 1),
        ("[Trial 12/50] failed", 0),
    ],
)
def test_lines_of_logs(line: str, won: int | None, tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.log", f"{line}\nEpisode 21: Success\nEpisode 22: Failure\n")
    found = sw.read_trials(path).frame["score"].to_list()
    assert found == ([1, 0] if won is None else [won, 1, 0])
