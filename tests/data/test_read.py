"""Sources, columns, bounds and order: what is assumed is said, what is wrong is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import stopwise as sw
from tests.data import files

COLUMNS = {"policy": ["a", "b", "a"], "score": [0.5, 1.0, 0.25], "seed": [1, 1, 2]}


@pytest.mark.parametrize(
    "source",
    [
        COLUMNS,
        {name: np.array(values) for name, values in COLUMNS.items()},
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).convert_dtypes(),
        pa.table(COLUMNS),
    ],
    ids=["lists", "arrays", "polars", "lazy", "pandas", "pandas nullable", "arrow"],
)
def test_tables_in_memory_are_all_the_same(source: Any) -> None:
    trials = sw.read_trials(source, task="cup", bounds=(0, 1))

    assert trials.frame.to_dict(as_series=False) == {
        "task": ["cup"] * 3,
        "policy": ["a", "b", "a"],
        "trial": [0, 0, 1],
        "score": [0.5, 1.0, 0.25],
        "block": ["1", "1", "2"],
    }
    assert trials.bounds == {"cup": (0.0, 1.0)}
    assert trials.notes == (
        "policy column: 'policy' (guessed)",
        "score column: 'score' (guessed)",
        "block column: 'seed' (guessed)",
    )


def test_pandas_gaps_are_missing_values() -> None:
    frame = pd.DataFrame(
        {
            "policy": ["a", "b"],
            "score": [1.0, 0.5],
            "session": ["x", None],
            "time": pd.to_datetime(["2026-01-02", None]),
        }
    )
    trials = sw.read_trials(frame)

    assert trials.frame["block"].to_list() == ["x", None]
    assert trials.frame["time"].is_null().to_list() == [False, True]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (3, "trials must come from a path, .* but got int"),
        ([], "trials must come from a path, .* but got list"),
        ({}, "the dictionary: there are no arrays in it"),
        ({"score": [1, 2], "policy": ["a"]}, r"equally long, but got lengths {'score': 2, "),
        ({"score": [[1, 2]], "policy": ["a"]}, r"'score': must be a 1-D array, but got shape"),
        ({"policy": ["a"], "points": [1]}, r"no column looks like a score; .* 'policy', 'points'"),
        (
            {"score": [1.0]},
            "no column looks like the policy; name the column with columns={'policy': ",
        ),
        ({"score": [1.0], "policy": [None]}, "row 0, column 'policy': the name .* is missing"),
        (pl.DataFrame({"score": [], "policy": []}), "the frame: there are no trials in it"),
    ],
)
def test_bad_tables_get_one_clear_error(source: Any, message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        sw.read_trials(source)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"columns": {"points": "score"}}, "the role must be one of task, policy, .*'points'"),
        (
            {"columns": {"score": ["a", "b"]}},
            r"columns=\{'score': \['a', 'b'\]\} names several columns",
        ),
        ({"columns": {"score": None}}, r"columns=\{'score': None\} leaves no score"),
        (
            {"columns": {"task": "stage"}},
            "there is no column 'stage' for the task; the columns are",
        ),
        (
            {"score": "x", "columns": {"score": "y"}},
            r"score='x' and columns=\{'score': 'y'\} contradict",
        ),
        (
            {"columns": "score"},
            r"columns is a dictionary .* 'score': .* columns=\{'score': \.\.\.\}",
        ),
        ({"order": "random"}, "order must be one of file, time, shuffled, but got 'random'"),
        ({"order": "time"}, "order='time' needs a time column, but none was found"),
        ({"order": "shuffled"}, "order='shuffled' needs a seed, a whole number"),
        ({"missing": "zero"}, "missing must be one of error, fail, drop, keep, but got 'zero'"),
        ({"bounds": "guess"}, "bounds must be .* or 'data', but got 'guess'"),
        ({"bounds": (1, 0)}, r"bounds must be two finite numbers .* but got \(1, 0\)"),
        ({"bounds": {"task": (0, float("inf"))}}, "task 'task': bounds must be two finite"),
        ({"bounds": {"cup": (0, 1)}}, "given for task 'cup', but the tasks are 'task'"),
        ({"bounds": (0, 0.5)}, r"row 1, column 'score': .* bounds \[0, 0\.5\], but got 1"),
        ({"policy": "x"}, "given as policy 'x', but column 'policy' names 2: 'a', 'b'"),
        ({"score": "policy"}, "row 0, column 'policy': must be a number, but got 'a'"),
        ({"columns": {"success": "seed"}}, "row 2, column 'seed': a success must be 0 or 1"),
    ],
)
def test_bad_choices_get_one_clear_error(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        sw.read_trials(COLUMNS, **choices)


def test_columns_are_chosen_joined_or_ignored() -> None:
    table = {
        "env": ["sim", "real"],
        "task": ["cup", "cup"],
        "arm": ["a", "b"],
        "value_score": [1, 0],
    }
    trials = sw.read_trials(
        {**table, "score": [9, 9], "seed": [1, 2]},
        columns={"task": ["env", "task"], "policy": "arm", "block": None},
        score="value_score",
    )

    assert trials.tasks == ("sim/cup", "real/cup")
    assert trials.frame["score"].to_list() == [1.0, 0.0]
    assert "block" not in trials.frame.columns
    assert trials.notes == ()


def test_bounds_per_task_and_from_the_data() -> None:
    table = {"task": ["x", "x", "y", "y"], "policy": ["a", "b"] * 2, "score": [1, 5, -2, 0]}

    assert sw.read_trials(table).bounds == {}
    declared = sw.read_trials(table, bounds={"x": (0, 10)})
    assert (declared.bounds, declared.bounds_inferred) == ({"x": (0.0, 10.0)}, False)
    inferred = sw.read_trials(table, bounds="data")
    assert inferred.bounds == {"x": (1.0, 5.0), "y": (-2.0, 0.0)}
    assert inferred.bounds_inferred
    assert "bounds: taken from the data, which voids the guarantee" in inferred.notes
    with pytest.raises(
        sw.InvalidInput, match="all scores of task 'task' are 1; declare the bounds"
    ):
        sw.read_trials({"a": [1, 1], "b": [1]}, bounds="data")


def test_true_and_false_have_a_range_of_their_own(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", "policy,success\na,True\nb,false\n")
    trials = sw.read_trials(path)

    assert trials.bounds == {"task": (0.0, 1.0)}
    assert any("[0, 1], since it holds only true and false" in note for note in trials.notes)
    other = files.text(tmp_path / "b.csv", "policy,success\nc,1\n")
    assert sw.read_trials([path, other]).bounds == {}, "the second file does not say so"


def test_several_files_make_one_table(tmp_path: Path) -> None:
    base, new = files.lerobot(tmp_path / "x"), files.lerobot(tmp_path / "y")
    named = sw.read_trials({"base": base, "new": new})

    assert named.policies == ("base", "new")
    assert len(named) == 8
    assert sw.read_trials([base, new]).policies == ("x", "y")
    with pytest.raises(sw.InvalidInput, match="the same file was given twice"):
        sw.read_trials([base, base])
    with pytest.raises(sw.InvalidInput, match=r"named by the dictionary already, .* policy='z'"):
        sw.read_trials({"base": base}, policy="z")
    with pytest.raises(
        sw.InvalidInput, match="given as policy 'base', but column 'policy' names 2"
    ):
        sw.read_trials({"base": files.csv(tmp_path)})


def test_a_folder_holds_a_file_or_a_folder_per_policy(tmp_path: Path) -> None:
    for policy in ("base", "new"):
        files.sb3_monitor(tmp_path / "runs" / policy)
        second = tmp_path / "runs" / policy / "logs" / "1.monitor.csv"
        files.text(second, files.sb3_monitor(tmp_path / "runs" / policy).read_text())
        files.text(tmp_path / "runs" / policy / "video.mp4", "\0\0")
    files.text(tmp_path / "runs" / "old.csv", "return\n7\n")
    files.text(tmp_path / "runs" / ".hidden.csv", "return\n7\n")
    trials = sw.read_trials(tmp_path / "runs", columns={"time": None})

    assert trials.counts() == {
        ("Hopper-v4", "base"): 4,
        ("Hopper-v4", "new"): 4,
        ("task", "old"): 1,
    }
    assert any(note.endswith("2 files without trials skipped") for note in trials.notes)
    only = sw.read_trials(tmp_path / "runs", format="sb3-monitor")
    assert only.policies == ("base", "new")
    with pytest.raises(sw.InvalidInput, match="the folder holds no file recognised as lerobot"):
        sw.read_trials(tmp_path / "runs", format="lerobot")


def test_order_of_file_time_or_chance(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", "policy,score,time\na,1,30\na,2,10\nb,3,20\na,4,20\n")

    def scores(**choices: Any) -> list[float]:
        return sw.read_trials(path, **choices).frame["score"].to_list()

    assert scores() == [1, 2, 3, 4]
    assert scores(order="time") == [2, 3, 4, 1]
    assert any("not the order of their times" in note for note in sw.read_trials(path).notes)
    assert not any("not that of" in note for note in sw.read_trials(path, order="time").notes)
    shuffled = sw.read_trials(path, order="shuffled", seed=1)
    assert shuffled.frame["score"].to_list() == scores(order="shuffled", seed=1)
    assert sorted(scores(order="shuffled", seed=1)) == [1, 2, 3, 4]
    assert {tuple(scores(order="shuffled", seed=seed)) for seed in range(9)} != {(1, 2, 3, 4)}
    assert shuffled.order == "shuffled"
    assert any(note.startswith("order: shuffled with seed 1") for note in shuffled.notes)
    assert shuffled.frame.filter(policy="a")["trial"].to_list() == [0, 1, 2]


def test_times_must_be_complete_and_of_one_kind(tmp_path: Path) -> None:
    gap = files.text(tmp_path / "a.csv", "policy,score,time\na,1,30\na,2,\n")
    dates = files.text(tmp_path / "b.csv", "policy,score,time\nb,1,2026-01-02T10:00:00+02:00\n")

    with pytest.raises(sw.InvalidInput, match="needs the time of every trial, but 1 have none"):
        sw.read_trials(gap, order="time")
    with pytest.raises(sw.InvalidInput, match=r"b\.csv: its times are not of the same kind"):
        sw.read_trials([gap, dates])
    assert sw.read_trials(dates).frame["time"][0].hour == 8
    words = files.text(tmp_path / "c.csv", "policy,score,time\na,1,noon\n")
    assert "column 'time' does not hold the time of trials and was ignored" in (
        sw.read_trials(words).notes
    )
    assert not any("column: 'time' (guessed)" in note for note in sw.read_trials(words).notes)
    with pytest.raises(sw.InvalidInput, match=r"c\.csv, line 2, column 'time': .* got 'noon'"):
        sw.read_trials(words, columns={"time": "time"})


def test_duplicates_are_dropped_and_contradictions_refused(tmp_path: Path) -> None:
    path = files.csv(tmp_path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[1], lines[1]]) + "\n")
    trials = sw.read_trials(path)

    assert len(trials) == 4
    assert f"{path}: 2 duplicate rows dropped" in trials.notes
    path.write_text("\n".join([*lines, lines[1].replace("0.5", "0.6")]) + "\n")
    with pytest.raises(
        sw.InvalidInput, match=r"line 6: .* trial '0' already appears at line 2 with different"
    ):
        sw.read_trials(path)
    assert len(sw.read_trials(path, columns={"trial": None})) == 5


def test_what_was_dropped_is_counted_and_places_stay(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", "policy,score\na,1\na,NaN\nb,\nb,0\n")
    trials = sw.read_trials(path, missing="drop", bounds=(0, 1))
    assert trials.frame["score"].to_list() == [1, 0]
    assert f"{path}: 2 trials without a score dropped" in trials.notes
    with pytest.raises(sw.InvalidInput, match=r"a\.csv, line 5, .* within the bounds \[0\.5, 1\]"):
        sw.read_trials(path, missing="drop", bounds=(0.5, 1))


WIDE = "pair,old,new\n1,0.2,0.8\n2,0.4,0.6\n3,0.1,\n4,0.3,\n"


def test_a_column_that_only_speaks_of_policies_is_none(tmp_path: Path) -> None:
    """One that is the same throughout, or numbers, or differs in each row, names no policies."""
    for column in ("base,base,base,base", "1,2,1,2", "p,q,r,s"):
        rows = zip(column.split(","), "0110", strict=True)
        path = tmp_path / "new.csv"
        path.write_text("model version,score\n" + "".join(f"{a},{b}\n" for a, b in rows))
        assert sw.read_trials(path).policies == ("new",)


def test_a_column_per_policy_is_read_as_one(tmp_path: Path) -> None:
    """Row numbers are no policy, and blanks below a shorter column no trials."""
    path = tmp_path / "sheet.csv"
    path.write_text(WIDE)
    trials = sw.read_trials(path, bounds=(0, 1))

    assert trials.counts() == {("task", "old"): 4, ("task", "new"): 2}
    assert trials.frame.filter(pl.col("policy") == "new")["score"].to_list() == [0.8, 0.6]
    assert any("'old', 'new' is taken for the scores of one policy" in n for n in trials.notes)
    path.write_text("\n".join(WIDE.splitlines()[:2]) + "\n")  # as it was when it began
    assert sw.read_trials(path, bounds=(0, 1)).policies == ("old", "new")
    path.write_text(WIDE.replace("pair", "scene"))
    blocks = sw.read_trials(path, bounds=(0, 1), columns={"block": "row"}).frame["block"]
    assert blocks.to_list() == ["0", "0", "1", "1", "2", "3"]
    frame = pd.DataFrame({"old": [0, 1, 0], "new": [1, 1, 1], "seed": [7, 8, 9]})
    assert sw.read_trials(frame).frame["block"].to_list() == ["7", "7", "8", "8", "9", "9"]


def test_an_array_is_read_as_its_file_is(tmp_path: Path) -> None:
    scores = np.random.default_rng(1).random((5, 2))
    np.save(tmp_path / "a.npy", scores)
    trials, stored = (sw.read_trials(source) for source in (scores, tmp_path / "a.npy"))
    fields = np.array([("x", 0.5), ("y", 1.0)], dtype=[("policy", "U1"), ("score", float)])

    assert trials.frame.equals(stored.frame)
    assert "the array: each of the 2 columns holds the scores of one policy" in trials.notes
    assert sw.read_trials(fields).policies == ("x", "y")
    assert sw.read_trials(scores[:, 0], policy="a").policies == ("a",)
    with pytest.raises(sw.InvalidInput, match="the array: scores must have shape"):
        sw.read_trials(scores[None])


def test_measures_of_one_policy_are_no_policies(tmp_path: Path) -> None:
    """A file that is named as a policy's, or stands beside others, holds that policy's measures."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("distance,effort\n1,2\n3,5\n")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]

    for source in (files, {"a": files[0], "b": files[1]}, tmp_path):
        with pytest.raises(sw.InvalidInput, match="no column looks like a score"):
            sw.read_trials(source)
