"""Which trial meets which, and what is said about the rest."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.rows.align import align
from stopwise.rows.table import Table


def table(*rows: tuple[str, str | None, float]) -> sw.Trials:
    policies, blocks, scores = zip(*rows, strict=True)
    return sw.Trials.from_columns({"policy": policies, "block": blocks, "score": scores})


def rows(aligned: Table) -> list[list[float]]:
    found: list[list[float]] = np.nan_to_num(aligned.scores, nan=-1).tolist()
    return found


GAPS = table(
    ("a", "x", 1), ("b", "x", 2), ("b", "y", 3), ("a", "z", 4), ("b", "z", 5), ("c", "z", 6)
)
STRATA = table(
    ("a", "x", 1), ("a", "x", 2), ("b", "y", 3), ("b", "x", 4), ("a", "y", 5), ("b", "x", 6)
)


def test_independent_trials_meet_by_number() -> None:
    trials = sw.read_trials({"a": [1, 2, 3], "b": [4]})
    aligned = align(trials)

    assert aligned.policies == ("a", "b")
    assert rows(aligned) == [[1, 4], [2, -1], [3, -1]]
    assert aligned.counts == (3, 1)
    assert aligned.design == "independent"
    assert aligned.notes == (
        *trials.notes,
        "design: assumed independent: no block column found",
        "unequal numbers of trials (a 3, b 1): the last 2 trials of the longest lie unused, "
        "without a partner",
    )


def test_blocks_are_detected_and_missing_cells_stay_empty() -> None:
    aligned = align(GAPS)

    assert rows(aligned) == [[1, 2, -1], [-1, 3, -1], [4, 5, 6]]
    assert aligned.counts == (2, 3, 1)
    assert aligned.design == "paired"
    assert aligned.notes == (
        "design: assumed paired: policies share 2 of 3 blocks",
        "3 of 9 cells are empty: pairs with that policy skip the block",
    )


def test_strata_pair_trials_in_order_of_occurrence() -> None:
    aligned = align(STRATA)

    assert rows(aligned) == [[1, 4], [5, 3], [2, 6]]
    assert rows(align(STRATA, in_turn=False)) == [[1, 4], [2, 6], [5, 3]]
    assert aligned.design == "paired"
    assert aligned.notes[0].startswith("design: assumed stratified: policies share 2 of 2")
    assert aligned.notes[1] == "stratified: 3 rows within 2 strata, one of each in turn"
    assert "exchangeable rather than i.i.d." in aligned.notes[2]


def test_paired_takes_the_first_trial_of_a_block() -> None:
    aligned = align(STRATA, design="paired")

    assert rows(aligned) == [[1, 4], [5, 3]]
    assert aligned.notes[0] == (
        "2 further trials of a policy in the same block left out (the first counts); "
        "design='stratified' uses them"
    )
    assert aligned.looks_clause  # b came to the blocks in another order


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"design": "crossed"}, "design must be one of auto, independent, paired, stratified"),
        ({"task": "cup"}, "task must be one of task, but got 'cup'"),
        ({"policies": ("a", "x")}, "policy must be one of a, b, c in task 'task', but got 'x'"),
    ],
)
def test_bad_choices_get_one_clear_error(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        align(GAPS, **choices)


def test_what_is_needed_is_named() -> None:
    two_tasks = {"task": ["x", "y"], "policy": ["a", "a"], "score": [1, 2]}
    with pytest.raises(sw.InvalidInput, match="there are 2 tasks: name one of x, y"):
        align(sw.read_trials(two_tasks))
    with pytest.raises(sw.InvalidInput, match="'paired' needs a column of blocks, and"):
        align(sw.read_trials({"a": [1], "b": [2]}), design="paired")
    with pytest.raises(sw.InvalidInput, match="needs blocks, but every trial lacks one"):
        align(table(("a", None, 1), ("b", None, 1)), design="paired")


@pytest.mark.parametrize(
    ("design", "meet"), [("paired", [[0, 1], [1, 1]]), ("stratified", [[0, 1], [1, 1], [0.5, 1]])]
)
def test_a_wide_file_with_a_column_of_scenes_has_its_blocks(
    tmp_path: Path, design: str, meet: list[list[float]]
) -> None:
    file = tmp_path / "wide.csv"
    file.write_text("scene,old,new\nb,0,1\na,1,1\nb,0.5,1\n")
    aligned = align(sw.read_trials(file, bounds=(0, 1)), design=design)
    assert sorted(rows(aligned)) == sorted(meet)
