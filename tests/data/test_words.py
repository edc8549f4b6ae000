"""Words, percentages and other ways in which people write scores."""

from pathlib import Path

import pytest

import stopwise as sw
from tests.data import files


@pytest.mark.parametrize("column", ["result", "Outcome", "Success Rate", "success_rate"])
@pytest.mark.parametrize(
    ("good", "bad"),
    [("success", "failure"), ("Succeeded", "Failed"), ("PASS", "fail"), ("passed", "failed")],
)
def test_words_for_success_and_failure(tmp_path: Path, column: str, good: str, bad: str) -> None:
    path = files.text(tmp_path / "a.csv", f"policy,{column}\na,{bad}\nb,{good}\nb,{bad}\n")
    trials = sw.read_trials(path)

    assert trials.frame["score"].to_list() == [0.0, 1.0, 0.0]
    assert trials.bounds == {"task": (0.0, 1.0)}
    assert f"score column: {column!r} (guessed)" in trials.notes


def test_a_score_comes_before_a_result(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", "policy,result,score\na,crashed,0.5\n")

    assert sw.read_trials(path).frame["score"].to_list() == [0.5]


def test_words_that_cannot_be_read_are_answered_with_those_that_can(tmp_path: Path) -> None:
    path = files.text(tmp_path / "a.csv", "policy,result\na,success\nb,crashed\n")

    with pytest.raises(sw.InvalidInput, match=r"'crashed'; .*success_word='success' counts"):
        sw.read_trials(path)


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("20%", "write all scores with the sign, or all without it"),
        ('"20,5"', "write it with a decimal point"),
    ],
)
def test_advice_for_other_ways_to_write_numbers(tmp_path: Path, value: str, advice: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(f"policy,score\na,{value}\nb,1\n")

    with pytest.raises(sw.InvalidInput, match=f"must be a number, but got .*; {advice}"):
        sw.read_trials(path)
