"""Which numbers of trials a table declares, where its rows are to use more than one per policy."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stopwise.errors import require, require_choice
from stopwise.messages import Message, Setting, counted, named, one_look
from stopwise.rows.table import Table

CODE = "unequal-numbers"


def grouped(
    table: Table, n_max: int | None, stored: str | Sequence[str], unequal: str
) -> tuple[Table, dict[str, Any]]:
    """Return a table, and what the numbers of its trials declare."""
    require_choice("unequal", unequal, ("shorter", "groups"))
    stored, every = (stored,) if isinstance(stored, str) else tuple(stored), unequal == "groups"
    if not stored and not every:
        return table, {"n_max": n_max}
    require(
        table.mean is None or table.mean.order != "random",
        "the tasks of trials that were run before were not drawn with those of the rows: "
        "average them in rounds, with ",
        Setting("task_order", "rounds"),
        parameter="stored",
    )
    require(
        table.design == "independent",
        "averages of groups need the independent design: in a paired design a row is one "
        "environment that all policies share",
        parameter="design",
    )
    ends = [int(np.flatnonzero(~np.isnan(column)).max(initial=-1)) + 1 for column in table.scores.T]
    numbers = dict(zip(table.policies, ends, strict=True))
    for name in stored:
        text = f"stored names a policy of the files ({', '.join(numbers)}), but got {name!r}"
        require(name in numbers, text, parameter="stored")
    new = [number for name, number in numbers.items() if name not in stored]
    rows = n_max or (min(numbers.values()) if every else max(new, default=1))
    groups = {
        name: number
        for name, number in numbers.items()
        if name in stored or (every and number > rows)
    }
    notes = [note for note in table.notes if getattr(note, "code", "") != CODE]
    if every or n_max is None:  # with more trials of the longer policy, its groups would be others
        cure = () if every else ("; to look more often, declare ", named("n_max"))
        notes = [one_look("their numbers make the groups", *cure), *notes]
    return replace(table, notes=tuple(notes)), {"n_max": rows, "groups": groups, "stored": stored}


def unequal_numbers(numbers: dict[str, int]) -> tuple[Message, ...]:
    """Note the trials that lie unused for want of a partner."""
    *_, second, most = (0, *sorted(numbers.values()))
    if second in (0, most):
        return ()
    listed = ", ".join(f"{name} {number}" for name, number in numbers.items())
    note = Message(
        f"unequal numbers of trials ({listed}): the last {counted(most - second, 'trial')} of the "
        "longest lie unused, without a partner",
        code=CODE,
    )
    return (note,)


def with_cure(note: str) -> str:
    """The note of unused trials with the word that would use them; another as it is."""
    if getattr(note, "code", "") != CODE:
        return note
    cure = "; if the numbers were fixed before any score was seen, "
    return Message(note, cure, Setting("unequal", "groups"), " uses every trial", code=CODE)
