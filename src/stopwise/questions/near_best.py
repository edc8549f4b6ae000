"""Naming a policy that is within an indifference of the best, also among equals.

The wealth against b is one purse. Parts of it are moved, never back, into pots (b, c), each of
which bets only on "c is not worse than b by more than the indifference". c is named when, for every
other candidate b, purse and pot (b, c) together reach 1/alpha. A wrong c is named only if the best
policy lets it, whose purse and pots against wrong policies are, taken together, a nonnegative
supermartingale that starts at 1. The proof is in docs/design/best.md.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.method import Method
from stopwise.core.runs import of_runs, put_runs, writable
from stopwise.questions.candidates import Candidates

# Rows before the first pots are filled: a leader should have shown itself.
# More: rows without the faster bets. Less: a lucky start takes half of every purse.
FIRST_ROWS = 6
# The share of every purse that goes to a new leader's pots.
# More: the first leader is named sooner, a later one much later. Less: the reverse.
POT_SHARE = 0.5
# Of the trials that a row of all would take, the share that a row of the leader alone takes.
# More: fewer rows, and trials beyond what was needed. Less: more rows of few trials.
LONE_SHARE = 0.5
NOTHING = -1e9  # log of an empty pot: a number, so that differences stay numbers


class NearBest(Candidates):
    """Candidates of which one within an indifference of the best is named."""

    pair_states: ClassVar[tuple[str, ...]] = (*Candidates.pair_states, "near_state")

    def __init__(
        self,
        method: Method[Any],
        studies: int,
        k: int,
        *,
        often: bool,
        near: Method[Any],
        alone: Method[Any],
        lone: bool,
    ) -> None:
        super().__init__(method, studies, k, often=often)
        self.near, self.alone, self.lone = near, alone, lone
        self.near_state = writable(near.start((self.runs.size,)))
        self.alone_state = writable(alone.start((studies * self.k,)))
        self.pot: Floats = np.full((studies, self.k, self.k), NOTHING)  # by policies b and c
        # Policies b whose pot against the leader bets, in the next row, on the leader alone.
        self.by_itself: Bools = np.zeros((studies, self.k), dtype=bool)

    def futile(self) -> Bools:
        """As for all candidates; a leader that can do it alone, however slowly, has a chance."""
        alone, _ = self._rates(np.ones(len(self.open), dtype=np.int64))
        left = (self.method.n_max or 0) - self.rows
        enough = alone[:, None] * (left * self.k) >= self.target - self.against_leader()
        return np.asarray(super().futile() & ~(enough & self.lone))

    def _tests(self) -> Iterator[tuple[Method[Any], Any, Floats]]:
        yield from super()._tests()
        study, policy, opponent = self.at
        held = np.logaddexp(self.log_wealth[study, policy], self.pot[study, policy, opponent])
        yield self.near, self.near_state, held

    def against_leader(self) -> Floats:
        return np.asarray(np.logaddexp(self.log_wealth, self._pots()))

    def _rivals(self) -> Bools:
        rivals = super()._rivals()
        self._fill()
        return np.asarray(rivals & ~(self.joined & (self.against_leader() >= self.target)))

    def _fill(self) -> None:
        """Move a share of every purse to the pots of a leader who has none."""
        if self.rows < FIRST_ROWS:
            return
        # A leader's pot against itself only marks that its pots were filled.
        filled = self.pot[self._studies, self.leader, self.leader] > NOTHING
        new = np.flatnonzero(~filled & (self.named < 0))
        leader = self.leader[new]
        self.pot[new, :, leader] = self.log_wealth[new] + np.log(POT_SHARE)
        own = self.log_wealth[new, leader]
        self.log_wealth[new] += np.log(1 - POT_SHARE)
        self.log_wealth[new, leader] = own

    def _pots(self) -> Floats:
        return np.asarray(self.pot[self._studies, :, self.leader])

    def _counts(self, rivals: Bools) -> Ints:
        """Try the leader alone if that is less: the greatest score there is bounds every mean."""
        count = super()._counts(rivals)
        times = count[self._studies, self.leader]
        pots = self._pots()
        alone, paired = self._rates(np.maximum(times, 1))
        need = np.where(rivals, np.maximum(self.target - pots, 0.0), 0.0)
        rows = need / paired
        with np.errstate(divide="ignore", invalid="ignore"):
            fewer = need.max(axis=1) / alone < rows.sum(axis=1) + times * rows.max(axis=1)
        filled = rivals & (pots > NOTHING)
        lone = filled.any(axis=1) & fewer & self.lone
        self.by_itself = filled & (lone[:, None] | (times * alone > paired.T).T)
        several = 1 + np.rint(LONE_SHARE * count.sum(axis=1))
        count[lone] = 0
        count[self._studies, self.leader] = np.where(lone, several, times)
        return count

    def _rates(self, times: Ints) -> tuple[Floats, Floats]:
        """Growth of pots per trial of the leader alone and per row of all, as of binary scores."""
        means = (self.total + 0.5) / (self.trials + 1)
        first, slack = means[self._studies, self.leader], -self.near.margin
        least = 1 - slack
        divergence = first * np.log(first / least) + (1 - first) * np.log((1 - first) / slack)
        alone = np.where(first > least, divergence, 0.0)
        square = np.maximum(first[:, None] - means + slack, 1e-6) ** 2
        noise = means * (1 - means) + (first * (1 - first) / times)[:, None]
        return alone, square / (2 * noise + square)

    def _bet(self, scores: Floats, means: Floats) -> None:
        super()._bet(scores, means)
        study, policy, opponent = self.at
        pots = self._pots().copy()
        filled = (pots > NOTHING) & self.open
        met = (self.leader[study] == opponent) & (filled & ~self.by_itself)[study, policy]
        self.near_state = self._step(self.near, self.near_state, means, met, pots)
        for trial in scores:
            self._bet_alone(trial, pots)
        self.pot[self._studies, :, self.leader] = pots

    def _bet_alone(self, scores: Floats, pots: Floats) -> None:
        """Bet on one trial of the leader by itself; the other trials are learned from."""
        k = self.k
        wanted = self.by_itself & self.open
        least = np.where(wanted, pots, np.inf).min(axis=1)
        places = self._studies * k + self.leader
        first = scores[self._studies, self.leader]
        chosen = np.flatnonzero(wanted.any(axis=1) & ~np.isnan(first))
        before = of_runs(self.alone_state, places[chosen])._replace(log_e=least[chosen])
        after = self.alone.step(before, np.ones(chosen.size), first[chosen])
        growth = np.zeros(len(scores))
        growth[chosen] = after.log_e - least[chosen]
        pots += np.where(wanted, growth[:, None], 0.0)
        flat = scores.ravel()
        known = np.flatnonzero(~np.isnan(flat))
        learned = self.alone.learn(
            of_runs(self.alone_state, known), np.ones(known.size), flat[known]
        )
        put_runs(self.alone_state, known, learned)
        put_runs(self.alone_state, places[chosen], after)
