"""Which numbers of trials a table declares, where its rows are to use more than one per policy."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stopwise.errors import require, require_choice
from stopwise.messages import Message, Setting, named, one_look
from stopwise.rows.table import Table

UNEQUAL = ("shorter", "groups")
CODE = "unequal-numbers"
MAKE_GROUPS = "their numbers make the groups"


@dataclass(frozen=True)
class Groups:
    stored: str | Sequence[str] = ()
    unequal: str = UNEQUAL[0]

    def declared(self, table: Table, n_max: int | None) -> tuple[Table, dict[str, Any]]:
        require_choice("unequal", self.unequal, UNEQUAL)
        stored = (self.stored,) if isinstance(self.stored, str) else tuple(self.stored)
        if not stored and self.unequal == "shorter":
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
        ends = [int(np.flatnonzero(~np.isnan(own)).max(initial=-1)) + 1 for own in table.scores.T]
        numbers = dict(zip(table.policies, ends, strict=True))
        for name in stored:
            text = f"policies are {', '.join(numbers)}, but got {name!r} as stored"
            require(name in numbers, text, parameter="stored")
        new = [number for name, number in numbers.items() if name not in stored]
        every = self.unequal == "groups"
        rows = n_max or (min(numbers.values()) if every else max(new, default=1))
        groups = {
            name: number
            for name, number in numbers.items()
            if name in stored or (every and number > rows)
        }
        notes = tuple(note for note in table.notes if getattr(note, "code", "") != CODE)
        if every:  # with more trials of the longer policy, its groups would be others
            notes = (one_look(MAKE_GROUPS), *notes)
        elif n_max is None:
            notes = (
                one_look(f"{MAKE_GROUPS}; to look more often, declare ", named("n_max")),
                *notes,
            )
        chosen = {"n_max": rows, "groups": groups, "stored": stored}
        return replace(table, notes=notes), chosen


def unequal_numbers(numbers: dict[str, int]) -> tuple[Message, ...]:
    """Note the trials that lie unused for want of a partner, and the word that would use them."""
    *_, second, most = (0, *sorted(numbers.values()))
    if second in (0, most):
        return ()
    listed = ", ".join(f"{name} {number}" for name, number in numbers.items())
    more = most - second
    unused = f"{more} trials of the longest lie" if more > 1 else "trial of the longest lies"
    note = Message(
        f"unequal numbers of trials ({listed}): the last {unused} unused, without a partner; if "
        "the numbers were fixed before any score was seen, ",
        Setting("unequal", "groups"),
        " uses every trial",
        code=CODE,
    )
    return (note,)
