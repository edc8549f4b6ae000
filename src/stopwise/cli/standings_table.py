"""A comparison while it runs: the table that ``race`` shows, and how many rows are to come."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stopwise.cli.printing import table_of
from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.cli.printing import FittingTable
    from stopwise.questions.standing import Standing

BAR = 24
FEW = 4  # so many names still fit into a line


def standings_table(standings: Sequence["Standing"], alpha: float, title: str) -> "FittingTable":
    """One line per pair: its evidence, on a log scale that is full at the decision."""
    from rich.markup import escape

    from stopwise.questions.standing import share_of_way

    known = any(pair.chance is not None for pair in standings)
    rows = [
        {
            "pair": pair.relation,
            "rows": pair.n,
            "p": f"{pair.p_value:.2g}",
            "evidence": _bar(share_of_way(pair, alpha=alpha)),
            "e-value": f"{math.exp(min(pair.log_e or 0.0, 700)):.3g}",
            **({"chance": _chance(pair)} if known else {}),
        }
        for pair in standings
    ]
    return table_of(rows, ("pair",), title=escape(title))


def candidates_table(
    candidates: Sequence[str], p_values: Mapping[str, float], alpha: float, title: str
) -> "FittingTable":
    """One line per candidate: the evidence against it, full when it is dropped."""
    from rich.markup import escape

    from stopwise.questions.standing import share_gone

    rows = [
        {
            "candidate": name,
            "p": f"{p_values[name]:.2g}",
            "evidence against it": _bar(share_gone(p_values[name], alpha)),
        }
        for name in candidates
    ]
    return table_of(rows, ("candidate",), title=escape(title))


def candidates_text(candidates: Sequence[str]) -> str:
    """How many policies may still be the best, and which if they are few."""
    left = counted(len(candidates), "candidate")
    few = f" ({', '.join(candidates)})" if len(candidates) <= FEW else ""
    return f"{left} left{few}"


def _chance(pair: "Standing") -> str:
    """The chance of a decision by n_max, with a mark where it is too small."""
    if pair.chance is None:
        return ""
    return f"{pair.chance:.0%}{' futile' if pair.futile else ''}"


def _bar(share: float) -> str:
    marks = round(BAR * share)
    return "█" * marks + "░" * (BAR - marks)


def rows_text(rows: int, n_max: int | None, remaining: int | None) -> str:
    """How many rows there are, and about how many more it may take."""
    so_far = counted(rows, "row") if n_max is None else f"{rows} of at most {counted(n_max, 'row')}"
    if remaining is None:
        return f"{so_far}; too early to project"
    if n_max is not None and remaining == n_max - rows:
        return f"{so_far}; at the present rate all of them will be needed"
    return f"{so_far}; about {remaining} more at the present rate of evidence"
