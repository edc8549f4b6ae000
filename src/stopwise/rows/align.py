"""From a trial table to aligned scores: which trial of one policy meets which of another.

- independent: the k-th trial of one policy meets the k-th of the other.
- paired: one row per block, in the order in which blocks first appear. Of several trials of a
  policy in one block the first counts. Trials without a block are left out.
- stratified: the j-th trial of a policy in a block (the stratum) meets the j-th of the others.
  Rows go round the strata, whatever their order in the file: all trials of one scene first would
  let that scene decide. Within a round, strata that are near each other in the file are kept apart.
- unit "seed": the mean score of a training run is one trial; paired, runs of the same seed meet.
"""

import numpy as np
import polars as pl

from stopwise.core.arrays import Floats
from stopwise.data.trials import Trials
from stopwise.errors import require, require_choice
from stopwise.messages import BLANK, IN_TURN, Notes, Setting, counted, few, one_look
from stopwise.rows.groups import unequal_numbers
from stopwise.rows.table import Table, side_by_side

DESIGNS = ("auto", "independent", "paired", "stratified")
UNITS = ("trial", "seed")
FEW_ROWS_PER_STRATUM = 5


def align(
    trials: Trials,
    *,
    task: str | None = None,
    design: str = "auto",
    policies: tuple[str, ...] | None = None,
    unit: str = "trial",
    in_turn: bool = True,
) -> Table:
    require_choice("design", design, DESIGNS)
    require_choice("unit", unit, UNITS)
    frame, task, names = _selected(trials, task, policies)
    notes = Notes(trials.notes)
    if len(names) < 3 or not in_turn:
        notes = Notes(note for note in notes if getattr(note, "code", "") != IN_TURN)
    runs = 0
    if "seed" in (unit, trials.unit):
        frame = _by_training_run(frame, notes)
        if design not in ("auto", "independent"):
            frame = frame.rename({"seed": "block"})
            notes.add("blocks: the training seeds, as the design says")
    elif "seed" in frame.columns:
        trials_of = frame.drop_nulls("seed").group_by("policy", "seed").len()["len"]
        runs = len(trials_of) if (trials_of > 1).any() else 0  # with one each there is none to name
    if design == "auto":
        design = _detected(frame, notes)
    kinds: list[str] = [kind for kind in ("score", "proxy") if kind in frame.columns]
    layers: list[Floats]
    scenes: tuple[str, ...] = ()
    if design == "independent":
        grouped = frame.partition_by("policy", as_dict=True)
        notes += unequal_numbers({name: len(grouped[(name,)]) for name in names})
        layers = [
            side_by_side([grouped[(name,)][kind].to_numpy() for name in names]) for kind in kinds
        ]
    else:
        layers, scenes = _by_block(frame, names, kinds, design, notes, in_turn=in_turn)
        design = "paired"
        empty = int(np.isnan(layers).all(axis=0).sum())  # a judge's score is one, too
        if empty:
            skip = "cells are empty: pairs with that policy skip the block"
            notes.add(f"{empty} of {layers[0].size} {skip}")
    return Table(
        policies=names,
        scores=layers[0],
        design=design,
        task=task,
        bounds=trials.bounds.get(task),
        notes=tuple(notes),
        bounds_inferred=trials.bounds_inferred,
        training_runs=runs,
        preferences=trials.preferences,
        other_scores=tuple(layers[1:]),
        scenes=scenes,
    )


def _by_training_run(frame: pl.DataFrame, notes: Notes) -> pl.DataFrame:
    require(
        "seed" in frame.columns,
        Setting("unit", "seed"),
        " needs a column of training seeds, and none was found; name it with ",
        Setting("columns", {"seed": BLANK}),
    )
    without = frame["seed"].null_count()
    require(
        without == 0,
        Setting("unit", "seed"),
        f" needs the training seed of every trial, but {counted(without, 'trial')} have none",
    )
    grouped = frame.group_by("policy", "seed", maintain_order=True)
    means = grouped.agg(pl.col("score").mean())
    runs = counted(len(means), "training run")
    if len(means) < len(frame):
        notes.append(one_look("the mean of a training run changes with its next trial"))
    notes.add(f"the mean of each of {runs} is one trial, however many it has", code="unit-seed")
    return means


def _selected(
    trials: Trials, task: str | None, policies: tuple[str, ...] | None
) -> tuple[pl.DataFrame, str, tuple[str, ...]]:
    tasks = trials.tasks
    if task is None:
        require(len(tasks) == 1, f"there are {len(tasks)} tasks: name one of {few(tasks)}")
        task = tasks[0]
    require_choice("task", task, tasks)
    frame = trials.frame.filter(pl.col("task") == task)
    present = tuple(frame["policy"].unique(maintain_order=True))
    names = present if policies is None else tuple(policies)
    for name in names:
        require(
            name in present,
            f"policy must be one of {', '.join(present)} in task {task!r}, but got {name!r}",
        )
    return frame.filter(pl.col("policy").is_in(names)), task, names


def _detected(frame: pl.DataFrame, notes: Notes) -> str:
    """Design that the blocks show; sharing any block makes trials dependent."""
    design, why = "independent", "no block column found"
    hint: list[str | Setting] = []
    if "block" in frame.columns:
        cells = frame.drop_nulls("block").group_by("block", "policy").len()
        shared = int((cells.group_by("block").len()["len"] > 1).sum())
        why = "no block has trials of two policies"
        if shared:
            repeated = bool((cells["len"] > 1).any())
            design = "stratified" if repeated else "paired"
            why = f"policies share {shared} of {counted(cells['block'].n_unique(), 'block')}"
            why += ", some with several trials of a policy" if repeated else ""
    elif "row" in frame.columns:
        hint = ["; if those in a row of the table do, say so with ", Setting("design", "paired")]
    notes.add(f"design: assumed {design}: {why}", *hint)
    return design


def _by_block(
    frame: pl.DataFrame,
    names: tuple[str, ...],
    kinds: list[str],
    design: str,
    notes: Notes,
    *,
    in_turn: bool,
) -> tuple[list[Floats], tuple[str, ...]]:
    """Return one row per block (paired), or per block and occurrence (stratified)."""
    if "block" not in frame.columns and "row" in frame.columns:
        frame = frame.rename({"row": "block"})
        notes.add("blocks: the rows of the table, as the design says")
    require(
        "block" in frame.columns,
        f"design {design!r} needs a column of blocks, and no column has a usual name for one; "
        "name it with ",
        Setting("columns", {"block": BLANK}),
    )
    without = frame["block"].null_count()
    if without:
        notes.add(f"{counted(without, 'trial', 'trials')} without a block left out")
    frame = frame.drop_nulls("block")
    require(len(frame) > 0, f"design {design!r} needs blocks, but every trial lacks one")
    keys = ["block"]
    if design == "stratified":
        keys = ["block", "occurrence"]
        occurrence = pl.int_range(pl.len()).over("block", "policy").alias("occurrence")
        frame = frame.with_columns(occurrence)
    else:
        first = frame.unique(["block", "policy"], keep="first", maintain_order=True)
        if len(first) < len(frame):
            notes.add(
                f"{counted(len(frame) - len(first), 'further trial')} of a policy in the same "
                "block left out (the first counts); ",
                Setting("design", "stratified"),
                " uses them",
            )
        frame = first
    rows = frame.select(keys).unique(maintain_order=True)
    if design == "stratified":
        strata = rows["block"].unique(maintain_order=True)
        within = f"{counted(len(rows), 'row')} within {counted(len(strata), 'stratum', 'strata')}"
        order = "one of each in turn" if in_turn else "in order of occurrence"
        notes.add(f"stratified: {within}, {order}")
        if len(rows) < FEW_ROWS_PER_STRATUM * len(strata):
            notes.add(
                "strata with few trials each are exchangeable rather than i.i.d.: the guarantee is "
                "approximate unless the strata were drawn at random"
            )
        if in_turn:
            turn = rows["block"].replace_strict(strata, _spread(len(strata)), return_dtype=pl.Int64)
            rows = rows.with_columns(turn.alias("turn")).sort("occurrence", "turn").drop("turn")
    rows = rows.with_row_index("place")  # a wide file has a column `row` of its own
    row = frame.join(rows, on=keys, how="left", maintain_order="left")["place"].to_numpy()
    places = frame.select("policy", pl.Series("place", row))
    if in_turn and places.select((pl.col("place").diff() < 0).over("policy").any()).item():
        notes.append(one_look("rows are not in the order in which each policy was tried"))
    policy = frame["policy"].replace_strict(names, range(len(names)), return_dtype=pl.Int64)
    layers = [np.full((len(rows), len(names)), np.nan) for _ in kinds]
    for layer, kind in zip(layers, kinds, strict=True):
        layer[row, policy.to_numpy()] = frame[kind].to_numpy()
    return layers, tuple(rows["block"])


def _spread(count: int) -> list[int]:
    """Places with the bits of each number reversed: files list alike scenes together."""
    bits = max((count - 1).bit_length(), 1)
    return [int(f"{number:0{bits}b}"[::-1], 2) for number in range(count)]
