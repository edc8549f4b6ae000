"""How far it is to a decision: a plain extrapolation, which promises nothing."""

import math
from collections.abc import Sequence

from stopwise.ranking.analysis import Standing

__all__ = ["remaining_rows", "share_of_way"]


def share_of_way(standing: Standing, pairs: int, alpha: float) -> float:
    """Return how much of the way to a decision a pair has come, on a log scale from 0 to 1.

    The way is as long as the first of ``pairs`` pairs has it, log(2 P / alpha) of log e-value; for
    methods without e-values it is that of the adjusted p-value from 1 to alpha.
    """
    if standing.decided:
        return 1.0
    if standing.log_e is not None:
        share = standing.log_e / math.log(2 * pairs / alpha)
    else:
        share = math.log(max(standing.p_value, 1e-300)) / math.log(alpha)
    return min(max(share, 0.0), 1.0)


def remaining_rows(
    standings: Sequence[Standing], *, alpha: float, rows: int, n_max: int | None
) -> int | None:
    """Return the rows still needed if evidence goes on growing as it did on average.

    The slowest undecided pair counts, and n_max is the limit. None where there is nothing to go
    by: no evidence so far, and no n_max.

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
    most = math.inf if n_max is None else n_max - rows
    slowest = 0.0
    for pair in standings:
        if pair.decided:
            continue
        share = share_of_way(pair, len(standings), alpha)
        more = pair.n * (1.0 / share - 1.0) if share > 0 else math.inf
        slowest = max(slowest, more, 1.0)
    slowest = min(slowest, most)
    return None if slowest == math.inf else math.ceil(slowest)
