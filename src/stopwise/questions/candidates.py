"""Who may still be the best: one wealth against each policy, in all studies at once.

The wealth of b bets against "b is a best policy". In each row it is multiplied by the factor of the
test "a is better than b", where the opponent a was chosen before the row. If b is a best policy,
every such factor has mean at most 1 whichever a was chosen, so b is ever dropped with probability
at most alpha. The proof is in docs/design/best.md.
"""

from typing import Any

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.method import Method

# Scores in the middle of the range that each policy's mean starts with when the leader is chosen.
# More: a policy that joined late leads later. Less: a lucky first row makes a leader.
MEAN_WEIGHT = 2.0


class Candidates:
    """Everything that changes while policies are dropped; arrays are (studies, policies).

    Parameters
    ----------
    method
        One direction of the test of a pair, at the level of the whole question.
    studies, k
        Number of studies, and of policies in each.
    often
        Whether the leader is tried several times per row.

    Attributes
    ----------
    open
        The candidates: policies that were not dropped.
    log_wealth, peak
        Log of the wealth against each policy, and the greatest that it ever was.
    leader
        Per study, the policy that leads: the greatest mean of those that are tried.
    opponent
        Whom each policy meets in the next row: the leader, and the leader the second.
    count
        How many trials of each policy the next row takes, 0 if it is not tried.
    dropped, dropped_by
        Rows seen when a policy was dropped, and who led then; 0 and -1 before.
    """

    # What cannot be computed from the rest.
    KEPT = (
        *("open", "log_wealth", "peak", "asked", "trials", "total"),
        *("tried_rows", "dropped", "dropped_by"),
    )

    def __init__(self, method: Method[Any], studies: int, k: int, *, often: bool) -> None:
        self.method, self.k, self.often = method, k, often
        self.target = -float(np.log(method.alpha))
        self.open: Bools = np.ones((studies, k), dtype=bool)
        self.log_wealth, self.peak, self.total = np.zeros((3, studies, k))
        # Trials asked for, those with a score among them, and the rows in which any was asked for.
        self.asked, self.trials, self.tried_rows, self.dropped = np.zeros(
            (4, studies, k), dtype=np.int64
        )
        self.dropped_by = np.full((studies, k), -1)
        self.rows = 0
        apart = np.broadcast_to(~np.eye(k, dtype=bool), (studies, k, k))
        self.runs: Ints = np.flatnonzero(apart)  # (study * k + policy) * k + opponent
        self.state = method.start((self.runs.size,))
        self._locate()
        self.choose()

    @property
    def going(self) -> Bools:
        """Studies in which more than one candidate is left."""
        return np.asarray(self.open.sum(axis=1) > 1)

    def choose(self) -> None:
        """Fix, before the next row, who leads, who meets whom, and who is tried how often."""
        tried = self.open & self.going[:, None]
        studies = np.arange(len(tried))
        self.leader = self._first(tried)
        others = tried.copy()
        others[studies, self.leader] = False
        self.opponent = np.repeat(self.leader[:, None], self.k, axis=1)
        self.opponent[studies, self.leader] = self._first(others)
        self.count = tried.astype(np.int64)
        if self.often:
            # Of k - 1 policies that are compared with one, the one is best tried sqrt(k - 1) times.
            times = np.rint(np.sqrt(others.sum(axis=1))).astype(np.int64)
            self.count[studies, self.leader] = times

    def observe(self, scores: Floats, seen: Ints) -> bool:
        """Take in one row; say whether a policy was dropped.

        Parameters
        ----------
        scores
            (studies, policies) in [0, 1]: the average of the policy's trials in this row, NaN
            where it has none.
        seen
            The number of trials in each average.
        """
        self.rows += 1
        tried = self.count > 0
        self.asked += self.count
        self.trials += seen
        self.total += np.where(seen > 0, scores, 0.0) * seen
        self.tried_rows += tried
        self._bet(scores)
        self.peak = np.maximum(self.peak, self.log_wealth)
        out = tried & (self.log_wealth >= self.target)
        # A best policy is among those left; were all to go at once, nothing would be known.
        out &= (self.open & ~out).any(axis=1, keepdims=True)
        if out.any():
            self.open = self.open & ~out
            self.dropped[out] = self.rows
            self.dropped_by = np.where(out, self.leader[:, None], self.dropped_by)
            study, policy, opponent = self.at
            self.keep(np.flatnonzero(self._going_on(study, policy, opponent)))
        self.choose()
        return bool(out.any())

    def keep(self, places: Ints) -> None:
        """Look no more at other pairs than these, given by their places among those left."""
        self.runs = self.runs[places]
        self.state = _at(self.state, places)
        self._locate()

    def _locate(self) -> None:
        rest, opponent = np.divmod(self.runs, self.k)
        self.at = (*np.divmod(rest, self.k), opponent)

    def _going_on(self, study: Ints, policy: Ints, opponent: Ints) -> Bools:
        both = self.open[study, policy] & self.open[study, opponent]
        return np.asarray(both & self.going[study])

    def _bet(self, scores: Floats) -> None:
        """Multiply each wealth by the factor against its opponent; all pairs learn from the row."""
        study, policy, opponent = self.at
        r0, r1 = scores[study, policy], scores[study, opponent]
        present = ~(np.isnan(r0) | np.isnan(r1))
        met = np.flatnonzero(present & (self.opponent[study, policy] == opponent))
        where = study[met], policy[met]
        before = _at(self.state, met)._replace(log_e=self.log_wealth[where])
        after = self.method.step(before, r0[met], r1[met])
        self.log_wealth[where] = after.log_e
        if present.all():
            self.state = self.method.learn(self.state, r0, r1)
        else:
            some = np.flatnonzero(present)
            _put(self.state, some, self.method.learn(_at(self.state, some), r0[some], r1[some]))
        _put(self.state, met, after)

    def _first(self, among: Bools) -> Ints:
        """Return the policy of greatest mean; of equal ones, that with the least against it."""
        mean = (self.total + 0.5 * MEAN_WEIGHT) / (self.trials + MEAN_WEIGHT)
        mean = np.where(among, mean, -1.0)
        level = mean == mean.max(axis=1, keepdims=True)
        return np.asarray(np.where(level, self.log_wealth, np.inf).argmin(axis=1))


def _at(state: Any, places: Ints) -> Any:
    """Return the state of the runs at these places."""
    return type(state)(*(array[places] for array in state))


def _put(state: Any, places: Ints, part: Any) -> None:
    """Replace the state of the runs at these places."""
    for array, values in zip(state, part, strict=True):
        array[places] = values
