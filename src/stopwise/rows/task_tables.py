"""From any source of trials to tables, one per task."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.scores import numeric_array
from stopwise.errors import InvalidInput, require
from stopwise.messages import BLANK, Setting, counted, few
from stopwise.rows.groups import unequal_numbers
from stopwise.rows.table import Table, side_by_side


def tables(
    source: Any,
    *,
    design: str | None,
    unit: str = "trial",
    in_turn: bool = True,
    proxy: str | Mapping[str, Any] | None = None,
) -> list[Table]:
    from stopwise.data.trials import Trials
    from stopwise.rows.align import align

    if isinstance(source, Trials):
        require(
            proxy is None or "proxy" in source.frame.columns,
            "the trials were read without a proxy: read them with ",
            Setting("columns", {"proxy": BLANK}),
        )
        return [
            align(source, task=task, design=design or "auto", unit=unit, in_turn=in_turn)
            for task in source.tasks
        ]
    require(
        unit == "trial",
        Setting("unit", unit),
        " needs a trial table with a column of training seeds: read it with read_trials",
    )
    if isinstance(source, Table):
        return [source if design is None else replace(source, design=design)]
    if isinstance(source, Mapping):
        return [_from_mapping(source, design, proxy)]
    raise InvalidInput(
        "trials must be a file, a frame, a trial table, aligned scores or a mapping from policy "
        f"to scores, but got {type(source).__name__}",
        parameter="trials",
    )


def of_every_policy(policies: Mapping[str, list[str]]) -> tuple[list[str], tuple[str, ...]]:
    """Return the tasks in which every policy has trials, and a note on the others."""
    gaps = _gaps(policies)
    kept = [task for task in policies if task not in gaps]
    listed = few([f"{task} has no {names}" for task, names in gaps.items()], "; ")
    require(bool(kept), f"no task has trials of every policy: {listed}")
    if not gaps:
        return kept, ()
    text = (
        f"{counted(len(gaps), 'task is', 'tasks are')} left out, because not every policy has "
        f"trials there ({listed}): claims are about the other {len(kept)}, and valid only if what "
        "is missing does not depend on the scores"
    )
    return kept, (text,)


def comparable(parts: list[Table], baseline: str | None) -> list[Table]:
    """Return the tables with policies to compare; all of them say what is missing in which task."""
    gaps = _gaps({str(part.task): list(part.policies) for part in parts})
    # A baseline that is in no task is a mistake, for the rules to refuse.
    known = any(baseline in part.policies for part in parts)
    kept = [
        part
        for part in parts
        if len(part.policies) >= 2 and (not known or baseline in part.policies)
    ]
    left = {str(part.task) for part in parts} - {str(part.task) for part in kept}
    listed = few(
        [
            f"{task} has no trials of {names}{', and is left out' if task in left else ''}"
            for task, names in gaps.items()
        ],
        "; ",
    )
    if len(parts) == 1:
        return parts
    only = f"there is only {parts[0].policies[0]}"  # in all of them
    require(bool(kept), f"no task has policies to compare: {listed or only}", code="few-policies")
    note = (f"the trials are not complete: {listed}",) if gaps else ()
    return [replace(part, notes=(*part.notes, *note)) for part in kept]


def _gaps(policies: Mapping[str, list[str]]) -> dict[str, str]:
    """Missing policies by task."""
    every = list(dict.fromkeys(name for numbers in policies.values() for name in numbers))
    lacking = {
        task: [name for name in every if name not in numbers] for task, numbers in policies.items()
    }
    return {task: ", ".join(names) for task, names in lacking.items() if names}


def _from_mapping(source: Mapping[str, Any], design: str | None, proxy: Any) -> Table:
    columns = {str(name): numeric_array(scores, repr(name)) for name, scores in source.items()}
    for name, column in columns.items():
        require(column.ndim == 1, f"{name!r} needs its scores in one row, got {column.shape}")
    gaps = sum(int(np.isnan(column).sum()) for column in columns.values())
    note = f"{counted(gaps, 'score is', 'scores are')} NaN, which counts as no trial"
    numbers = {name: len(cells) for name, cells in columns.items()}
    uneven = () if design == "paired" else unequal_numbers(numbers)
    return Table(
        policies=tuple(columns),
        scores=side_by_side([*columns.values()]),
        design=design or "independent",
        notes=(*((note,) if gaps and proxy is None else ()), *uneven),
        other_scores=() if proxy is None else (_proxy(proxy, columns),),
    )


def _proxy(proxy: Any, scores: Mapping[str, Floats]) -> Floats:
    require(
        isinstance(proxy, Mapping) and set(map(str, proxy)) == set(scores),
        f"with scores by policy, proxy must have scores for each of {', '.join(scores)}",
        parameter="proxy",
    )
    proxies = {
        str(name): numeric_array(column, f"proxy of {name!r}") for name, column in proxy.items()
    }
    require(
        all(proxies[name].shape == column.shape for name, column in scores.items()),
        "proxy needs as many scores for each policy as it has trials",
    )
    return side_by_side([proxies[name] for name in scores])
