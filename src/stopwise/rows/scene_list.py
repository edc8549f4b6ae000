"""Trials on a fixed list of scenes: whether the list is whole, and the order it was tried in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from stopwise.core.scores import require_whole
from stopwise.data.folders import in_number_order
from stopwise.data.trials import Trials, numbered
from stopwise.errors import require
from stopwise.messages import BLANK, ONE_LOOK, Setting, counted, few, named
from stopwise.rows.table import Table

# So many scenes come in the order of their names by chance in one of 720 orders.
SORTED_SCENES = 6


def drawn(
    trials: Any, settings: Mapping[str, Any], design: str | None = None, task: str | None = None
) -> Any:
    """Return trials in the order in which scenes were drawn, or raise if they cannot be."""
    list_size = settings.get("list_size")
    if list_size is None or not isinstance(trials, Trials):
        return trials
    if task is None:
        trials = _one_task(trials)
    else:
        trials = replace(trials, frame=trials.frame.filter(pl.col("task") == task))
    if "block" not in trials.frame.columns:
        return trials
    without = trials.frame["block"].null_count()
    require(without == 0, f"{counted(without, 'trial')} have no scene, and none may be left out")
    scenes = {
        str(policy): part["block"].to_list()
        for (policy,), part in trials.frame.group_by("policy", maintain_order=True)
    }
    for policy, part in scenes.items():
        twice = few([scene for scene in dict.fromkeys(part) if part.count(scene) > 1])
        require(not twice, f"{policy!r} has {twice} twice, but each scene of a list is tried once")
    size = _size(list_size, len(set().union(*scenes.values())))
    parts = {policy: part for policy, part in scenes.items() if len(part) < size}
    for policy, part in parts.items():
        require(
            len(part) < SORTED_SCENES or not _as_listed(part),
            f"the {len(part)} of {size} scenes of {policy!r} come in the order of the list "
            f"({few(part[:3])}, ...): a part of it speaks for the whole only if the order was "
            "drawn at random before; run the rest, or leave ",
            named("list_size"),
            " out",
        )
    # Of policies that are through, the last one has followed the order: the first may be stored.
    through = [policy for policy, part in scenes.items() if not _as_listed(part)]
    leading = max(parts, key=lambda policy: len(parts[policy])) if parts else None
    leading = leading or (through[-1] if through else None)
    if leading is None or design == "independent":
        return trials
    for policy, part in parts.items():
        for other, order in scenes.items():
            if other == leading or len(order) == size:
                _require_first_of(policy, part, other, order, whole=len(order) == size)
    order = list(dict.fromkeys([*scenes[leading], *trials.frame["block"]]))
    place = pl.col("block").replace_strict(order, range(len(order)), return_dtype=pl.Int64)
    return replace(trials, frame=numbered(trials.frame.sort(place, maintain_order=True)))


def declared(table: Table, settings: Mapping[str, Any]) -> tuple[Table, dict[str, Any]]:
    """Return a table with what its rows declare: whether they are all of a list."""
    if settings.get("list_size") is None:
        return table, {}
    size = _size(settings["list_size"], len(table.scores))
    known = ~np.isnan(table.scores)
    for policy, column in zip(table.policies, known.T, strict=True):
        gap = int(np.append(column, False).argmin())
        require(
            not column[gap:].any(),
            f"{policy!r} has no score of scene {gap + 1}, but of later ones: no scene of a list "
            "may be left out; ",
            Setting("missing", "fail"),
            " counts a trial without a score as a failure",
        )
    if len(table.scores) < size or not known.all():
        return table, {}
    text = f" = {settings.get('n_max')} leaves scenes of the list out, but all were tried, so that "
    say = "the totals decide: leave it out"
    require(settings.get("n_max") in (None, size), named("n_max"), text, say)
    notes = [note for note in table.notes if not getattr(note, "code", "").startswith(ONE_LOOK)]
    return replace(table, notes=tuple(notes)), {"whole_list": True}


def _size(list_size: Any, scenes: int) -> int:
    size = require_whole(list_size, "list_size", 1)
    require(
        scenes <= size,
        f"there are {scenes} scenes, but the list has {size}: declare ",
        Setting("list_size", scenes),
        " if these are all",
    )
    return size


def _one_task(trials: Trials) -> Trials:
    if len(trials.tasks) == 1:
        return trials
    require(
        "block" in trials.frame.columns,
        f"the list has scenes of {len(trials.tasks)} tasks, but no column names them: say it with ",
        Setting("columns", {"block": BLANK}),
    )
    scene = pl.concat_str("task", "block", separator=" ").alias("block")
    bounds = {*trials.bounds.values()}
    require(len(bounds) < 2, "the tasks of a list must have the same ", named("bounds"))
    return replace(
        trials,
        frame=numbered(trials.frame.with_columns(scene, pl.lit("task").alias("task"))),
        bounds={"task": bounds.pop()} if bounds else {},
    )


def _as_listed(scenes: Sequence[str]) -> bool:
    steps = {before < after for before, after in pairwise(map(in_number_order, scenes))}
    return len(steps) < 2  # forwards or backwards


def _require_first_of(
    policy: str, scenes: Sequence[str], other: str, order: Sequence[str], *, whole: bool
) -> None:
    """Raise unless one policy's scenes are the first of the other's, in the same order."""
    place = {scene: number for number, scene in enumerate(order)}
    places = [place[scene] for scene in scenes if scene in place]
    if whole and (len(places) < SORTED_SCENES or places != sorted(places)):
        return
    expected = next((scene for scene, met in zip(order, scenes, strict=False) if scene != met), "")
    require(
        not expected,
        f"{policy!r} did not meet scene {expected!r} when {other!r} did, as in order of completion "
        "or where it is missing: rows follow the order drawn before, and no scene of a list may be "
        "left out; ",
        Setting("missing", "fail"),
        " counts a trial without a score as a failure; if each policy has an order of its own, ",
        Setting("design", "independent"),
    )
