"""One function from any file, folder or frame to the trial table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import polars as pl

from stopwise.core.keywords import flat
from stopwise.data.bounds import bounds_of_data, declared_bounds
from stopwise.data.copies import tell_equal, without_copies
from stopwise.data.growing import growing
from stopwise.data.names import short_name
from stopwise.data.notes import in_order, tell_one_name
from stopwise.data.order import in_chance_order, tell_looks
from stopwise.data.raw import says, with_facts
from stopwise.data.reading import Bounds, Reading, ReadingSettings
from stopwise.data.roles import Column, resolve
from stopwise.data.scenes import scenes_of_one_task, tell_unused, with_blocks
from stopwise.data.shapes import shaped
from stopwise.data.sources import Loaded, load
from stopwise.data.standard import Part, standardise
from stopwise.data.trials import Trials, numbered
from stopwise.errors import InvalidInput, StopwiseError, require
from stopwise.messages import BLANK, Notes, Setting, names_listed

# Why a file of a folder is no file of trials; whatever else is wrong with one is an error.
NO_TRIALS = ("no-score-column", "summary", "no-records", "no-policies")


@flat(ReadingSettings, order="file", seed=None, missing="error", bounds=None)
def read_trials(source: Any, **settings: Unpack[ReadingSettings]) -> Trials:
    """Read trials from the files that people have, and note what was assumed.

    What a file leaves open is a question: an error that names the column and the settings that
    answer it.

    Parameters
    ----------
    source
        A path to a file, or to a folder with a file or sub-folder per policy; a list of paths; a
        dictionary of policy: path; a polars, pandas or Arrow frame; a NumPy array with a column of
        scores per policy; a dictionary of columns, or of policy: scores.
    **settings
        How it is read.

    Returns
    -------
    Trials
        Its notes say what was guessed, assumed or dropped; its columns, which means what and why.

    Examples
    --------
    >>> import stopwise as sw
    >>> trials = sw.read_trials({"base": [0, 1, 0], "new": [1, 1]}, bounds=(0, 1))
    >>> trials.frame["score"].to_list()
    [0.0, 1.0, 0.0, 1.0, 1.0]
    >>> print(*trials.notes, sep="; ")
    no array has the usual name of a column, so each holds the scores of one policy; ...
    """
    reading, notes = Reading.of(settings), Notes()
    parts = _parts(load(source, reading), reading, notes)
    if reading.columns.get("trial", "") is not None:
        parts = without_copies(parts, notes)
    parts = with_blocks(parts, reading, notes)
    tell_unused(parts, notes)
    tell_looks([part.frame for part in parts], reading, notes)
    frame = scenes_of_one_task(_concatenated(parts), reading, notes)
    frame = _ordered(frame, reading, notes)
    require(
        len(frame) > 0,
        f"{parts[0].raw.source}: no trial is left after dropping those without a score",
    )
    tell_equal(frame, notes)
    tell_one_name(parts, notes)
    limits = _bounds(reading.bounds, parts, frame, notes)
    for part in parts:
        part.require_within(limits)
    return Trials(
        numbered(frame),
        limits,
        in_order(parts, notes),
        reading.order,
        bounds_inferred=reading.bounds == "data",
        preferences=any(part.score_column == part.raw.preferences for part in parts),
        columns=tuple(dict.fromkeys(column for part in parts for column in part.explained)),
        unit="seed" if reading.at is not None and "seed" in frame.columns else "trial",
    )


def explained(
    source: Any, **settings: Unpack[ReadingSettings]
) -> tuple[tuple[Column, ...], StopwiseError | None]:
    """The role of each column with the reason for it, and the open question if there is one."""
    reading = Reading.of(settings)
    columns: dict[Column, None] = {}
    try:
        for table in load(source, reading):
            raw = table.raw
            try:
                raw = shaped(raw, reading, alone=table.alone)
                columns |= dict.fromkeys(resolve(raw, reading, alone=table.alone).explained)
            except InvalidInput:
                columns |= dict.fromkeys(Column(name, "", "") for name in raw.frame.columns)
        return read_trials(source, **settings).columns, None
    except StopwiseError as error:
        return tuple(columns), error


def _parts(tables: Sequence[Loaded], reading: Reading, notes: Notes) -> list[Part]:
    """Return the trials of each table; a file of a folder may hold something else."""
    parts: list[Part] = []
    inside: dict[str, list[str]] = {}
    others: dict[int, InvalidInput] = {}
    skipped: list[str] = []
    for table in tables:
        try:
            part = _kept_part(table, reading)
            parts.append(part)
            if says(part.notes, "task-assumed") and says(part.notes, "policy-assumed"):
                inside.setdefault(table.policy_from_file or "", []).append(table.inside)
        except InvalidInput as error:
            if not table.in_folder or not _holds_no_trials(error, table, reading):
                raise
            others.setdefault(len(table.raw.frame), error)
            skipped.append(Path(table.raw.source).name)
    if not parts:
        raise others[max(others)]
    if not reading.speaks_of("file"):
        _require_alike(parts, inside)
    if all(table.in_folder for table in tables):
        logs = [part for part in parts if says(part.notes, "training-log")]
        policies = [{*part.frame["policy"]} for part in parts if part not in logs]
        logs = [part for part in logs if {*part.frame["policy"]} <= set().union(*policies)]
        skipped += [Path(part.raw.source).name for part in logs]
        parts = [part for part in parts if part not in logs]
    if skipped:
        text = f"left out, since they hold no trials: {names_listed(dict.fromkeys(skipped))}"
        notes.add(text, code="files-skipped")
    return parts


def _require_alike(parts: Sequence[Part], inside: Mapping[str, Sequence[str]]) -> None:
    """Raise if files of a policy are called in ways that recur, or scores are of several kinds."""
    policies = {name: set(names) for name, names in inside.items()}
    recurring = [n for names in policies.values() for n in names if len(names) > 1]
    several = sorted({name for name in recurring if recurring.count(name) > 1} - {""})
    if several:
        raise InvalidInput(
            f"in each folder ({names_listed(policies)}) are files called {names_listed(several)}: "
            "say what they are; ",
            Setting("columns", {"task": "file"}),
            " if tasks, ",
            Setting("columns", {"policy": "file", "task": "folder"}),
            " if policies in folders of tasks, ",
            Setting("columns", {"seed": "file"}),
            " if training runs, ",
            Setting("columns", {"ignore": "file"}),
            " if further trials",
        )
    codes = "policy-per-array", "policy-per-column"
    arrays = [{*p.frame["policy"]} for p in parts if any(says(p.notes, code) for code in codes)]
    both = set.intersection(*arrays) if len(arrays) > 1 else set()
    if len(both) > 1:
        raise InvalidInput(
            f"each of several files holds scores of {names_listed(sorted(both))}: say what they "
            "are; ",
            Setting("columns", {"policy": "file", "task": "policy"}),
            " if tasks, ",
            Setting("columns", {"ignore": "file"}),
            " if policies",
        )
    scores = {short_name(p.score_column): p.raw.source for p in parts if not p.raw.defined}
    if len(scores) > 1:
        shown = " and ".join(f"{name!r} in {source}" for name, source in list(scores.items())[:2])
        text = f"the files hold scores of several kinds, {shown}: choose one that all have with "
        raise InvalidInput(text, Setting("score"))


def _holds_no_trials(error: InvalidInput, table: Loaded, reading: Reading) -> bool:
    """Whether a file has nothing to compare, or lacks a column and has no other score."""
    if error.code != "no-such-column":
        return error.code in NO_TRIALS
    try:
        _part(table, replace(reading, columns={}, where={}))
    except InvalidInput as other:
        return other.code in NO_TRIALS
    return False


def _kept_part(table: Loaded, reading: Reading) -> Part:
    files = growing()
    if files is None:
        return _part(table, reading)
    # Whoever watches asks for the same of each table, as long as it is the same.
    mark = table.raw, table.policy, table.policy_from_file, table.facts
    return files.kept(_part, table.raw.source, mark, table, reading)


def _part(table: Loaded, reading: Reading) -> Part:
    raw = shaped(with_facts(table.raw, dict(table.facts)), reading, alone=table.alone)
    return standardise(raw, table, reading)


def _concatenated(parts: Sequence[Part]) -> pl.DataFrame:
    kinds = {part.frame["time"].dtype for part in parts if "time" in part.frame.columns}
    if len(kinds) > 1:
        raise parts[-1].raw.refusal(
            "its times are not of the same kind (numbers or dates) as those of the other files; "
            "choose the column with ",
            Setting("columns", {"time": BLANK}),
            " or ignore the times with ",
            Setting("columns", {"time": None}),
        )
    return pl.concat([part.frame for part in parts], how="diagonal")


def _ordered(frame: pl.DataFrame, reading: Reading, notes: Notes) -> pl.DataFrame:
    """Return the trials in the order that was asked for."""
    by_time = Setting("order", "time")
    if reading.order == "shuffled":
        text = f"order: shuffled with seed {reading.seed}, not the order in which trials were run"
        notes.add(text, code="order-shuffled")
        return frame[np.random.default_rng(reading.seed).permutation(len(frame))]
    if reading.order == "time":
        needs = " needs a time column, but none was found"
        require("time" in frame.columns, by_time, needs)
        gaps = frame["time"].null_count()
        require(gaps == 0, by_time, f" needs the time of every trial, but {gaps} have none")
        return frame.sort("time", maintain_order=True)
    frame = in_chance_order(frame, notes)
    if "time" in frame.columns and not frame["time"].drop_nulls().is_sorted():
        unsorted = "trials are taken in file order, which is not the order of their times; "
        notes.add(unsorted, by_time, " sorts them", code="order-of-file")
    return frame


def _bounds(
    bounds: Bounds | Mapping[str, Bounds] | str | None,
    parts: Sequence[Part],
    frame: pl.DataFrame,
    notes: Notes,
) -> dict[str, Bounds]:
    """Return the bounds of each task: declared, or as every file with it defines them."""
    if isinstance(bounds, str):
        notes.add("bounds: taken from the data, which voids the guarantee", code="bounds-of-data")
        return bounds_of_data(frame)
    tasks = frame["task"].unique(maintain_order=True).to_list()
    by_task: dict[str, set[Bounds | None]] = {}
    for part in parts:
        for task in part.frame["task"].unique(maintain_order=True):
            by_task.setdefault(task, set()).add(part.bounds)
    everywhere = set().union(*by_task.values())
    defined = {task: limits for task in tasks for limits in by_task.get(task, everywhere)}
    several = {task for task in tasks if len(by_task.get(task, everywhere)) > 1}
    agreed = {task: limits for task, limits in defined.items() if limits and task not in several}
    return {**agreed, **declared_bounds(bounds, tasks)}
