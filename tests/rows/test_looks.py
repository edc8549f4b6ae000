"""Files that grow: the rows of an earlier look are the first of a later one, or one look is said.

The rows decide, not the scores: so no claim is taken back, and alpha holds for all looks together.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stopwise as sw
from stopwise.rows.align import align
from stopwise.rows.table import Table
from tests.guarantees.pinned import assert_at_most

TRIAL = st.tuples(st.sampled_from("ab"), st.sampled_from("wxyz"))


def complete_rows(table: Table) -> list[list[float]]:
    return [list(row) for row in table.scores if not np.isnan(row).any()]


@pytest.mark.parametrize("design", ["independent", "paired", "stratified"])
def test_earlier_rows_are_the_first_of_later_ones_or_one_look_is_said(design: str) -> None:
    seen = set()

    @settings(max_examples=150, deadline=None)
    @given(st.lists(TRIAL, min_size=4, max_size=16), st.integers(2, 15))
    def check(rows: list[tuple[str, str]], at: int) -> None:
        policies, blocks = zip(*rows, strict=True)
        columns: dict[str, Any] = {
            "policy": policies,
            "block": blocks,
            "score": np.arange(len(rows)) / 20,
        }
        head = {name: values[:at] for name, values in columns.items()}
        if set(head["policy"]) != {"a", "b"}:
            return
        later, earlier = (
            align(sw.Trials.from_columns(own), policies=("a", "b"), design=design)
            for own in (columns, head)
        )
        once = bool(later.looks_clause)
        seen.add(once)
        before = complete_rows(earlier)
        assert once or complete_rows(later)[: len(before)] == before

    check()
    assert seen == ({False} if design == "independent" else {False, True})


def stratified(rng: np.random.Generator) -> dict[str, Any]:
    """Twelve scenes, of 10 trials of each policy, one after the other."""
    level = np.repeat(rng.uniform(0.1, 0.9, 12), 20)
    return {"scene": np.repeat(np.arange(12), 20), "success": rng.random(240) < level}


def tasks_in_turn(rng: np.random.Generator) -> dict[str, Any]:
    return {"task": np.repeat([*"ABCDEF"], 40), "success": rng.random(240) < 0.5}


def more_episodes(rng: np.random.Generator) -> dict[str, Any]:
    """One more episode of each of twenty training runs, night after night."""
    level = np.tile(rng.uniform(0.2, 0.8, 40), 6)
    return {"train_seed": np.tile(np.arange(40), 6), "success": rng.random(240) < level}


def best_in_turn(rng: np.random.Generator) -> dict[str, Any]:
    names = np.repeat([f"p{i}" for i in range(8)], 30)
    return {"policy": names, "success": rng.random(240) < 0.5}


def unequal_groups(rng: np.random.Generator) -> dict[str, Any]:
    names = np.where(np.arange(240) % 4 == 3, "new", "old")
    return {"policy": names, "success": rng.random(240) < 0.5}


# How trials arrive, how many between two looks, and what is asked.
MODES: dict[str, tuple[Any, int, dict[str, Any]]] = {
    "stratified": (stratified, 20, {}),
    "tasks": (tasks_in_turn, 40, {"tasks": "mean"}),
    "unit": (more_episodes, 40, {"unit": "seed"}),
    "best": (best_in_turn, 30, {"goal": "best"}),
    "groups": (unequal_groups, 40, {"unequal": "groups"}),
}


def least_p(
    columns: Mapping[str, Any], every: int, asked: Mapping[str, Any]
) -> tuple[float, float]:
    """The least p-value at looks that are not said to be for one look, and at those that are."""
    policies = np.tile(["old", "new"], len(columns["success"]) // 2)
    frame = pl.DataFrame({"policy": policies, **columns})
    seed = {"seed": "train_seed"} if "unit" in asked else {}
    least = {False: 1.0, True: 1.0}
    for end in range(every, len(frame) + 1, every):
        head = frame.head(end)
        if head["policy"].n_unique() < 2:
            continue
        said = sw.analyze(sw.read_trials(head, columns=seed), bounds=(0, 1), **asked)
        once = "for one look" in said.sentence
        assert once == any("one look" in note for note in said.warnings)
        p_values = [pair.p_value for pair in said.pairs]
        least[once] = min([least[once], *p_values, *getattr(said, "p_values", {}).values()])
    return least[False], least[True]


@pytest.mark.slow("sixty studies of each kind, each looked at many times: counts false claims")
@pytest.mark.parametrize("mode", MODES)
def test_claims_at_all_looks_together_are_false_at_most_at_alpha_or_said_to_be_of_one(
    mode: str,
) -> None:
    draw, every, asked = MODES[mode]
    rng, runs = np.random.default_rng(3), 60
    looks = np.array([least_p(draw(rng), every, asked) for _ in range(runs)])

    assert (looks[:, 1] < 1).any()  # such studies are told
    for alpha in (0.05, 0.2):
        assert_at_most(int((looks[:, 0] <= alpha).sum()), runs, alpha)
