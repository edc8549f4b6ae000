"""Small files in the exact shapes that users have, one writer per format."""

import json
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

Writer = Callable[[Path], Path]


def text(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def csv(folder: Path) -> Path:
    return text(
        folder / "results.csv",
        "task,policy,episode,score,success,session,timestamp,operator\n"
        "cup,base,0,0.5,0,s1,2026-01-02T10:00:00,ann\n"
        "cup,new,0,1,1,s1,2026-01-02T10:05:00,ann\n"
        "cup,base,1,0.25,0,s2,2026-01-02T10:10:00,bob\n"
        "cup,new,1,0.75,0,s2,2026-01-02T10:15:00,bob\n",
    )


def tsv(folder: Path) -> Path:
    return text(folder / "results.tsv", csv(folder).read_text().replace(",", "\t"))


def jsonl(folder: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {"policy": "base", "return": 3.5, "info": {"length": 7}},
        {"policy": "new", "return": 4},
        {"policy": "base", "return": 2.0},
    ]
    return text(folder / "log.jsonl", "\n".join(map(json.dumps, rows)) + "\n")


def parquet(folder: Path) -> Path:
    path = folder / "table.parquet"
    pl.DataFrame({"policy": ["base", "new"], "score": [0.5, 1.0]}).write_parquet(path)
    return path


def step_array(folder: Path) -> Path:
    path = folder / "step.npy"
    np.save(path, np.array([[0, 1], [1, 1], [0, 1]]))
    return path


def named_arrays(folder: Path) -> Path:
    path = folder / "scores.npz"
    np.savez(path, base=np.array([0.5, 0.25, 1.0]), new=np.array([1.0, 0.75]))
    return path


def lerobot(folder: Path) -> Path:
    metrics = {
        "sum_rewards": [3.0, float("nan")],
        "max_rewards": [1.0, 0.4],
        "successes": [True, False],
        "video_paths": ["a.mp4"],
    }
    others = {**metrics, "sum_rewards": [2.0, float("nan")]}
    entries = [
        {"task_group": "libero_10", "task_id": 3, "metrics": metrics},
        {"task_group": "libero_10", "task_id": 0, "metrics": others},
    ]
    info = {"per_task": entries, "per_group": {}, "overall": {"eval_s": float("nan")}}
    return text(folder / "eval_info.json", json.dumps(info, indent=2))


def lerobot_older(folder: Path) -> Path:
    episodes = [
        {
            "episode_ix": i,
            "sum_reward": 2.0 * i,
            "max_reward": 0.5,
            "success": i > 0,
            "seed": 1000 + i,
        }
        for i in range(3)
    ]
    info = {"per_episode": episodes, "aggregated": {"pc_success": float("nan")}}
    return text(folder / "eval_info.json", json.dumps(info, indent=2))


def race(folder: Path) -> Path:
    first = {"kind": "stopwise race", "version": 2, "on_error": "score:0"}
    episodes = [("new", 0, 0.75, None), ("new", 1, None, "lost"), ("base", 0, 0.5, None)]
    lines = [
        {**first, "race": {"design": "paired", "bounds": [0.0, 2.0]}},
        *({"policy": p, "row": r, "seed": 1, "score": s, "error": e} for p, r, s, e in episodes),
        {"resumed": 3, "on_error": "score:0.25"},
        {"policy": "base", "row": 1, "seed": 2, "score": 0.0, "error": None},
    ]
    return text(folder / "race.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


def sb3_monitor(folder: Path) -> Path:
    return text(
        folder / "0.monitor.csv",
        '#{"t_start": 1700000000.5, "env_id": "Hopper-v4"}\nr,l,t\n120.5,50,1.25\n-3.5,20,2.0\n',
    )


def sb3_evaluations(folder: Path) -> Path:
    path = folder / "evaluations.npz"
    np.savez(
        path,
        timesteps=np.array([1000, 2000]),
        results=np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]),
        ep_lengths=np.full((2, 3), 9),
        successes=np.array([[False, False, True], [True, False, True]]),
    )
    return path


def roboarena(folder: Path) -> Path:
    for session, new in (("s1", 0.9), ("s2", 0.6)):
        text(
            folder / "dump" / "evaluation_sessions" / session / "metadata.yaml",
            "preference: B\npolicies:\n"
            "  A: {policy_name: base, binary_success: 0, partial_success: 0.3, duration: 12.5}\n"
            f"  B: {{policy_name: new, binary_success: 1, partial_success: {new}, duration: 9}}\n"
            "  C: null\n",
        )
    return folder / "dump"


def openvla_libero(folder: Path) -> Path:
    return text(
        folder / "EVAL-libero_spatial-openvla.txt",
        "Task suite: libero_spatial\n\nTask: pick up the bowl\nStarting episode 1...\n"
        "Success: True\n# episodes completed so far: 1\n# successes: 1 (100.0%)\n"
        "\nTask: pick up the bowl\nSuccess: False\n"
        "INFO:root:Task: open the drawer\nINFO:root:Success: True | steps: 80\n"
        "Current total success rate: 0.66\n",
    )


def openpi_droid(folder: Path) -> Path:
    return text(
        folder / "eval_pi0.csv",
        ",success,duration,video_filename\n0,0.5,120,video_a\n1,0.01,300,video_b\n",
    )


def polaris(folder: Path) -> Path:
    return text(
        folder / "eval_results.csv",
        "episode,episode_length,success,progress\n0,120,False,0.5\n1,80,True,1.0\n",
    )


def vla_evaluation_harness(folder: Path) -> Path:
    episodes = [
        {
            "episode_id": 0,
            "metrics": {"success": True, "progress": 1.0},
            "steps": 9,
            "elapsed_sec": 2,
        },
        {
            "episode_id": 1,
            "metrics": {"success": False, "progress": 0.25},
            "steps": 30,
            "elapsed_sec": 6.5,
        },
        {
            "episode_id": 2,
            "metrics": {"success": False},
            "failure_reason": "timeout",
            "failure_detail": "no answer",
        },
    ]
    results = {
        "benchmark": "libero",
        "mode": "sync",
        "harness_version": "0.1.0",
        "created_at": "2026-01-02T10:00:00+00:00",
        "tasks": [{"task": "stack", "episodes": episodes, "num_episodes": 3, "num_errors": 1}],
        "config": {"params": {"seed": 7}},
        "metric_keys": {"success": "mean"},
    }
    return text(folder / "libero.json", json.dumps(results, indent=1))


def lbm_eval(folder: Path) -> Path:
    finished: dict[str, Any] = {"is_pending": False, "total_time": 12.5}
    evaluations: list[dict[str, Any]] = [
        {"scenario_index": 100, **finished, "is_success": True, "failure_message": None},
        {"scenario_index": 101, **finished, "is_success": False, "failure_message": "x"},
        {"scenario_index": 102, "is_pending": True, "total_time": None, "is_success": None},
    ]
    results = {
        "num_processes": 1,
        "num_requested_evaluations": 3,
        "num_evaluated": 2,
        "evaluations": [{"skill_type": "PutMug", **evaluation} for evaluation in evaluations],
    }
    return text(folder / "results-1.json", json.dumps(results, indent=1))


def json_records(folder: Path) -> Path:
    rows = [{"model": "base", "success": True}, {"model": "new", "success": False}]
    return text(folder / "runs.json", json.dumps(rows, indent=2))


def rliable(folder: Path) -> Path:
    path = folder / "atari.npz"
    np.savez(path, DQN=np.array([[0.5, 1.5], [0.25, 2.0]]), C51=np.array([[1.0, 3.0]]))
    return path


def lerobot_wrapped(folder: Path) -> Path:
    """What a script of one's own makes of it: the same content under a key, beside others."""
    path = lerobot(folder)
    content = {"policy": "act", "config": {"n": 2}, "eval_info": json.loads(path.read_text())}
    return text(path, json.dumps(content))


def excel_text(folder: Path) -> Path:
    """What Excel calls Unicode text: UTF-16 with tabs."""
    path = folder / "unicode.txt"
    path.write_bytes(tsv(folder).read_text().replace("\n", "\r\n").encode("utf-16"))
    return path


def old_mac(folder: Path) -> Path:
    path = folder / "mac.csv"
    path.write_bytes(csv(folder).read_bytes().replace(b"\n", b"\r"))
    return path


def titled(folder: Path) -> Path:
    title = "# made by hand\n# 2 May 2026\n\nResults of May,,,,,,,\n"
    return text(folder / "titled.csv", title + csv(folder).read_text())


def openpi_libero(folder: Path) -> Path:
    """What examples/libero/main.py logs: a line break before each task."""
    return text(
        folder / "pi0.log",
        "INFO:root:Task suite: libero_spatial\nINFO:root:\nTask: pick up the bowl\n"
        "INFO:root:Starting episode 1...\nINFO:root:Success: True\n"
        "INFO:root:# episodes completed so far: 1\nINFO:root:# successes: 1 (100.0%)\n"
        "INFO:root:\nTask: pick up the bowl\nINFO:root:Success: False\n"
        "INFO:root:Current task success rate: 0.5\nINFO:root:Total success rate: 0.5\n",
    )


def isaac_groot(folder: Path) -> Path:
    """What rollout_policy.py prints: episodes in the order in which they were completed."""
    return text(
        folder / "gr00t.log",
        "Running collecting 3 episodes for gr1_unified/PnP_Env with 8 vec envs\n"
        "Episodes: 100%|####| 3/3 [00:12<00:00]\nCollecting 3 episodes took 12.5 seconds\n"
        "Video saved to:  /tmp/videos\n"
        "results:  ('gr1_unified/PnP_Env', [True, False, np.True_], "
        "{'task_progress': [np.float64(1.0), 0.5, 1.0]})\nsuccess rate:  0.6666\n",
    )


def episode_log(folder: Path) -> Path:
    return text(
        folder / "run.log",
        "loading checkpoint\n[12:00:01] Episode 1: Success (steps: 80)\n"
        "[12:01:07] Episode 2: Failure\n[12:02:11] Episode 3: Success\nSuccess rate: 66.7%\n",
    )


def tau_bench(folder: Path) -> Path:
    """A flat list: each task, and each of its trials, with the whole trajectory."""
    rows = [
        {
            "task_id": task,
            "reward": reward,
            "info": {"task": {"user_id": "x"}, "reward_info": {"reward": reward, "info": {}}},
            "traj": [{"role": "user", "content": "hello"}],
            "trial": trial,
        }
        for trial, rewards in enumerate(([1.0, 0.0], [1.0, 0.0]))
        for task, reward in enumerate(rewards)
    ]
    return text(folder / "tool-calling-gpt-4o.json", json.dumps(rows, indent=2))


def vla_eval_recording(folder: Path) -> Path:
    path = folder / "recording-3f2a.sqlite"
    rows = [
        ("s", "e0", "run", "stack", 0, "success", '{"success": true, "progress": 1.0}', None),
        ("s", "e1", "run", "stack", 1, "fail", '{"success": false, "progress": 0.5}', None),
        ("s", "e2", "run", "stack", 2, "error", "{}", "timeout"),
    ]
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE episode_results (sid TEXT NOT NULL, eid TEXT NOT NULL, eval_id TEXT NOT "
            "NULL, task_name TEXT, episode_id INTEGER, status TEXT, metrics TEXT, steps INTEGER, "
            "elapsed_sec REAL, context TEXT, jsonl_path TEXT, failure_reason TEXT, failure_detail "
            "TEXT, PRIMARY KEY (sid, eid))"
        )
        database.executemany(
            "INSERT INTO episode_results VALUES (?, ?, ?, ?, ?, ?, ?, 9, 1.5, '{}', '', ?, '')",
            rows,
        )
    return path


def inspect_log(folder: Path) -> Path:
    """As inspect_ai itself writes a log: an archive with each sample, and a summary of all."""
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalSample,
        EvalSpec,
        write_eval_log,
    )
    from inspect_ai.scorer import Score

    path = folder / "quiz.eval"
    folder.mkdir(parents=True, exist_ok=True)
    about = EvalSpec(
        created="2026-05-01T10:00:00+00:00",
        task="quiz",
        dataset=EvalDataset(),
        model="openai/gpt",
        config=EvalConfig(),
    )
    samples = [
        EvalSample(
            id=name, epoch=epoch, input="?", target="x", scores={"match": Score(value=value)}
        )
        for name, epoch, value in (("q0", 1, "C"), ("q1", 1, "I"), ("q0", 2, "I"), ("q1", 2, "C"))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_eval_log(EvalLog(eval=about, samples=samples, status="success"), str(path))
    return path


def lerobot_deeper(folder: Path) -> Path:
    """Records per episode below each task."""
    episodes = [
        {"episode_ix": i, "sum_reward": 2.0 * i, "max_reward": 0.5, "success": i > 0, "seed": 7 + i}
        for i in range(3)
    ]
    metrics = {"per_episode": episodes, "aggregated": {"pc_success": 66.7}}
    task = {"task_group": "libero_10", "task_id": 3, "metrics": metrics}
    info = {"per_task": [task], "overall": {"pc_success": 66.7, "n_episodes": 3}}
    return text(folder / "eval_info.json", json.dumps({"libero": info}, indent=2))
