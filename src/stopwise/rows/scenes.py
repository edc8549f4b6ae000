"""A proxy in files: its scores beside those of the trials, and simulated scenes for its mean."""

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.readings.scenes import mixed
from stopwise.core.rules import Rules
from stopwise.core.scores import numeric_array
from stopwise.errors import require
from stopwise.messages import Setting, counted, named
from stopwise.rows.table import Table, side_by_side

# More scenes for each row hardly save more trials.
ENOUGH_SCENES = 50
# Fewer rows than these may be alike by chance.
ENOUGH_ROWS = 20


def read_scenes(source: Any, column: str | None, **reading: Any) -> Any:
    """Read simulated scenes; their score has the proxy's name in the trials, or a usual one."""
    from stopwise.data.read import read_trials
    from stopwise.data.reading import Reading
    from stopwise.data.sources import load
    from stopwise.data.trials import Trials

    if isinstance(source, Trials | Mapping | np.ndarray):
        return source
    columns = {
        role: name
        for role, name in (reading.pop("columns", None) or {}).items()
        if role not in ("proxy", "score")
    }
    given = load(source, Reading(format=reading.get("format")))
    if column is not None and all(column in each.raw.frame.columns for each in given):
        reading["score"] = column
    return read_trials(source, **{**reading, "columns": columns})


def proxied(
    table: Table,
    settings: Mapping[str, Any],
    *,
    column: str | None,
    source: Any,
    several: bool = False,
) -> tuple[Rules, Table]:
    """Return the rules of a table, and the table with the simulated scenes of a source, if any."""
    mean = settings.get("proxy_mean")
    require(
        mean is None or isinstance(mean, Mapping),
        named("proxy_mean"),
        f" must be the mean of the proxy for each policy by name, but got {mean!r}",
    )
    known = (mean, source, settings.get("audit"))
    require(
        column is None or any(values is not None for values in known),
        "a proxy needs its mean over all scenes: give ",
        Setting("proxy_scores"),
        " (simulated scenes), or ",
        Setting("proxy_mean"),
        " if it is known; or, where it is a judge, ",
        Setting("audit"),
    )
    if source is None:
        return Rules.of(**settings), table
    scores, apart = _simulated(table, column, source, several=several)
    rules = Rules.of(proxy_scores=scores, **settings)
    note = f"the mean of the proxy comes from {counted(len(scores), 'simulated scene')}"
    note += f" ({counted(apart, 'scene')} of the trials left out)" if apart else ""
    if len(scores) < ENOUGH_SCENES * (rules.n_max or 0):
        note += f"; {ENOUGH_SCENES * (rules.n_max or 0):,} would save more trials"
    notes = (*table.notes, note)
    return rules, replace(table, notes=notes, simulated=mixed(scores.astype(float)))


def _simulated(
    table: Table, column: str | None, source: Any, *, several: bool
) -> tuple[Floats, int]:
    """Return complete scenes (scenes, policies), and the number left out as those of the trials."""
    apart = 0
    if isinstance(source, np.ndarray | Mapping):
        require(
            not several,
            "there are several tasks: give simulated scenes that name theirs, as a file or a frame",
            parameter="proxy_scores",
        )
        scores: Any = source
        if isinstance(source, Mapping):
            _require_policies(source, table)
            scores = side_by_side([numeric_array(source[name], name) for name in table.policies])
    else:
        simulated = _aligned(table, read_scenes(source, column), several=several)
        _require_policies(simulated.policies, table)
        real = set(table.scenes)
        names = simulated.scenes or ("",) * len(simulated.scores)
        new = np.array([not name or name not in real for name in names])
        require(
            bool(new.any()),
            "every simulated scene has the name of a real one: the proxy's mean must come from "
            "scenes other than those of the trials, with names of their own",
            parameter="proxy_scores",
        )
        apart = int((~new).sum())
        scores = simulated.arranged(table.policies)[new]
    complete: Floats = scores[~np.isnan(scores.astype(float)).any(axis=-1)]
    require(
        not any(_same_rows(complete, layer) for layer in (table.scores, *table.other_scores)),
        "the simulated scenes have the scores of the trials, row by row: the mean of the proxy "
        "must come from other scenes, drawn separately from those of the trials",
        parameter="proxy_scores",
    )
    return complete, apart


def _same_rows(scenes: Floats, trials: Floats) -> bool:
    """Whether simulated scores equal those of the trials in any order; few may by chance."""
    known = trials[~np.isnan(trials).any(axis=1)]
    if known.shape != scenes.shape or len(known) < ENOUGH_ROWS:
        return False
    first, second = (block[np.lexsort(block.T)] for block in (scenes.astype(float), known))
    return bool((first == second).all() and (known != known[0]).any())


def _require_policies(names: Container[str], table: Table) -> None:
    lacking = [name for name in table.policies if name not in names]
    require(not lacking, f"the simulated scenes have none of {', '.join(lacking)}")


def _aligned(table: Table, trials: Any, *, several: bool) -> Table:
    from stopwise.rows.align import align

    task = table.task if several or len(trials.tasks) > 1 else None
    require(
        task is None or task in trials.tasks,
        f"there are no simulated scenes of the task {task}: each task needs its own, named in "
        "a column task",
        parameter="proxy_scores",
    )
    design = "paired" if "block" in trials.frame.columns else "independent"
    return align(trials, task=task, design=design)
