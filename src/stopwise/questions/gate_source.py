"""Which trials a gate looks at: two files or one, and the pairs that they make."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.pair_rules import pair_rules
from stopwise.core.pair_verdict import Verdict
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.score import BOUNDS_UNDECLARED, ROWS_INCOMPLETE
from stopwise.core.rules import Rules
from stopwise.core.stream import SequentialTest
from stopwise.data.folders import name_of
from stopwise.data.frames import is_path, is_place
from stopwise.data.read import read_trials
from stopwise.data.trials import Trials
from stopwise.errors import require
from stopwise.messages import Setting
from stopwise.questions.doubts import checkpoints_only
from stopwise.questions.gate_result import Measured
from stopwise.rows.align import align
from stopwise.rows.table import Table
from stopwise.rows.task_tables import tables


def found_policies(
    new: Any, baseline: Any, results: Any, reading: Mapping[str, Any]
) -> tuple[Trials | Mapping[str, Any], tuple[str, ...]]:
    """Return the trials of both policies, and the names of the baseline and of the new one."""
    names: tuple[str, ...]
    if baseline is None:
        return _alone(new, results, reading)
    if results is not None:
        trials = results if isinstance(results, Trials) else read_trials(results, **reading)
        names = (str(baseline), str(new))
    elif is_path(new) and isinstance(baseline, str) and not Path(baseline).exists():
        trials = read_trials(new, **reading)
        names = (baseline, _other(trials, baseline, str(new)))
    else:
        names = _named(new, baseline)
        own = {names[0]: baseline, names[1]: new}
        if not is_place(new):
            return own, names
        trials = read_trials(own, **reading)
    require(names[0] != names[1], f"the new policy and the baseline are both {names[0]!r}")
    for name in names:
        known = ", ".join(trials.policies)
        require(name in trials.policies, f"there is no policy {name!r}, only {known}")
    return trials, names


def _alone(
    new: Any, results: Any, reading: Mapping[str, Any]
) -> tuple[Trials | Mapping[str, Any], tuple[str]]:
    if results is None and not is_place(new):
        return {"new": new}, ("new",)
    place = new if results is None else results
    require(not is_path(place) or Path(place).exists(), f"{place}: there is no such file or folder")
    trials = place if isinstance(place, Trials) else read_trials(place, **reading)
    known = trials.policies
    name = str(new) if results is not None else known[0]
    require(name in known, f"there is no policy {name!r}, only {', '.join(known)}")
    _require_so_many(1 if results is None else len(known), known, new)
    return trials, (name,)


def pairs_of(
    trials: Trials | Mapping[str, Any],
    names: tuple[str, ...],
    *,
    task: str | None,
    design: str | None,
    bounds: tuple[float, float] | None,
    growing: bool,
) -> Table:
    """Align the trials as ``analyze`` does, baseline first; while they grow, in their order."""
    if isinstance(trials, Trials):
        table = _aligned(trials, names, task, design, in_turn=not growing).declaring(bounds)
    else:
        table = tables(trials, design=design)[0].declaring(bounds)
    require(
        not table.bounds_inferred,
        "a gate needs bounds that were declared before the data, not those of the data",
        parameter="bounds",
    )
    limits = table.bounds or (0.0, 1.0)
    table.check(Scale(*limits).check)
    table = table.clipped(Scale(*limits))
    caution = () if table.bounds is not None else (BOUNDS_UNDECLARED,)
    return replace(table, bounds=limits, notes=(*table.notes, *checkpoints_only(table), *caution))


def complete(table: Table, names: tuple[str, ...]) -> Table:
    whole = ~np.isnan(table.scores).any(axis=1)
    require(bool(whole.any()), f"no trial of {names[-1]} meets one of {names[0]}")
    notes = table.notes
    if table.design == "paired" and not whole.all():
        # else the later trials of one policy have no partner yet
        notes = (*notes, ROWS_INCOMPLETE)
    return replace(table, scores=table.scores[whole], notes=notes)


def measured(scores: Floats, names: tuple[str, ...]) -> Measured:
    known = ~np.isnan(scores)
    return Measured(
        trials=dict(zip(names, known.sum(axis=0).tolist(), strict=True)),
        means=dict(zip(names, np.nanmean(scores, axis=0).tolist(), strict=True)),
    )


def _aligned(
    trials: Trials, names: tuple[str, ...], task: str | None, design: str | None, *, in_turn: bool
) -> Table:
    require(
        task is not None or len(trials.tasks) == 1,
        f"a gate looks at one task, but there are {', '.join(trials.tasks)}: name one with ",
        Setting("task"),
    )
    return align(trials, task=task, design=design or "auto", policies=names, in_turn=in_turn)


def _other(trials: Trials, baseline: str, source: str) -> str:
    known = trials.policies
    require(
        baseline in known,
        f"the baseline {baseline!r} is neither a file nor a policy in {source} "
        f"({', '.join(known)})",
    )
    _require_so_many(2, known, source)
    return known[1] if known[0] == baseline else known[0]


def _require_so_many(number: int, known: tuple[str, ...], source: object) -> None:
    require(
        len(known) == number,
        f"{source} has {len(known)} policies ({', '.join(known)}): name the new one, and give the "
        "file with ",
        Setting("results"),
    )


def _named(new: Any, baseline: Any) -> tuple[str, str]:
    for value in (new, baseline):
        there = not is_path(value) or Path(value).exists()
        require(there, f"{value}: there is no such file or folder")
    require(
        is_place(new) == is_place(baseline),
        "give the new policy and the baseline in the same way: both as files or frames, or both "
        "as scores",
    )
    names = [
        name_of(Path(value)) if is_path(value) else usual
        for value, usual in ((baseline, "baseline"), (new, "new"))
    ]
    if names[0] == names[1]:
        names = [str(baseline), str(new)]
    return names[0], names[1]


def claims(rules: Rules) -> tuple[Rules, Rules]:
    """Rules of both tests: null mean1 <= mean0 - m, and null mean1 >= mean0 - m."""
    return rules, replace(rules, alternative="less", margin=-rules.margin)


def verdicts(rules: Rules, pairs: Table) -> tuple[Verdict, Verdict]:
    not_worse, worse = (_verdict(own, pairs) for own in claims(rules))
    return not_worse, worse


def _verdict(rules: Rules, pairs: Table) -> Verdict:
    settings = rules.pair_settings()
    test = SequentialTest.under(pair_rules(**settings.pop("parameters"), **settings))
    return test.run(*pairs.arranged(rules.reading.run).T, beyond=True)
