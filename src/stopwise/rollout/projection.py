"""How many more rows it may take: a plain extrapolation, which promises nothing."""

import math
from collections.abc import Sequence

from stopwise.ranking.analysis import Standing

__all__ = ["remaining_rows"]


def remaining_rows(
    standings: Sequence[Standing], *, alpha: float, rows: int, n_max: int | None
) -> int | None:
    """Return the rows still needed if evidence goes on growing as it did on average.

    Each undecided pair needs a log e-value of at most log(2 P / alpha), P the number of pairs, and
    gained what it has in n rows; the slowest pair counts, and n_max is the limit. None where there
    is nothing to go by: no evidence so far, and no n_max.

    Examples
    --------
    >>> from stopwise.ranking.contest import Contest
    >>> from stopwise.rollout.projection import remaining_rows
    >>> contest = Contest(["a", "b"])
    >>> for _ in range(4):
    ...     contest.add({"a": 0.9, "b": 0.2})
    >>> remaining_rows(contest.standings(), alpha=0.05, rows=contest.rows, n_max=None)
    2
    """
    target = math.log(2 * len(standings) / alpha)
    most = math.inf if n_max is None else n_max - rows
    slowest = 0.0
    for pair in standings:
        if pair.decided:
            continue
        gained = pair.log_e if pair.log_e is not None else -math.log(max(pair.p_value, 1e-300))
        more = pair.n * (target / gained - 1) if gained > 0 else math.inf
        slowest = max(slowest, more, 1.0)
    slowest = min(slowest, most)
    return None if slowest == math.inf else math.ceil(slowest)
