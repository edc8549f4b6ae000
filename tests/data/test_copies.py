"""Trials that appear twice: a copy must not count as more evidence."""

from pathlib import Path

import numpy as np
import pytest

import stopwise as sw
from tests.data import files


def numbered(n: int = 12) -> str:
    rng = np.random.default_rng(3)
    rows = [f"{policy},{i},{rng.integers(0, 2)}" for i in range(n) for policy in ("base", "new")]
    return "policy,episode,success\n" + "\n".join(rows) + "\n"


def unnumbered(scores: str) -> str:
    return "policy,score\n" + "".join(f"base,{score}\nnew,1\n" for score in scores)


def test_a_copied_file_is_refused_with_both_places(tmp_path: Path) -> None:
    """Or one that was copied when it was shorter."""
    base = files.text(tmp_path / "base.csv", numbered())
    for lines in (25, 8):
        text = "".join(numbered().splitlines(keepends=True)[:lines])
        copy = files.text(tmp_path / "results (copy).csv", text)
        for source in ([base, copy], tmp_path):
            with pytest.raises(
                sw.InvalidInput,
                match=r"\(copy\)\.csv, line 2: this trial is already in .*base\.csv, line 2, as are"
                r" all .* columns=\{'trial': None\}",
            ):
                sw.read_trials(source)
    assert len(sw.read_trials(tmp_path, columns={"trial": None})) == 31


def test_files_that_number_anew_are_further_trials(tmp_path: Path) -> None:
    files.text(tmp_path / "monday.csv", numbered())
    files.text(tmp_path / "tuesday.csv", numbered().replace(",7,0", ",7,1").replace(",5,1", ",5,0"))

    trials = sw.read_trials(tmp_path)
    assert len(trials) == 48
    assert any("1 file numbers its trials as another one does" in n for n in trials.notes)


def test_a_copy_without_numbers_is_refused_row_for_row(tmp_path: Path) -> None:
    """Files of few trials, or of policies that never fail, may be equal by chance."""
    for scores, copied in (("01", False), ("1" * 20, False), ("0110100110010110", True)):
        for name in ("a", "b"):
            files.text(tmp_path / f"{name}.csv", unnumbered(scores))
        if not copied:
            assert len(sw.read_trials(tmp_path)) == 4 * len(scores)
            continue
        with pytest.raises(sw.InvalidInput, match=r"b\.csv: its 32 trials are .*a\.csv, row for"):
            sw.read_trials(tmp_path)


def test_an_earlier_state_without_numbers_is_a_copy_too(tmp_path: Path) -> None:
    """A file of Monday that grew into that of all days; a beginning of successes may be chance."""
    for scores, copied in (("1" * 16 + "0110", False), ("0110100110010110" + "0110", True)):
        files.text(tmp_path / "all.csv", unnumbered(scores))
        files.text(tmp_path / "monday.csv", unnumbered(scores[:16]))
        if not copied:
            assert len(sw.read_trials(tmp_path)) == 72
            continue
        with pytest.raises(
            sw.InvalidInput, match=r"all\.csv: its first 32 trials are those of .*mo"
        ):
            sw.read_trials(tmp_path)


def test_of_many_files_some_are_equal_by_chance(tmp_path: Path) -> None:
    """Two of twenty trials are no copies among a hundred files."""
    rng = np.random.default_rng(1)
    for number in range(100):
        scores = "1" * 20 if number < 50 else "".join(rng.choice(["0", "1"], 20))
        files.text(tmp_path / f"{number:02}.csv", unnumbered(scores))
    for number in (70, 71):
        files.text(tmp_path / f"{number}.csv", "policy,score\n" + "a,0\na,1\n" * 10)
    assert {*sw.read_trials(tmp_path).policies} == {"base", "new", "a"}

    files.text(tmp_path / "71.csv", "policy,score\n" + "a,0\na,1\n" * 20)
    files.text(tmp_path / "70.csv", "policy,score\n" + "a,0\na,1\n" * 20)
    with pytest.raises(sw.InvalidInput, match=r"71\.csv: its 40 trials are those of .*70\.csv"):
        sw.read_trials(tmp_path)


def test_equal_files_of_different_policies_are_pointed_out(tmp_path: Path) -> None:
    for name in ("base", "base_copy"):
        files.text(tmp_path / f"{name}.csv", "score\n" + "0\n1\n1\n" * 6)
    trials = sw.read_trials(tmp_path)

    assert trials.policies == ("base", "base_copy")
    assert "have the same scores in the same order: is one a copy" in trials.notes[0]


def test_policies_with_the_same_scores_in_the_same_order_are_told(tmp_path: Path) -> None:
    """A column that was copied; few trials, or those that never fail, may be equal by chance."""
    for scores, said in (("0110100110010110" * 2, True), ("01101001", False), ("1" * 40, False)):
        text = "".join(f"a,{score}\nb,{score}\nc,{i % 2}\n" for i, score in enumerate(scores))
        path = files.text(tmp_path / "results.csv", "policy,score\n" + text)

        notes = sw.read_trials(path).notes
        copied = "policies 'a' and 'b' have the same scores in the same order: is one a copy of"
        assert any(copied in note for note in notes) == said
        assert (copied in notes[0]) == said


def test_trials_that_are_in_a_file_twice_without_numbers_are_told() -> None:
    """A stored baseline that was pasted twice has half of its trials; a short pattern recurs."""
    often = "011010011101001011010"
    for scores, said in ((often * 2, True), (often * 3, True), ("01100" * 8, False)):
        columns = {"policy": ["old"] * len(scores), "score": [int(score) for score in scores]}
        note = f"the {len(scores)} scores of 'old' are 21 scores, "

        assert any(note in own for own in sw.read_trials(columns).notes) == said
