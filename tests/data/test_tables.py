"""Sheets, JSON, arrays and logs: what a part of them means, and what is said about it."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.data import formats
from tests.data import files, sheets


def test_the_guide_lists_every_format() -> None:
    guide = Path(__file__).parents[2] / "docs/guides/files.md"
    listed = re.findall(
        r"^\| `([a-z0-9-]+)` \| [^f]", guide.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(listed) == sorted(formats.names())


def test_sheets_of_one_kind_are_tasks_or_policies(tmp_path: Path) -> None:
    header = ["policy", "score"]
    cup: list[list[Any]] = [header, ["a", 1], ["b", 0.5]]
    drawer: list[list[Any]] = [header, ["a", 0.25]]
    trials = sw.read_trials(sheets.excel(tmp_path, cup=cup, drawer=drawer, legend=[["a", "b"]]))
    assert trials.counts() == {("cup", "a"): 1, ("cup", "b"): 1, ("drawer", "a"): 1}

    scores: list[list[Any]] = [["score"], [1], [0.5]]
    trials = sw.read_trials(sheets.excel(tmp_path, base=scores, new=scores[:2], old=[["x"], [1]]))
    assert trials.counts() == {("task", "base"): 2, ("task", "new"): 1}
    assert any("sheets with other columns than 'base' left out: 'old'" in n for n in trials.notes)


def test_what_is_needed_for_sheets_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stopwise.data.formats.spreadsheet.find_spec", lambda _: None)
    with pytest.raises(sw.StopwiseError, match=r'pip install "stopwise\[excel\]"'):
        sw.read_trials(sheets.excel(tmp_path))


def test_names_above_records_are_tasks_and_policies(tmp_path: Path) -> None:
    nested = sw.read_trials(files.json_nested(tmp_path))
    assert nested.counts() == {
        ("cup", "base"): 2,
        ("cup", "new"): 2,
        ("drawer", "base"): 1,
        ("drawer", "new"): 1,
    }
    swapped = sw.read_trials(
        files.json_nested(tmp_path), columns={"policy": "key1", "task": "key2"}
    )
    assert swapped.policies == ("cup", "drawer")
    episodes = sw.read_trials(files.json_episodes(tmp_path), columns={"task": None})
    assert episodes.counts() == {("task", "base"): 2, ("task", "new"): 1}
    by_task = {"cup": [{"policy": "a", "success": True}], "jar": [{"policy": "b", "success": 0}]}
    path = files.text(tmp_path / "tasks.json", json.dumps(by_task))
    assert sw.read_trials(path).counts() == {("cup", "a"): 1, ("jar", "b"): 1}
    columns = {"policy": ["a", "b"], "score": [0.5, 1]}
    path = files.text(tmp_path / "columns.json", json.dumps(columns))
    assert sw.read_trials(path).policies == ("a", "b")


def test_runs_by_tasks_as_rliable_takes_them(tmp_path: Path) -> None:
    trials = sw.read_trials(files.rliable(tmp_path))
    assert trials.counts() == {
        ("task0", "DQN"): 2,
        ("task1", "DQN"): 2,
        ("task0", "C51"): 1,
        ("task1", "C51"): 1,
    }
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


def test_a_hidden_monitor_file_is_named_after_its_folder_and_is_no_evaluation(
    tmp_path: Path,
) -> None:
    path = files.sb3_monitor(tmp_path / "ppo").rename(tmp_path / "ppo" / ".monitor.csv")
    trials = sw.read_trials(path)

    assert trials.policies == ("ppo",)
    assert "a monitor file of a training run is no evaluation" in trials.notes[0]


def test_blank_rows_in_quotes_are_no_trials(tmp_path: Path) -> None:
    text = 'policy,score,note\nbase,1,\n"","",""\nnew,x,\n'
    path = files.text(tmp_path / "blank.csv", text)
    with pytest.raises(sw.InvalidInput, match=r"line 4, column 'score': .* 'x'"):
        sw.read_trials(path)


def test_lines_of_comments_are_no_trials(tmp_path: Path) -> None:
    text = "policy,trial,score\nbase,0,1\n# pause\n# new gripper, same robot\nnew,0,0\nbase,1,x\n"
    path = files.text(tmp_path / "a.csv", text.replace("x", "0"))
    assert sw.read_trials(path).counts() == {("task", "base"): 2, ("task", "new"): 1}
    files.text(path, text)
    with pytest.raises(sw.InvalidInput, match="line 6, column 'score'"):
        sw.read_trials(path)
    files.text(path, "policy,trial,score\n#1,0,1\n#2,0,0\n")  # names of policies
    assert sw.read_trials(path).policies == ("#1", "#2")
    files.text(path, "policy,trial,score\n#1,0,\n#2,0,0\n")
    with pytest.raises(sw.InvalidInput, match="line 2, column 'score': the score is missing"):
        sw.read_trials(path)


def test_results_within_another_object_are_those_of_policies(tmp_path: Path) -> None:
    inner = '{"base": [0, 1, 0], "new": [1, 1]}'
    path = files.text(tmp_path / "a.json", f'{{"config": {{"seed": 1}}, "results": {inner}}}')
    assert sw.read_trials(path).counts() == {("task", "base"): 3, ("task", "new"): 2}
    files.text(path, f'{{"policy": "act", "results": {inner.replace("base", "cup")}}}')
    assert sw.read_trials(path).counts() == {("cup", "act"): 3, ("new", "act"): 2}


def test_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    """Quoted text over two lines and blank lines shift what a count of rows would say."""
    path = files.text(tmp_path / "a.csv", 'policy,score,note\na,1,"two\nlines"\n\na,bad,x\n')
    with pytest.raises(sw.InvalidInput, match=re.escape("a.csv, line 5, column 'score'")):
        sw.read_trials(path)


def test_a_benchmark_of_the_harness_need_not_have_a_success(tmp_path: Path) -> None:
    episodes = [{"episode_id": i, "metrics": {"completed_subtasks": i}} for i in range(3)]
    content = {"tasks": [{"task": "calvin", "episodes": episodes}]}
    path = files.text(tmp_path / "calvin.json", json.dumps(content))

    with pytest.raises(sw.InvalidInput, match=r"name it with score= .perhaps 'completed_subtasks'"):
        sw.read_trials(path)

    trials = sw.read_trials(path, score="completed_subtasks", bounds=(0, 5))
    assert trials.frame["score"].to_list() == [0, 1, 2]
