"""Every format, read from a small file in its exact shape and from three damaged ones."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import stopwise as sw
from stopwise.data import formats
from stopwise.messages import Message
from tests.data import files, sheets

Damage = Callable[[Path], Any]

# Writer, format, number of trials, scores, bounds of the first task as its format defines them.
GOOD: list[tuple[files.Writer, str, list[float], tuple[float, float] | None]] = [
    (files.csv, "csv", [0.5, 1.0, 0.25, 0.75], None),
    (files.jsonl, "jsonl", [3.5, 4.0, 2.0], None),
    (files.parquet, "parquet", [0.5, 1.0], None),
    (files.step_array, "numpy", [0, 1, 1, 1, 0, 1], None),
    (files.named_arrays, "numpy", [0.5, 0.25, 1.0, 1.0, 0.75], None),
    (files.lerobot, "lerobot", [1, 0, 1, 0], (0, 1)),
    (files.lerobot_older, "lerobot", [0, 1, 1], (0, 1)),
    (files.race, "race", [0.75, 0.5, 0.25, 0.0], (0, 2)),
    (files.sb3_monitor, "sb3-monitor", [120.5, -3.5], None),
    (files.sb3_evaluations, "sb3-evaluations", [1, 0, 1], (0, 1)),
    (files.roboarena, "roboarena", [0.3, 0.9, 0.3, 0.6], (0, 1)),
    (files.openvla_libero, "text-log", [1, 0, 1], (0, 1)),
    (files.openpi_libero, "text-log", [1, 0], (0, 1)),
    (files.isaac_groot, "text-log", [1, 0, 1], (0, 1)),
    (files.episode_log, "text-log", [1, 0, 1], (0, 1)),
    (files.tau_bench, "tau-bench", [1, 0, 1, 0], (0, 1)),
    (files.inspect_log, "inspect", [1, 0, 0, 1], (0, 1)),
    (files.vla_eval_recording, "vla-eval-recording", [1, 0], (0, 1)),
    (files.lerobot_deeper, "lerobot", [0, 1, 1], (0, 1)),
    (files.openpi_droid, "openpi-droid", [0.5, 0.01], (0, 1)),
    (files.polaris, "polaris", [0.5, 1.0], (0, 1)),
    (files.vla_evaluation_harness, "vla-evaluation-harness", [1, 0], (0, 1)),
    (files.lbm_eval, "lbm-eval", [1, 0], (0, 1)),
    (sheets.excel, "excel", [1, 0, 0], (0, 1)),
    (files.json_records, "json", [1, 0], (0, 1)),
    (files.rliable, "numpy", [0.5, 1.5, 0.25, 2.0, 1.0, 3.0], None),
    (files.lerobot_wrapped, "lerobot", [1, 0, 1, 0], (0, 1)),
    (files.excel_text, "csv", [0.5, 1.0, 0.25, 0.75], None),
    (files.old_mac, "csv", [0.5, 1.0, 0.25, 0.75], None),
    (files.titled, "csv", [0.5, 1.0, 0.25, 0.75], None),
]


@pytest.mark.parametrize(("write", "name", "scores", "bounds"), GOOD)
def test_each_format_is_recognised_and_read(
    tmp_path: Path,
    write: files.Writer,
    name: str,
    scores: list[float],
    bounds: tuple[float, float] | None,
) -> None:
    path = write(tmp_path)

    recognised = formats.opened(path)
    assert recognised is not None
    assert recognised.format.name == name
    trials = sw.read_trials(path)
    assert trials.frame["score"].to_list() == scores
    assert trials.bounds.get(trials.tasks[0]) == bounds
    assert trials.frame.columns[:4] == ["task", "policy", "trial", "score"]
    nameless = name in ("numpy", "race")  # the score has no name of its own to tell
    assert nameless != any(note.startswith("score column: ") for note in trials.notes)
    assert all(isinstance(note, Message) and note.code for note in trials.notes)
    assert sw.read_trials(path, format=name).frame.equals(trials.frame)


def test_every_format_has_a_test() -> None:
    assert {name for _, name, _, _ in GOOD} == set(formats.names())


def replaced(old: str, new: str) -> Damage:
    def damage(path: Path) -> None:
        content = path.read_bytes()
        assert old.encode() in content
        path.write_bytes(content.replace(old.encode(), new.encode()))

    return damage


def cut(size: int) -> Damage:
    return lambda path: path.write_bytes(path.read_bytes()[:-size])


def arrays(**changed: Any) -> Damage:
    def damage(path: Path) -> None:
        with np.load(path) as content:
            np.savez(path, **{**content, **changed})

    return damage


def array(values: Any) -> Damage:
    return lambda path: np.save(path, np.asarray(values))


def frame(**columns: Any) -> Damage:
    return lambda path: pl.DataFrame(columns).write_parquet(path)


def session(old: str, new: str) -> Damage:
    damage = replaced(old, new)
    return lambda path: damage(path / "evaluation_sessions" / "s2" / "metadata.yaml")


def sheet(*rows: list[Any]) -> Damage:
    return lambda path: sheets.excel(path.parent, one=list(rows))


OUTSIDE = r"must lie within the bounds \[0, 1\], but got "
DAMAGED: list[tuple[files.Writer, Damage, str]] = [
    (files.csv, cut(28), r"results\.csv, line 5: 5 fields where the header has 8; .* cut off"),
    (files.csv, replaced("0.25", "good"), r"results\.csv, line 4, column 'score': .* got 'good'"),
    (files.csv, replaced("0.25", "1.25"), rf"results\.csv, line 4, column 'score': {OUTSIDE}1\.25"),
    (files.jsonl, cut(6), r"log\.jsonl, line 3: not valid JSON .* may be cut off"),
    (files.jsonl, replaced("4", '"four"'), r"log\.jsonl, line 2, column 'return': .* got 'four'"),
    (files.parquet, cut(10), r"table\.parquet: not a whole Parquet file"),
    (files.parquet, frame(policy=["a"], score=[[1.0]]), r"table\.parquet, row 0, column 'score'"),
    (files.step_array, cut(10), r"step\.npy: not a whole NumPy file"),
    (files.step_array, array([[0, 1], [1, 3]]), rf"step\.npy, element \[1, 1\], .*{OUTSIDE}3"),
    (files.named_arrays, cut(60), r"scores\.npz: not a whole NumPy file"),
    (files.named_arrays, arrays(base=["x"]), r"scores\.npz, base\[0\], .* a number, but got 'x'"),
    (files.lerobot, cut(30), r"eval_info\.json, line \d+, column \d+: not valid JSON"),
    (
        files.lerobot,
        replaced("true", '"yep"'),
        r"eval_info\.json, per_task\[0\], episode 0, column 'success': .* but got 'yep'",
    ),
    (
        files.race,
        replaced('{"policy": "base", "row": 0', '{"row": '),
        r"race\.jsonl, line 4: the jou",
    ),
    (files.race, replaced('"policy": "base", "row": 0, ', ""), r"race\.jsonl, line 4: this is no"),
    (files.sb3_monitor, replaced("-3.5", "x"), r"monitor\.csv, line 4, column 'r': .* got 'x'"),
    (files.sb3_evaluations, cut(200), r"evaluations\.npz: not a whole NumPy file"),
    (
        files.sb3_evaluations,
        arrays(results=np.array([["a"] * 3] * 2)),
        r"evaluations\.npz, array 'results': must be numbers of shape \(2, 3\)",
    ),
    (files.roboarena, session("null\n", "{"), r"s2/metadata\.yaml, line \d+: not valid YAML"),
    (
        files.roboarena,
        session("0.6", "most"),
        r"dump, evaluation_sessions/s2/metadata\.yaml, policies\.B, column 'partial_success': "
        "must be a number, but got 'most'",
    ),
    (
        files.openvla_libero,
        replaced("True | steps: 80\nCurrent total success rate: 0.66\n", "Tr"),
        r"openvla\.txt, line 12: 'Success:' must be followed by True or False, but got 'Tr'",
    ),
    (files.openvla_libero, replaced("Task: pick", "Job: pick"), r"line 5: a success before any"),
    (files.openpi_droid, replaced("0.5", "50"), rf"eval_pi0\.csv, line 2, .*{OUTSIDE}50"),
    (files.polaris, cut(5), r"eval_results\.csv, line 3: 3 fields where the header has 4"),
    (
        files.vla_evaluation_harness,
        replaced('"success": false', '"success": "no idea"'),
        r"libero\.json, tasks\[0\]\.episodes\[1\], column 'success': .* got 'no idea'",
    ),
    (files.isaac_groot, cut(40), r"gr00t\.log, line 5: .* the line may be cut off"),
    (files.episode_log, replaced("Episode", "Run"), r"run\.log: not recognised as any of"),
    (
        files.tau_bench,
        replaced('"reward": 1.0,\n    "info"', '"reward": 3,\n    "info"'),
        rf"gpt-4o\.json, \[0\], column 'reward': {OUTSIDE}3",
    ),
    (files.inspect_log, cut(1000), r"\.eval: not recognised as any of"),
    (files.vla_eval_recording, replaced("status", "stated"), r"cannot be read as a recording"),
    (
        files.vla_eval_recording,
        replaced('"success": false', '"success: false"'),
        r"sqlite, task 'stack', episode 1: the metrics are not valid JSON",
    ),
    (
        files.lbm_eval,
        replaced('"is_success": true', '"is_success": {}'),
        r"results-1\.json, evaluations\[0\]: the field 'is_success' is missing",
    ),
    (sheets.excel, cut(400), r"results\.xlsx: not a whole workbook"),
    (
        sheets.excel,
        sheet(["title", None], ["checkpoint", "score"], ["base", 0.5], [None, None], ["new", 7]),
        rf"results\.xlsx, sheet 'one', row 5, column 'score': {OUTSIDE}7",
    ),
    (files.json_records, replaced("false", '"so"'), r"runs\.json, \[1\], .* got 'so'"),
]


@pytest.mark.parametrize(("write", "damage", "message"), DAMAGED)
def test_damage_is_one_line_with_file_and_place(
    tmp_path: Path, write: files.Writer, damage: Damage, message: str
) -> None:
    path = write(tmp_path)
    damage(path)

    with pytest.raises(sw.InvalidInput, match=message) as caught:
        sw.read_trials(path, bounds=(0, 1))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("lerobot", {"per_task": [1]}, r"per_task\[0\]: the success of the episode is missing"),
        ("lerobot", [], "there are no records"),
        ("lbm-eval", {"evaluations": [{}]}, r"evaluations\[0\]: the field 'skill_type' is mis"),
        ("vla-evaluation-harness", {"tasks": [{"x": 3}]}, "the field 'task' is missing"),
    ],
)
def test_wrong_structure_is_named(tmp_path: Path, name: str, content: object, message: str) -> None:
    path = files.text(tmp_path / "a.json", json.dumps(content))
    with pytest.raises(sw.InvalidInput, match=message):
        sw.read_trials(path, format=name)


def test_lerobot_offers_its_rewards_and_refuses_bare_nan(tmp_path: Path) -> None:
    path = files.lerobot(tmp_path)

    rewards = sw.read_trials(path, score="max_rewards", bounds=(0, 1))
    assert rewards.frame["score"].to_list() == [1.0, 0.4, 1.0, 0.4]
    assert rewards.frame["success"].to_list() == [1, 0, 1, 0]
    assert rewards.tasks == ("libero_10/3", "libero_10/0")
    assert rewards.policies == (tmp_path.name,)
    with pytest.raises(
        sw.InvalidInput, match=r"episode 1, column 'sum_rewards': .* missing='drop'"
    ):
        sw.read_trials(path, score="sum_rewards")
    dropped = sw.read_trials(path, score="sum_rewards", missing="drop")
    assert dropped.frame["score"].to_list() == [3.0, 2.0]
    assert any("2 trials without a score dropped" in note for note in dropped.notes)


def test_lerobot_seeds_are_blocks_where_they_are_known(tmp_path: Path) -> None:
    older = sw.read_trials(files.lerobot_older(tmp_path))
    assert older.frame["block"].to_list() == ["1000", "1001", "1002"]
    newer = sw.read_trials(files.lerobot(tmp_path))
    assert "block" not in newer.frame.columns
    assert any("columns={'block': 'episode'}" in note for note in newer.notes)
    settings = [one for note in newer.notes if isinstance(note, Message) for one in note.settings]
    assert ("columns", {"block": "episode"}, None) in settings
    declared = sw.read_trials(files.lerobot(tmp_path), columns={"block": "episode"})
    assert declared.frame["block"].to_list() == ["0", "1", "0", "1"]


def test_monitor_times_count_from_the_start_of_the_run(tmp_path: Path) -> None:
    trials = sw.read_trials(files.sb3_monitor(tmp_path))

    assert trials.frame["time"].to_list() == [1700000001.75, 1700000002.5]
    assert trials.tasks == ("Hopper-v4",)
    files.sb3_monitor(tmp_path).write_text('#{"t_start": "noon"}\nr,l,t\n1,1,1\n')
    with pytest.raises(sw.InvalidInput, match=r"monitor\.csv, line 1: must be #\{"):
        sw.read_trials(tmp_path / "0.monitor.csv")


def test_only_the_last_evaluation_counts(tmp_path: Path) -> None:
    """Earlier rows of evaluations.npz are other checkpoints, hence other policies."""
    path = files.sb3_evaluations(tmp_path)

    assert any("last of 2 evaluations" in note for note in sw.read_trials(path).notes)
    assert sw.read_trials(path, score="success").frame["score"].to_list() == [1, 0, 1]
    assert sw.read_trials(path, score="success").bounds == {"task": (0.0, 1.0)}


def test_roboarena_sessions_are_blocks_and_null_is_no_trial(tmp_path: Path) -> None:
    trials = sw.read_trials(files.roboarena(tmp_path))

    assert trials.policies == ("base", "new")
    assert trials.frame["block"].to_list() == ["s1", "s1", "s2", "s2"]
    assert any("2 policies without a trial in a session skipped" in note for note in trials.notes)
    inner = sw.read_trials(tmp_path / "dump" / "evaluation_sessions")
    assert inner.frame.equals(trials.frame)
    one = sw.read_trials(tmp_path / "dump" / "evaluation_sessions" / "s1" / "metadata.yaml")
    assert one.frame["score"].to_list() == [0.3, 0.9]


def test_openpi_answers_of_y_are_pointed_out(tmp_path: Path) -> None:
    notes = sw.read_trials(files.openpi_droid(tmp_path)).notes
    assert any("1 score is 0.01" in note for note in notes)


def test_parts_that_other_formats_know(tmp_path: Path) -> None:
    libero = sw.read_trials(files.openvla_libero(tmp_path))
    assert libero.frame["task"].to_list() == ["pick up the bowl"] * 2 + ["open the drawer"]
    harness = sw.read_trials(files.vla_evaluation_harness(tmp_path), score="progress")
    assert harness.frame["score"].to_list() == [1.0, 0.25]
    assert any("1 interrupted (not failed) episode left out" in note for note in harness.notes)
    assert harness.frame["block"].to_list() == ["0", "1"]
    lbm = sw.read_trials(files.lbm_eval(tmp_path))
    assert lbm.frame["block"].to_list() == ["100", "101"]
    assert any("1 pending evaluation left out" in note for note in lbm.notes)
    polaris = sw.read_trials(files.polaris(tmp_path))
    assert polaris.frame["block"].to_list() == ["0", "1"]
    assert any("start from the same state" in note for note in polaris.notes)
    csv = sw.read_trials(files.csv(tmp_path))
    assert csv.frame.schema["time"] == pl.Datetime("us")
    assert csv.frame["evaluator"].to_list() == ["ann", "ann", "bob", "bob"]


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(sw.InvalidInput, match=r"absent\.csv: there is no such file or folder"):
        sw.read_trials(tmp_path / "absent.csv")
    with pytest.raises(sw.InvalidInput, match=r"empty\.csv: the file is empty"):
        sw.read_trials(files.text(tmp_path / "empty.csv", ""))
    with pytest.raises(sw.InvalidInput, match=r"notes\.txt: not recognised as any of lerobot, "):
        sw.read_trials(files.text(tmp_path / "notes.txt", "nothing here"))
    with pytest.raises(sw.InvalidInput, match=r"format must be one of lerobot, .*'word'"):
        sw.read_trials(files.csv(tmp_path), format="word")
    (tmp_path / "latin.csv").write_bytes(b"policy,score\n\xe9,1\n")
    with pytest.raises(sw.InvalidInput, match=r"latin\.csv, byte \d+: the text is not valid UTF-8"):
        sw.read_trials(tmp_path / "latin.csv")
