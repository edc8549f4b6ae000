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
    notes = [f"n{i}" for i in range(len(rows))]
    return pl.DataFrame({"policy": policies, "note": notes, "score": scores})


def excel(path: Path, rows: Rows) -> None:
    sheets.excel(path.parent, one=[["policy", "score"], *map(list, rows)]).rename(path)


def named_arrays(path: Path, rows: Rows) -> None:
    scores: dict[str, list[float]] = {}
    for name, score in rows:
        scores.setdefault(name, []).append(score)
    arrays: dict[str, Any] = {name: np.array(values) for name, values in scores.items()}
    np.savez(path, **arrays)


TABLES: dict[str, Callable[[Path, Rows], Any]] = {
    "a.csv": lambda path, rows: frame(rows).write_csv(path),
    "a.tsv": lambda path, rows: frame(rows).write_csv(path, separator="\t"),
    "a.parquet": lambda path, rows: frame(rows).write_parquet(path),
    "a.jsonl": lambda path, rows: frame(rows).write_ndjson(path),
    "a.json": lambda path, rows: path.write_text(json.dumps(frame(rows).to_dicts(), indent=1)),
    "a.xlsx": excel,
    "a.npz": named_arrays,
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(tmp_path: Path, name: str) -> None:
    @few
    @given(ROWS)
    def check(rows: Rows) -> None:
        TABLES[name](tmp_path / name, rows)
        trials = sw.read_trials(tmp_path / name, bounds=(0, 1), columns={"task": None}).frame
        for policy in dict.fromkeys(name for name, _ in rows):
            scores = trials.filter(policy=policy)["score"].to_list()
            wanted = [score for name, score in rows if name == policy]
            # Rows that could be in the order of completion are taken in another one.
            assert sorted(scores) == sorted(wanted)
            assert scores == wanted or len(wanted) > 10

    check()


def each(won: list[bool], number: str, **measures: Any) -> list[dict[str, Any]]:
    """Return a record per trial; a measure that is a function is of the outcome."""
    return [
        {number: i} | {name: of(value) if callable(of) else of for name, of in measures.items()}
        for i, value in enumerate(won)
    ]


def lines(header: str, won: list[bool], line: str) -> str:
    """Return a text with a line per trial."""
    return header + "".join(
        line.format(i=i, won=value, score=float(value), word="Success" if value else "Failure")
        for i, value in enumerate(won)
    )


TOOLS: dict[str, Callable[[list[bool]], Any]] = {
    "lerobot": lambda won: {
        "per_task": [{"task_group": "a", "task_id": 0, "metrics": {"successes": won}}]
    },
    "lerobot_older": lambda won: {"per_episode": each(won, "episode_ix", success=bool)},
    "harness": lambda won: {
        "tasks": [
            {"task": "a", "episodes": each(won, "episode_id", metrics=lambda own: {"success": own})}
        ]
    },
    "lbm_eval": lambda won: {
        "evaluations": each(won, "scenario_index", skill_type="a", is_success=bool)
    },
    "tau_bench": lambda won: each(won, "task_id", reward=float, traj=[], trial=0),
    "libero": lambda won: lines("Task: a\n", won, "Success: {won}\n"),
    "groot": lambda won: f"results:  ('a', {won!r}, {{}})\n",
    "episodes": lambda won: lines("", won, "Episode {i}: {word}\n"),
    "polaris": lambda won: lines(
        "episode,episode_length,success,progress\n", won, "{i},9,{won},{score}\n"
    ),
    "openpi": lambda won: lines(
        ",success,duration,video_filename\n", won, "{i},{score},9,video_{i}\n"
    ),
    "monitor": lambda won: lines(
        '#{"t_start": 1.5, "env_id": "a"}\nr,l,t\n', won, "{score},9,{i}.5\n"
    ),
}


@pytest.mark.parametrize("name", TOOLS)
def test_files_of_tools(tmp_path: Path, name: str) -> None:
    @few
    @given(WON)
    def check(won: list[bool]) -> None:
        content = TOOLS[name](won)
        whole = content if isinstance(content, str) else json.dumps(content, indent=1)
        scores = sw.read_trials(files.text(tmp_path / "a.txt", whole)).frame["score"].to_list()
        assert sorted(scores) == sorted(map(float, won))
        assert scores == list(map(float, won)) or won == sorted(won, reverse=True)

    check()
