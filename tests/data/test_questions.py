"""What a file leaves open is a question, and what is no table of trials is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from tests.cli.typed import run
from tests.data import files

RNG = np.random.default_rng(7)


def table(header: str, *columns: Any) -> str:
    rows = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    return "\n".join([header, *rows]) + "\n"


def objects(*records: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, records)) + "\n"


def won(n: int, rate: float) -> list[int]:
    return [int(value) for value in RNG.random(n) < rate]


OLD_NEW = ["old", "new"] * 30
RESULTS = won(60, 0.6)
# Twenty questions, each asked of two.
NUMBERS, TWO, HALF = sorted([*range(20)] * 2), ["old", "new"] * 20, sorted([0, 1] * 20)
ONE_EACH = {key: dict(enumerate([1, 0, 0, 1, 1])) for key in "ab"}
LEVELS = [float(n) for n in (10, 60, 20, 70, 30, 25, 65)]
AS_RATES = "as in a table of means or rates"

QUESTIONS: dict[str, tuple[str, str]] = {
    # What a row means.
    "ckpt.csv": (
        table("policy,step,success", OLD_NEW, range(0, 60_000, 1000), RESULTS),
        r"differ in 'step' .*where=.*at='last'.*'ignore': 'step'",
    ),
    "algo_ckpt.csv": (
        table("algo,checkpoint,success", OLD_NEW, [10] * 20 + [50] * 40, RESULTS),
        r"differ in 'checkpoint' \('10', '50'\)",
    ),
    "curve.csv": (
        table("step,reward,seed", [*range(0, 300, 10)] * 2, range(60), [1] * 30 + [2] * 30),
        "differ in 'step'",
    ),
    "progress.csv": (
        table(
            "rollout/success_rate,time/total_timesteps",
            [round(i / 40, 3) for i in range(20)],
            range(0, 40960, 2048),
        ),
        "differ in 'time/total_timesteps'",
    ),
    "clock_of_runs.csv": (
        table(
            "algorithm,run,wall_time,reward",
            [*"x" * 20, *"y" * 20],
            ([1] * 10 + [2] * 10) * 2,
            [10.5 * i for i in range(10)] * 4,
            [*range(10)] * 4,
        ),
        r"differ in 'wall_time' .*columns=\{'step': 'wall_time'\} with at='last' the last",
    ),
    "phase.csv": (
        table("policy,phase,success", OLD_NEW, ["test", "train", "train"] * 20, RESULTS),
        r"differ in 'phase' .*'block': 'phase'",
    ),
    "valid.csv": (
        table("policy,success,valid", OLD_NEW, RESULTS, [1, 1, 0] * 20),
        "differ in 'valid'",
    ),
    "blocks.csv": (
        table(
            "Policy,Model #,Success",
            ["act"] * 30 + ["dp"] * 30,
            [f"m{i // 10}" for i in range(60)],
            RESULTS,
        ),
        r"differ in 'Model #' .*'seed': 'Model #'",
    ),
    "timesteps.csv": (
        table(
            "policy,episode,t,reward",
            ["a"] * 20 + ["b"] * 20,
            sorted([0, 1] * 10) * 2,
            [*range(10)] * 4,
            won(40, 0.2),
        ),
        "differ in 't'|already appears at",
    ),
    "subtasks.csv": (
        table(
            "policy,trial,part,success", ["a"] * 10, sorted([*range(5)] * 2), "xy" * 5, [0, 1] * 5
        ),
        r"already appears at line .* if these are parts of one trial, where= reads one",
    ),
    "scorers.csv": (
        table("model,doc_id,scorer,correct", HALF[12:28], NUMBERS[:8] * 2, "xy" * 8, [0, 1] * 8),
        "differ in 'scorer'",
    ),
    "prompts.csv": (
        table("question,prompt,correct", NUMBERS, TWO, HALF),
        r"differ in 'prompt' .*columns=\{'policy': 'prompt'\} makes each a policy",
    ),
    **{
        f"ratings_{rater}.csv": (
            table(
                f"video_id,policy,{rater},success",
                sorted([*range(8)] * 6),
                ["a", "a", "a", "b", "b", "b"] * 8,
                "xyz" * 16,
                [0, 1, 1] * 16,
            ),
            f"differ in '{rater}'",
        )
        for rater in ("rater", "judge_id")
    },
    "retries.csv": (
        table(
            "task,agent,attempt,resolved",
            [f"t{i}" for i in range(20) for _ in range(1 + i % 2)],
            [("old", "new")[i // 2 % 2] for i in range(20) for _ in range(1 + i % 2)],
            [k for i in range(20) for k in (1, 2)[: 1 + i % 2]],
            [int(k > i % 2) for i in range(20) for k in (1, 2)[: 1 + i % 2]],
        ),
        r"differ in 'attempt' \('1', '2'\)",
    ),
    "checkpoints_of_runs.csv": (
        table("ckpt_id,run_id,success", [*"ccccdddd"] * 2, ["1", "2"] * 8, [0, 1, 1, 0] * 4),
        "each training run in 'run_id' has several checkpoints in 'ckpt_id'",
    ),
    "evaluations_by_step.json": (
        json.dumps({p: {f"step_{i}": [0, 1, 1] for i in (100, 200)} for p in "ab"}),
        r"differ in 'step' \('step_100', 'step_200'\)",
    ),
    "checkpoints_above.json": (
        json.dumps(
            [{"step": i, "episodes": [{"success": k % 2} for k in range(6)]} for i in (1, 2)]
        ),
        r"differ in 'step' \('1', '2'\)",
    ),
    # Which column is the score.
    "two_outcomes.csv": (
        table("policy,grasp_score,success", OLD_NEW, RNG.random(60), RESULTS),
        "'success' and 'grasp_score' may be what is to be compared",
    ),
    "two_winners.csv": (
        table("model_1,model_2,g1_winner,g2_winner", "xx", "yy", ["tie"] * 2, ["tie"] * 2),
        "'g1_winner', 'g2_winner' may say which was preferred",
    ),
    "chart.csv": (
        "Step,a - eval/success,a - eval/success__MIN,b - eval/success\n0,0.1,0,0.2\n9,0.4,0,0.3\n",
        "'a - eval/success', 'b - eval/success' hold one measure, .* melt",
    ),
    "numbers_anew.csv": (
        table("Versuch,Erfolg", [*range(10)] * 2, [0, 1] * 10),
        "no column looks like a score",
    ),
    "long.csv": (
        table("policy,metric,value", TWO, ["success"] * 40, HALF),
        r"perhaps 'value'.*where=\{'metric': \.\.\.\} reads one measure",
    ),
    "bins.csv": ('task,milestone_bins\ncup,"[0., 0.5, 1.]"\n', "no column looks like a score"),
    "lengths.json": (
        json.dumps(
            {p: {"episode_rewards": [[0, 1]] * 3, "episode_lengths": [2] * 3} for p in "ab"}
        ),
        "no column looks like a score",
    ),
    "scores_within.json": (
        json.dumps({"run": {"n": [4, 4], "records": [{"scores": {"score_route": 1}}] * 4}}),
        r"no column looks like a score.*'scores.score_route'",
    ),
    **{
        f"names_of_lists.{kind}": (
            write(*({"name": name, "scores": [1, 0, 1]} for name in ("old", "new"))),
            r"stand under 'old', 'new': .*\{'policy': 'name'\}",
        )
        for kind, write in (("json", lambda *records: json.dumps(records)), ("jsonl", objects))
    },
    "names_of_runs.json": (
        json.dumps([{"name": name, "episodes": [{"success": 1}] * 3} for name in ("old", "new")]),
        r"stand under 'old', 'new': .*\{'policy': 'name'\}",
    ),
    "step_rewards.json": (
        json.dumps({"episodes": [{"rewards": [0, 0, i % 2], "length": 3} for i in range(9)]}),
        r"differ in 'list' .*'seed': 'list'",
    ),
    "samples.jsonl": (
        objects(*({"model": name, "id": i // 2, "scores": [1, 0]} for i, name in enumerate(TWO))),
        r"differ in 'list' .*'block': \.\.\.\} names",
    ),
    "episodes_as_names.json": (
        json.dumps({f"episode_{i}": [0, 0, i % 2] for i in range(5)}),
        r"differ in 'list' .*'seed': 'list'",
    ),
    "curves_without_steps.json": (
        json.dumps([{"seed": i, "returns": [0.1, 0.3, 0.2, 0.5, 0.6, 0.9, 0.8, 1]} for i in "123"]),
        r"training runs in 'seed' rise from row to row.*\{'step': \.\.\.\}.*\{'seed': 'seed'\}",
    ),
    "keys.json": (json.dumps(ONE_EACH), r"stand under 'a', 'b': .*\{'policy': 'key1'\}"),
    "splits.json": (
        json.dumps({f"{kind}/max_reward_{i}": i / 10 for kind in ("test", "x") for i in range(6)}),
        "differ in 'split'",
    ),
    # Values.
    "blankfail.csv": (
        table("policy,success", OLD_NEW, ["1" if value else "" for value in RESULTS]),
        r"missing here and in \d+ more rows; all others are 1, .* missing='fail' counts them so$",
    ),
    "some_missing.csv": (
        table("policy,success", OLD_NEW, ["", *RESULTS[1:]]),
        r"line 2, .*missing='drop' leaves .*missing='fail' counts",
    ),
    "dashes.csv": (
        table("policy,success", TWO, ["1-0"[i % 3] for i in range(40)]),
        r"the score is missing here .*missing='drop'",
    ),
    "other_words.csv": (
        table("policy,outcome", TWO, ["success", "timeout"] * 20),
        "got 'timeout'; if it is a failure, success_word='success' counts all other words",
    ),
    "other_words.log": (
        "Trial 1 result: success\nTrial 2 result: timeout\nTrial 3 result: success\n",
        "line 2: 'timeout' says neither success nor failure of episode 2",
    ),
    "sentinel.csv": (
        table("policy,success", OLD_NEW, [-1, *RESULTS[1:]]),
        r"line 2: column 'success': -1 stands among 0 and 1: .*declare bounds=",
    ),
    "pct_mixed.csv": (
        table("policy,success rate", OLD_NEW[:6], [0.5, 75, 0.25, 100, 1, 50]),
        "seems to mix parts of 1 and percentages",
    ),
    # Rows and tables that sum up trials.
    "total.csv": (
        table("policy,success", [*OLD_NEW, "Average"], [*RESULTS, 0.6]),
        r"line 62: 'Average' in column 'policy' seems to sum up",
    ),
    "of_scenes.csv": (
        table("policy,scene,progress", "aabb", ["s1", "final_score"] * 2, [0.2, 0.6, 0.4, 0.5]),
        r"line 3: 'final_score' in column 'scene' seems to sum up other rows",
    ),
    "of_objects.csv": (
        table(
            "policy,Object,progress",
            ["a"] * 8 + ["b"] * 8,
            [*"stuvwxy", "Average"] * 2,
            [0.2, 0.6] * 8,
        ),
        r"line 9: 'Average' in column 'Object' seems to sum up other rows",
    ),
    "mean_last.csv": (
        table(
            "policy,progress",
            ["a"] * 8 + ["b"] * 8,
            [
                *(0.2, 0.61, 0.4, 0.8, 0.33, 0.52, 0.71, 0.51),
                *(0.9, 0.7, 0.3, 0.45, 0.81, 0.64, 0.77, 0.653),
            ],
        ),
        r"line 9: the score of 'a' sums up the others",
    ),
    "word_as_number.csv": (
        table("trial,old,new", [*range(10), "SR"], [*[0, 1] * 5, 0.5], [*[1, 1] * 5, 1]),
        r"line 12: 'SR' in column 'trial' seems to sum up other rows",
    ),
    "summary_line.jsonl": (
        objects(
            *({"type": "episode", "policy": n, "success": i % 2} for i, n in enumerate(TWO)),
            {"type": "summary", "policy": "new", "success": 0.5},
        ),
        "'summary' in column 'type' seems to sum up other rows",
    ),
    **{
        f"wide_{kind}.csv": (
            table("Dataset,BC,CQL", [*"abcdef4", "T"], [*LEVELS, last], [*LEVELS[::-1], last]),
            f"the last row holds the {kind} of the others",
        )
        for kind, last in (("mean", sum(LEVELS) / 7), ("sum", sum(LEVELS)))
    },
    "crashed.json": (
        json.dumps([{"policy": "old", "success": True}, {"policy": "new", "error": "crashed"}]),
        r"\[1\], column 'success': the score is missing",
    ),
    **{
        f"crashed_{kind}.json": (
            json.dumps(
                {
                    f"{i}" if kind == "numbers" else f"scene {'abcdef'[i]}": {"policy": "ab"[i % 2]}
                    | ({"success": True} if i < 3 else {"error": "x"})
                    for i in range(6)
                }
            ),
            "column 'success': the score is missing here and in 2 more rows",
        )
        for kind in ("numbers", "scenes")
    },
    "crashed_by_number.json": (
        json.dumps(
            {p: {"ep_0": {"success": True}, "ep_1": {"error": "x"}, "ep_2": None} for p in "ab"}
        ),
        r"a\.ep_1, column 'success': the score is missing here and in 3 more rows",
    ),
    "null_in_a_list.json": (
        json.dumps({"a": [1, 0, None], "b": [1, 0, 1]}),
        r"a\[2\], column 'score': the score is missing",
    ),
    "side_by_side.json": (
        json.dumps([{"trial": i, "a": {"success": i}, "b": {"success": 1}} for i in (0, 1)]),
        r"'a.success', 'b.success' hold one measure, .*policies=",
    ),
    "mlflow.csv": (
        "metrics.sr,metrics.n,params.policy\n0.6,50,a\n0.8,50,b\n",
        r"each row sums up many trials \('metrics.sr', 'metrics.n'\)",
    ),
    "last_is_mean.csv": (
        table("policy,success", ["old"] * 10 + ["new"] * 11, [*[0, 1] * 10, 0.5]),
        r"line 22: the score of 'new' sums up the others",
    ),
    "running.csv": (
        table("trial,success_rate", range(1, 13), [round(i // 2 / i, 3) for i in range(1, 13)]),
        "holds rates of all trials so far",
    ),
    "stats.csv": (
        "policy,score,std,count\npi0_droid,0.46,0.41,311\npi0_fast_droid,0.61,0.4,310\n",
        r"each row sums up many trials .*a row each; .* the columns are '",
    ),
    "percent.csv": ("policy,success rate\nbase,83 %\nnew,92 %\n", "each row sums up many trials"),
    "worker.json": (
        json.dumps(
            {"tasks": [{"task": "a", "episodes": 20, "successes": 2, "success_at": [2, 3]}]}
        ),
        r"sums up many trials \('successes', 'episodes'\)",
    ),
    "rates_beside_lists.json": (
        json.dumps({t: {"success_rate": 0.5, "progress_score": [0.5, 1, 0.25]} for t in "xy"}),
        "each row sums up many trials",
    ),
    "agg.json": ('{"old": 0.5, "new": 0.7}', "one number for each"),
    # Columns that are hardly policies.
    "training.csv": ("step,loss,accuracy_a\n0,2.5,0.1\n9,1.5,0.3\n20,1.0,0.2\n", "'step' sounds"),
    "headerless.csv": ("0.5,0.7\n0.25,0.75\n", "the first line holds the number '0.5'"),
    "two_headers.csv": (
        ",ACT,,DP,\ntrial,success,time,success,time\n0,1,9,0,8\n",
        r"policies=\['ACT success', 'DP success'\]$",
    ),
    "sizes.csv": ("base,reach\n0.5,830\n0.25,910\n", "'reach' goes up to 910, but 'base' only to"),
    "means.csv": (
        "task,base,new\ncup,0.4,0.6\nmug,0.3,0.9\n",
        f"each 'task' has one row, {AS_RATES}",
    ),
    "games.csv": (
        "Game,DQN,Rainbow\nPong,0.5,0.3\nGo,0.1,1.5\n",
        f"each 'Game' has one row, {AS_RATES}",
    ),
    "clock.csv": ("base,at\n0,1.5\n1,2.5\n0,4\n1,5\n1,6.5\n", "'at' rises from row to row"),
    "german.csv": (
        table("Versuch,Methode,Erfolg,Sekunden", NUMBERS, TWO, ["ja"] * 40, [1.5] * 40),
        r"'Versuch' rises from row to row.* the policies with columns=\{'policy': 'Methode'\}",
    ),
    "measures.csv": (
        table("planner,map,collisions,reached_goal", TWO, ["lab"] * 40, HALF, [1] * 40),
        r"'collisions' sounds like what came of a trial.*\{'policy': 'planner'\}",
    ),
    "sides_of_measures.csv": (
        table(
            "seed,base_success,ours_success,base_hard_success,ours_hard_success,ours_time",
            *([*range(9)], [i % 2 for i in range(9)], [1] * 9, HALF[:9], [0] * 9, [26.5] * 9),
        ),
        r"policies=\['base_success', 'ours_success'\]$",
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_open_is_a_question(tmp_path: Path, name: str) -> None:
    content, question = QUESTIONS[name]
    path = files.text(tmp_path / name, content)

    with pytest.raises(sw.InvalidInput, match=question) as caught:
        sw.read_trials(path)
    assert len(str(caught.value)) <= 500
    code, output = run("analyze", str(path))
    assert code == 2
    assert all(len(line) <= 500 for line in output.splitlines())


@pytest.mark.parametrize(
    ("name", "answer", "trials"),
    [
        ("ckpt.csv", {"columns": {"ignore": "step"}}, 60),
        ("ckpt.csv", {"where": {"step": [0, "1000"]}}, 2),
        ("ckpt.csv", {"at": 0, "columns": {"policy": None}, "policy": "x"}, 1),
        ("algo_ckpt.csv", {"where": ["checkpoint=50"]}, 40),
        ("algo_ckpt.csv", {"at": "last"}, 40),
        ("curve.csv", {"at": "last"}, 2),
        ("phase.csv", {"where": {"phase": "test"}}, 20),
        ("phase.csv", {"columns": {"block": "phase"}}, 60),
        ("blocks.csv", {"columns": {"seed": "Model #"}}, 60),
        ("ratings_rater.csv", {"where": {"rater": "x"}}, 16),
        ("splits.json", {"where": {"split": "test/max_reward_"}}, 6),
        ("keys.json", {"columns": {"policy": "key1"}}, 10),
        ("keys.json", {"columns": {"task": "key1"}}, 10),
        ("blankfail.csv", {"missing": "fail"}, 60),
        ("some_missing.csv", {"missing": "drop"}, 59),
        ("some_missing.csv", {"missing": "fail"}, 60),
        ("means.csv", {"policies": ["base", "new"]}, 4),
    ],
)
def test_an_answer_is_taken(tmp_path: Path, name: str, answer: dict[str, Any], trials: int) -> None:
    path = files.text(tmp_path / name, QUESTIONS[name][0])
    assert len(sw.read_trials(path, **answer)) == trials


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("valid.csv", {"where": {"valid": True}}, "no row has valid = true; the values are '1'"),
        ("curve.csv", {"at": 5}, "a training run has no step 5"),
        ("curve.csv", {"at": "x"}, "at must be last, best, auc or a step, but got 'x'"),
        ("ckpt.csv", {"at": "best"}, "'seed': "),
        ("other_words.csv", {"success_word": "held"}, "no 'outcome' is 'held'; the values are 's"),
        ("other_words.csv", {"sheet": "one"}, "only workbooks have sheets"),
        (
            "clock.csv",
            {"policies": ["base", "x"]},
            r"no column 'x', which policies=.* 'base', 'at'",
        ),
        ("clock.csv", {"policies": ["at", "at"]}, "must name columns, each once"),
        ("clock.csv", {"policies": ["base"], "score": "at"}, "there is no other column of scores"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    tmp_path: Path, name: str, answer: dict[str, Any], message: str
) -> None:
    path = files.text(tmp_path / name, QUESTIONS[name][0])
    with pytest.raises(sw.InvalidInput, match=message):
        sw.read_trials(path, **answer)


def test_rows_that_sum_up_one_policy_each_are_found_under_any_name_of_policies(
    tmp_path: Path,
) -> None:
    path = files.text(
        tmp_path / "x.csv", QUESTIONS["of_scenes.csv"][0].replace("policy", "planner")
    )
    with pytest.raises(sw.InvalidInput, match="'final_score' in column 'scene' seems to sum up"):
        sw.read_trials(path, columns={"policy": "planner"})


COUNTS = {
    "three": "policy,trials,successes,success_rate\na,20,4,0.2\nb,20,17,0.85\nc,18,9,0.5\n",
    "shares": "policy,episodes,success,reward_mean\na,20,0.2,1.5\nb,20,0.85,3\nc,18,0.5,2.5\n",
    "cells": "policy,result\na,4/20\nb,17/20\nc,9/18\n",
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_offered_as_counts(tmp_path: Path, name: str) -> None:
    path = files.text(tmp_path / "counts.csv", COUNTS[name])

    with pytest.raises(sw.InvalidInput, match=r"stopwise compare .*counts\.csv`"):
        sw.read_trials(path)
    found: Any = sw.compare(path)
    assert found.order_text == "b > a; b undecided against c; c undecided against a"
    assert [(p.name, p.successes, p.n, p.letters) for p in found.policies] == [
        ("b", 17, 20, "a"),
        ("c", 9, 18, "ab"),
        ("a", 4, 20, "b"),
    ]
    code, output = run("compare", str(path))
    assert code == 0
    assert "b > a; b undecided against c; c undecided against a (Barnard's exact" in " ".join(
        output.split()
    )


def test_a_rate_that_its_number_cannot_give_is_told(tmp_path: Path) -> None:
    content = "policy,n,success_rate\nold,500,43.9 %\nnew,500,50 %\n"
    with pytest.raises(sw.InvalidInput, match=r"43\.9 % of 500 trials is no whole number .*219\.5"):
        sw.compare(files.text(tmp_path / "a.csv", content))
    percent = files.text(tmp_path / "b.csv", "policy,n,success_rate\na,500,44\nb,500,52\n")
    whole: Any = sw.compare(percent)
    assert [policy.successes for policy in whole.policies] == [260, 220]


def test_why_each_column_is_what_it_is(tmp_path: Path) -> None:
    path = files.text(tmp_path / "ckpt.csv", QUESTIONS["ckpt.csv"][0])
    code, output = run("analyze", str(path), "--explain")

    assert code == 0
    assert "a usual name" in output
    assert "--where step=VALUE" in output
    columns = {own.name: own.role for own in sw.read_trials(path, at="last").columns}
    assert columns == {"policy": "policy", "step": "step", "success": "score"}


def folders(root: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        text = table("success", [(i * number) % 3 % 2 for i in range(6)])
        files.text(root / name, text)
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
    trials = sw.read_trials(source, columns={"policy": "file", "task": "folder"})
    assert {*trials.tasks} == {name.split("/")[0] for name in names}


def test_files_whose_scores_are_of_several_kinds_are_asked_about(tmp_path: Path) -> None:
    one = files.text(tmp_path / "a.csv", "episode,success\n0,1\n")
    other = files.text(tmp_path / "b.csv", "episode,success,score\n0,1,0.5\n")

    with pytest.raises(sw.InvalidInput, match=r"'success' in .*a\.csv and 'score' in .*b\.csv"):
        sw.read_trials([one, other])
    assert len(sw.read_trials([one, other], score="success")) == 2


def test_arrays_that_are_no_columns_of_policies_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "runs_by_tasks.npy", np.zeros((5, 26)))
    with pytest.raises(sw.InvalidInput, match=r"there are 26 columns and 5 rows: .*np\.savez"):
        sw.read_trials(tmp_path / "runs_by_tasks.npy")
    np.savez(tmp_path / "curves.npz", a=np.zeros((2, 3, 4)))
    with pytest.raises(sw.InvalidInput, match="take one point of each"):
        sw.read_trials(tmp_path / "curves.npz")
    with pytest.raises(sw.InvalidInput, match="as the steps of learning curves do"):
        sw.read_trials({"a": [[1, 2, 3, 4, 5]], "b": [[2, 3, 5, 6, 9], [1, 3, 4, 5, 6]]})
    noisy = np.linspace(0, 1, 30) + RNG.normal(0, 0.2, (2, 5, 30))
    with pytest.raises(sw.InvalidInput, match="as the steps of learning curves do"):
        sw.read_trials(dict(zip("ab", noisy, strict=True)))


def test_lists_that_a_column_tells_apart_are_of_its_blocks(tmp_path: Path) -> None:
    path = files.text(tmp_path / "samples.jsonl", QUESTIONS["samples.jsonl"][0])
    trials = sw.read_trials(path, columns={"block": "id"})

    assert (len(trials), trials.frame["block"].n_unique()) == (80, 20)


def test_arrays_of_the_same_names_in_several_files_are_asked_about(tmp_path: Path) -> None:
    for name in "ab":
        files.text(tmp_path / f"{name}.json", '{"reach": [0, 1, 0], "push": [1, 1, 0]}')

    with pytest.raises(sw.InvalidInput, match="files holds scores of 'push', 'reach': say what"):
        sw.read_trials(tmp_path)
    trials = sw.read_trials(tmp_path, columns={"policy": "file", "task": "policy"})
    assert (trials.policies, trials.tasks) == (("a", "b"), ("reach", "push"))
    assert len(sw.read_trials(tmp_path, columns={"ignore": "file"})) == 12
