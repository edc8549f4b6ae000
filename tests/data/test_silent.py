"""Files that used to give a wrong answer without a word: refused with the reason, or told."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from tests.cli.typed import run
from tests.data import files

# Real tables of this kind: TRI's Fig2.csv (there with outcome lists), RoboArena's policy_stats.csv.
SUMMARIES = {
    "stats": "policy,score,std,count\npi0_droid,0.46,0.41,311\npi0_fast_droid,0.61,0.4,310\n",
    "percent": "policy,success rate\nbase,83 %\nnew,92 %\n",
}
COUNTS = {
    "three": "policy,trials,successes,success_rate\na,20,4,0.2\nb,20,17,0.85\nc,18,9,0.5\n",
    "shares": "policy,episodes,success,reward_mean\na,20,0.2,1.5\nb,20,0.85,3\nc,18,0.5,2.5\n",
    "cells": "policy,result\na,4/20\nb,17/20\nc,9/18\n",
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_summaries_are_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    path = files.text(tmp_path / "summary.csv", SUMMARIES[name])

    with pytest.raises(
        sw.InvalidInput, match=r"each row sums up many trials .*a row each; .* the columns are '"
    ):
        sw.read_trials(path)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_offered_as_counts(tmp_path: Path, name: str) -> None:
    path = files.text(tmp_path / "counts.csv", COUNTS[name])

    with pytest.raises(sw.InvalidInput, match=r"stopwise compare .*counts\.csv`"):
        sw.read_trials(path)
    found: Any = sw.compare(path)
    assert found.order_text == "b > a; b ? c; c ? a"
    assert [(p.name, p.successes, p.n, p.letters) for p in found.policies] == [
        ("b", 17, 20, "a"),
        ("c", 9, 18, "ab"),
        ("a", 4, 20, "b"),
    ]
    code, output = run("compare", str(path))
    assert code == 0
    assert "b > a; b ? c; c ? a (Barnard's exact test" in " ".join(output.split())


def test_outcome_lists_are_trials(tmp_path: Path) -> None:
    trials = sw.read_trials(files.outcome_lists(tmp_path))

    assert trials.counts() == {("cup", "Single Task"): 3, ("cup", "LBM"): 4}
    bins = files.text(tmp_path / "bins.csv", 'task,milestone_bins\ncup,"[0., 0.5, 1.]"\n')
    with pytest.raises(sw.InvalidInput, match=r"no column looks like a score"):
        sw.read_trials(bins)


NO_POLICIES = {
    "training": ("step,loss,accuracy_a\n" + "0,2.5,0.1\n9,1.5,0.3\n20,1.0,0.2\n", "'step' sounds"),
    "headerless": ("0.5,0.7\n0.25,0.75\n", "the first line holds the number '0.5'"),
    "sizes": ("base,reach\n0.5,830\n0.25,910\n", "'reach' goes up to 910, but 'base' only to 0.5"),
    "means": (
        "task,base,new\ncup,0.4,0.6\nmug,0.3,0.9\n",
        "each 'task' has one row, as in a table",
    ),
    "clock": ("base,at\n0,1.5\n1,2.5\n0,4\n1,5\n1,6.5\n", "'at' rises from row to row"),
}


@pytest.mark.parametrize("name", NO_POLICIES)
def test_columns_that_are_hardly_policies_are_refused(tmp_path: Path, name: str) -> None:
    content, reason = NO_POLICIES[name]
    path = files.text(tmp_path / "log.csv", content)

    with pytest.raises(
        sw.InvalidInput, match=rf"{reason}.* policies=\[\.\.\.\]; the columns are '"
    ):
        sw.read_trials(path)


def test_one_trial_per_task_is_no_table_of_means(tmp_path: Path) -> None:
    path = files.text(tmp_path / "wide.csv", "task,base,new\ncup,0,1\nmug,1,1\n")
    assert sw.read_trials(path).tasks == ("cup", "mug")
    files.text(path, "task,base,new\ncup,0.4,0.6\nmug,0.3,0.9\n")
    assert len(sw.read_trials(path, policies=["base", "new"])) == 4


def test_a_mean_for_each_seed_is_told(tmp_path: Path) -> None:
    path = files.text(
        tmp_path / "a.csv", "policy,seed,success_rate\na,0,0.4\na,1,0.5\nb,0,0.8\nb,1,0.9\n"
    )
    assert "'success_rate' sounds like a mean of many trials" in sw.read_trials(path).notes[0]
    files.text(path, "policy,episode,success_rate\na,0,0\na,1,1\nb,0,1\nb,1,1\n")
    assert not any("mean of many" in note for note in sw.read_trials(path).notes)


def test_policies_are_chosen_among_the_columns(tmp_path: Path) -> None:
    path = files.text(
        tmp_path / "wide.csv", "when,a,b,c,score\n1,0,1,90,5\n2,1,1,80,5\n4,0,1,70,5\n"
    )
    trials = sw.read_trials(path, policies=["a", "b"])
    assert trials.counts() == {("task", "a"): 3, ("task", "b"): 3}
    assert "row" in trials.frame.columns

    code, output = run("analyze", str(path), "--column", "policies=a,b", "--design", "paired")
    assert code == 0
    assert "blocks: the rows of the table" in " ".join(output.split())
    for chosen, words in (
        (["a", "x"], r"there is no column 'x', which policies=.* 'when', 'a', 'b', 'c', 'score'"),
        (["a", "a"], "must name columns, each once"),
    ):
        with pytest.raises(sw.InvalidInput, match=words):
            sw.read_trials(path, policies=chosen)
    with pytest.raises(sw.InvalidInput, match="there is no other column of scores"):
        sw.read_trials(path, policies=["a", "b"], score="score")


def test_names_that_may_be_one_policy_are_told(tmp_path: Path) -> None:
    rows = "base,1\nnew,0\n" * 6
    path = files.text(tmp_path / "a.csv", f"policy,score\n{rows}BASE,1\nbsae,1\nother,0\n")
    notes = sw.read_trials(path).notes

    assert notes[:2] == (
        "policies 'base' and 'BASE' have nearly the same name, but count as different ones",
        "with a single trial: 'BASE', 'bsae', 'other' (misspelt?)",
    )


@pytest.mark.parametrize(
    ("column", "scores"),
    [
        (["yes", "No", "y", "N"], [1, 0, 1, 0]),
        (["Succeeded", "Failed", "PASS", "failure"], [1, 0, 1, 0]),
        (["T", "F", "true", "f"], [1, 0, 1, 0]),
        (["✓", "✗", "✔", "❌"], [1, 0, 1, 0]),
        (["✔\ufe0f", "✖\ufe0f", "✔\ufe0f", "❌\ufe0f"], [1, 0, 1, 0]),
        (["5/6", "3 / 6", "0/2", "6/6"], [5 / 6, 0.5, 0, 1]),
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


def test_decimal_commas_where_nothing_else_is_a_comma(tmp_path: Path) -> None:
    rows = [("base", "0,25"), ("new", "1"), ("base", "0,125")]
    for sign in ";\t":
        path = files.text(
            tmp_path / "a.csv", "\n".join(map(sign.join, [("policy", "score"), *rows])) + "\n"
        )
        trials = sw.read_trials(path)
        assert trials.frame["score"].to_list() == [0.25, 1, 0.125]
        assert trials.notes[0].endswith("commas in 'score' are decimal points")
    files.text(path, "policy;score\nbase;83,5 %\nnew;100 %\nbase;0,5 %\n")
    assert sw.read_trials(path).frame["score"].to_list() == pytest.approx([0.835, 1, 0.005])
    files.text(path, "policy;return\nbase;1,250\nnew;2,000\nbase;10\n")  # thousands?
    with pytest.raises(sw.InvalidInput, match=r"line 2, column 'return': must be a number"):
        sw.read_trials(path)


def test_percentages_do_not_meet_bounds_of_a_hundred(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", "policy,score\na,83 %\nb,5 %\na,0 %\n")
    with pytest.raises(sw.InvalidInput, match=r"83 % is 0\.83: declare bounds=\(0, 1\)"):
        sw.read_trials(path, bounds=(0, 100))


def test_notes_of_many_files_are_one_line(tmp_path: Path) -> None:
    for i in range(4):
        scores = np.random.default_rng(i).integers(0, 2, 12)
        files.text(tmp_path / f"p{i}.csv", "score\n" + "\n".join(map(str, scores)) + "\n")
    notes = sw.read_trials(tmp_path).notes

    assert sorted(notes) == [
        f"{tmp_path / 'p0.csv'} and 3 more files: no policy column, so each policy is called after "
        "its file",
        f"{tmp_path / 'p0.csv'} and 3 more files: no task column, so the task is called 'task'",
        "score column: 'score' (guessed)",
    ]


def test_files_of_one_name_are_policies_by_their_folders(tmp_path: Path) -> None:
    """They were one policy without a word, and its trials those of two."""
    one, two = (
        files.text(tmp_path / name / "scores.csv", f"score\n{'1' * 1}\n{score}\n")
        for name, score in (("base", 0), ("new", 1))
    )
    other = files.text(tmp_path / "third.csv", "score\n1\n0\n")

    assert sw.read_trials([one, two]).policies == ("base", "new")
    mixed = sw.read_trials([one, two, other])
    assert mixed.policies == ("scores", "third")
    assert any("are read as trials of one policy, 'scores'" in note for note in mixed.notes)
    days = [
        files.text(tmp_path / day / f"{name}.csv", "score\n1\n")
        for day in ("monday", "tuesday")
        for name in ("old", "next")
    ]
    assert sw.read_trials(days).counts() == {("task", "old"): 2, ("task", "next"): 2}
