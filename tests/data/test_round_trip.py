"""Whatever trials are written in a format are read again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stopwise as sw
from tests.data import files, sheets

Rows = list[tuple[str, float]]
SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
ROWS = st.lists(
    st.tuples(st.sampled_from(["base", "new é", "x,y"]), SCORES), min_size=2, max_size=30
)
WON = st.lists(st.booleans(), min_size=2, max_size=30)
few = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def frame(rows: Rows) -> pl.DataFrame:
    policies, scores = zip(*rows, strict=True)
    return pl.DataFrame({"policy": policies, "note": [f"n{i}" for i in range(len(rows))],
                         "score": scores})  # fmt: skip


def csv(path: Path, rows: Rows) -> None:
    frame(rows).write_csv(path)


def tsv(path: Path, rows: Rows) -> None:
    frame(rows).write_csv(path, separator="\t")


def parquet(path: Path, rows: Rows) -> None:
    frame(rows).write_parquet(path)


def jsonl(path: Path, rows: Rows) -> None:
    frame(rows).write_ndjson(path)


def records(path: Path, rows: Rows) -> None:
    path.write_text(json.dumps(frame(rows).to_dicts(), indent=1))


def excel(path: Path, rows: Rows) -> None:
    sheets.excel(path.parent, one=[["policy", "score"], *map(list, rows)]).rename(path)


def named_arrays(path: Path, rows: Rows) -> None:
    by_policy: dict[str, Any] = {
        name: np.array([s for own, s in rows if own == name]) for name, _ in rows
    }
    np.savez(path, **by_policy)


TABLES: list[tuple[str, Callable[[Path, Rows], None]]] = [
    ("a.csv", csv), ("a.tsv", tsv), ("a.parquet", parquet), ("a.jsonl", jsonl),
    ("a.json", records), ("a.xlsx", excel), ("a.npz", named_arrays),
]  # fmt: skip


@pytest.mark.parametrize(("name", "write"), TABLES)
def test_tables(tmp_path: Path, name: str, write: Callable[[Path, Rows], None]) -> None:
    @few
    @given(ROWS)
    def check(rows: Rows) -> None:
        write(tmp_path / name, rows)
        found = sw.read_trials(tmp_path / name, bounds=(0, 1), columns={"task": None}).frame
        for policy in dict.fromkeys(own for own, _ in rows):
            scores = found.filter(policy=policy)["score"].to_list()
            wanted = [score for own, score in rows if own == policy]
            # Rows that could be in the order of completion are taken in another one.
            assert sorted(scores) == sorted(wanted)
            assert scores == wanted or len(wanted) > 10

    check()


def lerobot(won: list[bool]) -> Any:
    metrics = {"successes": won, "sum_rewards": [1.0] * len(won)}
    return {"per_task": [{"task_group": "a", "task_id": 0, "metrics": metrics}]}


def lerobot_older(won: list[bool]) -> Any:
    return {"per_episode": [{"episode_ix": i, "success": w} for i, w in enumerate(won)]}


def harness(won: list[bool]) -> Any:
    episodes = [{"episode_id": i, "metrics": {"success": w}} for i, w in enumerate(won)]
    return {"tasks": [{"task": "a", "episodes": episodes}]}


def lbm_eval(won: list[bool]) -> Any:
    own = [{"skill_type": "a", "scenario_index": i, "is_success": w} for i, w in enumerate(won)]
    return {"evaluations": own}


def tau_bench(won: list[bool]) -> Any:
    return [{"task_id": i, "reward": float(w), "traj": [], "trial": 0} for i, w in enumerate(won)]


def libero_log(won: list[bool]) -> str:
    return "Task: a\n" + "".join(f"Success: {w}\n" for w in won)


def groot_log(won: list[bool]) -> str:
    return f"results:  ('a', {won!r}, {{}})\n"


def episode_log(won: list[bool]) -> str:
    return "".join(f"Episode {i}: {'Success' if w else 'Failure'}\n" for i, w in enumerate(won))


def polaris(won: list[bool]) -> str:
    rows = "".join(f"{i},9,{w},{float(w)}\n" for i, w in enumerate(won))
    return f"episode,episode_length,success,progress\n{rows}"


def openpi_droid(won: list[bool]) -> str:
    rows = "".join(f"{i},{float(w)},9,video_{i}\n" for i, w in enumerate(won))
    return f",success,duration,video_filename\n{rows}"


def monitor(won: list[bool]) -> str:
    rows = "".join(f"{float(w)},9,{i}.5\n" for i, w in enumerate(won))
    return f'#{{"t_start": 1.5, "env_id": "a"}}\nr,l,t\n{rows}'


TOOLS = [lerobot, lerobot_older, harness, lbm_eval, tau_bench, libero_log, groot_log, episode_log,
         polaris, openpi_droid, monitor]  # fmt: skip


@pytest.mark.parametrize("write", TOOLS)
def test_files_of_tools(tmp_path: Path, write: Callable[[list[bool]], Any]) -> None:
    @few
    @given(WON)
    def check(won: list[bool]) -> None:
        content = write(won)
        whole = content if isinstance(content, str) else json.dumps(content, indent=1)
        path = files.text(tmp_path / "a.txt", whole)
        found = sw.read_trials(path).frame["score"].to_list()
        assert sorted(found) == sorted(map(float, won))
        assert found == list(map(float, won)) or won == sorted(won, reverse=True)

    check()
