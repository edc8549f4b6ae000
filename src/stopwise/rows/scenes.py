"""A proxy in files: its scores beside those of the trials, and simulated scenes for its mean."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.pair_rules import rules_beside
from stopwise.core.rules import Rules
from stopwise.core.scores import numeric_array
from stopwise.errors import InvalidInput, require
from stopwise.messages import Setting, counted, named
from stopwise.rows.table import Table, side_by_side

# More scenes for each row hardly save more trials.
ENOUGH_SCENES = 50
# Fewer rows than these may be alike by chance.
ENOUGH_ROWS = 20


def read_scenes(source: Any, column: str | None, **reading: Any) -> Any:
    """Return simulated scenes as a trial table, if they are in a file or a frame."""
    from stopwise.data.read import read_trials
    from stopwise.data.reading import Reading
    from stopwise.data.sources import tables
    from stopwise.data.trials import Trials

    if isinstance(source, Trials | Mapping | np.ndarray):
        return source
    given = tables(source, Reading(format=reading.get("format")))
    has_column = column is not None and all(column in each.raw.frame.columns for each in given)
    columns = {
        role: name
        for role, name in (reading.pop("columns", None) or {}).items()
        if role not in ("proxy", "score")
    }
    score = column if has_column else reading.pop("score", None)
    try:
        return read_trials(source, **{**reading, "columns": columns, "score": score})
    except InvalidInput as error:
        if error.code != "no-score-column":
            raise
        raw = given[0].raw
        raise InvalidInput(
            f"{raw.source}: the simulated scenes have no column {column or 'score'!r}, the name "
            "of the proxy's scores in the trials, and none with a usual name for a score; "
            f"the columns are {', '.join(map(repr, raw.frame.columns))}",
            parameter="proxy_scores",
        ) from error


def _same_rows(scenes: Floats, trials: Floats) -> bool:
    """Whether simulated scenes are those of the trials, in whatever order; few may be by chance."""
    known = trials[~np.isnan(trials).any(axis=1)]
    if known.shape != scenes.shape or len(known) < ENOUGH_ROWS:
        return False
    first, second = (own[np.lexsort(own.T)] for own in (scenes.astype(float), known))
    return bool((first == second).all() and (known != known[0]).any())


def _worth(scenes: int, n_max: int) -> str:
    many = ENOUGH_SCENES * n_max
    text = f", {scenes / n_max:.2g} for each of {counted(n_max, 'row')}"
    if scenes < n_max:
        text = f", fewer than one for each of {n_max} rows"
    return text if scenes >= many else f"{text}; {many:,} would save more trials"


@dataclass(frozen=True, kw_only=True)
class Scenes:
    column: str | None  # the name of the proxy's column
    # Simulated scenes: a file, a frame, a trial table, a mapping from policy to its scores in each
    # scene, or an array (scenes, policies); None if the mean is known.
    source: Any
    several: bool = False  # whether there are several tasks, so that the scenes must name theirs

    def rules(self, table: Table, settings: Mapping[str, Any]) -> tuple[Rules, Table]:
        known = dict(settings)
        mean = known.get("proxy_mean")
        require(
            mean is None or isinstance(mean, Mapping),
            named("proxy_mean"),
            f" must be the mean of the proxy for each policy by name, but got {mean!r}",
        )
        audit = known.get("audit") is not None
        require(
            self.column is None or mean is not None or self.source is not None or audit,
            "a proxy needs its mean over all scenes: give ",
            Setting("proxy_scores"),
            " (simulated scenes), or ",
            Setting("proxy_mean"),
            " if it is known; or, where it is a judge, ",
            Setting("audit"),
        )
        if self.source is None:
            return Rules.of(**known), table
        scores, note = self._drawn(table)
        rules = rules_beside(scores, **known)
        notes = (*table.notes, note + _worth(len(scores), rules.n_max or 0))
        return rules, replace(table, notes=notes)

    def _drawn(self, table: Table) -> tuple[Floats, str]:
        apart = 0
        require(
            not self.several or not isinstance(self.source, np.ndarray | Mapping),
            "there are several tasks: give simulated scenes that name theirs, as a file or a frame",
            parameter="proxy_scores",
        )
        if isinstance(self.source, np.ndarray):
            scores = self.source
        elif isinstance(self.source, Mapping):
            scores = side_by_side([numeric_array(self._own(name), name) for name in table.policies])
        else:
            found = self._of_task(table)
            lacking = [name for name in table.policies if name not in found.policies]
            require(not lacking, f"the simulated scenes have none of {', '.join(lacking)}")
            real = set(table.scenes)
            names = found.scenes or (None,) * len(found.scores)
            new = np.array([name not in real for name in names])
            require(
                bool(new.any()),
                "every simulated scene has the name of a real one: the proxy's mean must come from "
                "scenes other than those of the trials, with names of their own",
                parameter="proxy_scores",
            )
            apart = int((~new).sum())
            scores = found.arranged(table.policies)[new]
        complete = scores[~np.isnan(scores.astype(float)).any(axis=-1)]
        require(
            not any(_same_rows(complete, own) for own in (table.scores, *table.beside)),
            "the simulated scenes have the scores of the trials, row by row: the mean of the proxy "
            "must come from other scenes, drawn separately from those of the trials",
            parameter="proxy_scores",
        )
        left = f" ({counted(apart, 'scene')} of the trials left out)" if apart else ""
        text = f"the mean of the proxy comes from {counted(len(complete), 'simulated scene')}"
        return complete, text + left

    def _own(self, name: str) -> Any:
        require(name in self.source, f"the simulated scenes have none of {name}")
        return self.source[name]

    def _of_task(self, table: Table) -> Table:
        from stopwise.rows.align import align

        trials = read_scenes(self.source, self.column)
        task = table.task if self.several or len(trials.tasks) > 1 else None
        require(
            task is None or task in trials.tasks,
            f"there are no simulated scenes of the task {task}: each task needs its own, named in "
            "a column task",
            parameter="proxy_scores",
        )
        design = "paired" if "block" in trials.frame.columns else "independent"
        return align(trials, task=task, design=design)
