"""A comparison while it runs: the table that ``race`` shows, and how many rows are to come."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from stopwise.questions.standing import Standing

__all__ = ["rows_text", "standings_table"]

BAR = 24


def standings_table(standings: Sequence["Standing"], alpha: float, title: str) -> "Table":
    """Return one line per pair: its evidence, on a log scale that is full at the decision."""
    from rich.markup import escape
    from rich.table import Table

    from stopwise.questions.standing import share_of_way

    table = Table(title=escape(title), title_justify="left")
    for name in ("pair", "rows", "p", "evidence", "e-value"):
        number = name in ("rows", "p", "e-value")
        table.add_column(
            name, justify="right" if number else "left", overflow="fold", no_wrap=name != "pair"
        )
    for pair in standings:
        marks = round(BAR * share_of_way(pair, pairs=len(standings), alpha=alpha))
        table.add_row(
            escape(_relation(pair)),
            str(pair.n),
            f"{pair.p_value:.2g}",
            "█" * marks + "░" * (BAR - marks),
            "" if pair.log_e is None else f"{math.exp(min(pair.log_e, 700)):.3g}",
        )
    return table


def rows_text(rows: int, n_max: int | None, remaining: int | None) -> str:
    """Return how many rows there are, and about how many more it may take."""
    so_far = f"{rows} rows" if n_max is None else f"{rows} of at most {n_max} rows"
    if remaining is None:
        return f"{so_far}; too early to project"
    if n_max is not None and remaining == n_max - rows:
        return f"{so_far}; at the present rate all of them will be needed"
    return f"{so_far}; about {remaining} more at the present rate of evidence"


def _relation(pair: "Standing") -> str:
    sign = {"policy0": ">", "policy1": "<"}.get(pair.decision.value, "?")
    return f"{pair.policy0} {sign} {pair.policy1}"
