"""How a comparison stands while it runs: the table that ``race`` and ``watch`` show."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from stopwise.questions.analysis import Standing

__all__ = ["rows_text", "standings_table"]

BAR = 24


def standings_table(standings: Sequence["Standing"], alpha: float, title: str) -> "Table":
    """Return one line per pair: its evidence, on a log scale that is full at the decision."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title), title_justify="left")
    for name in ("pair", "rows", "p", "evidence", "e-value"):
        number = name in ("rows", "p", "e-value")
        table.add_column(
            name, justify="right" if number else "left", overflow="fold", no_wrap=name != "pair"
        )
    for pair in standings:
        reached = 1.0 if pair.decided else _share(pair, len(standings), alpha)
        marks = round(BAR * reached)
        table.add_row(
            escape(_relation(pair)),
            str(pair.n),
            f"{pair.p_value:.2g}",
            "█" * marks + "░" * (BAR - marks),
            "" if pair.log_e is None else f"{math.exp(min(pair.log_e, 700)):.3g}",
        )
    return table


def rows_text(rows: int, n_max: int | None, remaining: int | None) -> str:
    """Return how far it is, and how far it may still be."""
    so_far = f"{rows} rows" if n_max is None else f"{rows} of at most {n_max} rows"
    if remaining is None:
        return f"{so_far}; nothing to project from yet"
    if n_max is not None and remaining == n_max - rows:
        return f"{so_far}; at the growth so far all of them are needed"
    return f"{so_far}; about {remaining} more at the growth of evidence so far"


def _share(pair: "Standing", pairs: int, alpha: float) -> float:
    """Return how much of the way to a decision is gone, on a log scale."""
    if pair.log_e is not None:
        gone = pair.log_e / math.log(2 * pairs / alpha)
    else:
        gone = math.log(max(pair.p_value, 1e-300)) / math.log(alpha)
    return min(max(gone, 0.0), 1.0)


def _relation(pair: "Standing") -> str:
    sign = {"policy0": ">", "policy1": "<"}.get(pair.decision.value, "?")
    return f"{pair.policy0} {sign} {pair.policy1}"
