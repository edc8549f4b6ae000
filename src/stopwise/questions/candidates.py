"""Who may still be the best: one wealth against each policy, in all studies at once.

The wealth of b bets against "b is a best policy". In each row it is multiplied by the factor of the
test "a is better than b", where the opponent a was chosen before the row. If b is a best policy,
every such factor has mean at most 1 whichever a was chosen, so b is ever dropped with probability
at most alpha. The proof is in docs/design/best.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats, Ints, of_runs, put_runs, writable
from stopwise.core.method import Method
from stopwise.core.pair_test import PairTest
from stopwise.core.rules import Rules
from stopwise.core.scores import require_whole
from stopwise.errors import require

# Scores in the middle of the range that each mean starts with when the leader is chosen.
# More: policies that were tried less often lead later. Less: nothing changes; 0 would divide by 0.
MEAN_WEIGHT = 0.1
# Scores as noisy as binary ones that each variance starts with.
# More: steady scores are taken for noisy ones for longer. Less: a few equal scores for steady ones.
VARIANCE_WEIGHT = 1.0
# A gap beyond so many variances of a difference is not a matter of noise: bets are at their bound.
# More (1000): steady leaders are tried several times for little (returns: up to 11 % more trials).
# Less (1): noisy ones once, which takes longer (binary scores: up to 8 %).
NOISE_LIMIT = 3.0


class Candidates:
    """Everything that changes while policies are dropped; arrays are (studies, policies)."""

    # States of methods that have one run per pair in ``runs``.
    pair_states: ClassVar[tuple[str, ...]] = ("state",)

    def __init__(self, method: Method[Any], studies: int, k: int, *, often: bool) -> None:
        self.method, self.k, self.often = method, k, often
        self.target = -float(np.log(method.alpha))
        # The candidates, and those who take part; one that is awaited is a candidate, not tried.
        self.open, self.joined = np.ones((2, studies, k), dtype=bool)
        self.log_wealth: Floats = np.zeros((studies, k))
        self.peak = self.log_wealth.copy()  # the greatest that it ever was
        self.total, self.square = np.zeros((2, studies, k))
        # Trials asked for, those among them that had a score, and rows seen when one was dropped.
        self.asked, self.trials, self.rows_tried, self.dropped = np.zeros(
            (4, studies, k), dtype=np.int64
        )
        self.dropped_by = np.full((studies, k), -1)  # who led then
        self.named = np.full(studies, -1)
        # Candidates that are tried no more, where futility is binding: to tell them from the leader
        # by n_max had become too unlikely. Nothing is named while one is left.
        self.rests: Bools = np.zeros((studies, k), dtype=bool)
        self.rows = 0
        apart = np.broadcast_to(~np.eye(k, dtype=bool), (studies, k, k))
        self.runs: Ints = np.flatnonzero(apart)  # (study * k + policy) * k + opponent
        self.state = writable(method.start((self.runs.size,)))
        self._studies = np.arange(studies)
        self.met: Ints = np.zeros(studies, dtype=np.int64)  # whom the others meet in a row
        self._locate()

    def choose(self) -> None:
        """Fix, before the next row, who leads, and who is tried how often."""
        self.leader = self._first(self.open & self.joined & ~self.rests)
        rivals = self._rivals()
        over = ~rivals.any(axis=1) & (self.named < 0)
        self.named = np.where(over, self.leader, self.named)
        rivals &= self.joined & (self.named < 0)[:, None] & ~self.rests
        if self.method.stops_at_futility and self.rows and rivals.any():
            self.rests |= rivals & self.futile()
            rivals &= ~self.rests
        if self.method.ends and rivals.any():
            # Who comes back after scenes that others met has not drawn its own at random.
            rivals |= self.set_aside() & ~self.rests & rivals.any(axis=1, keepdims=True)
        self.count = self._counts(rivals)  # of each policy, the trials that the next row takes

    def observe(self, scores: Floats) -> Floats:
        """Take in a row of trials (times, studies, policies) in [0, 1]; return their averages."""
        self.rows += 1
        known = ~np.isnan(scores)
        seen = known.sum(axis=0)
        self.met = self._opponent(seen > 0)
        total = np.where(known, scores, 0.0).sum(axis=0)
        self.asked += self.count
        self.rows_tried += self.count > 0
        self.trials += seen
        self.total += total
        self.square += np.where(known, scores * scores, 0.0).sum(axis=0)
        means: Floats = np.where(seen > 0, total / np.maximum(seen, 1), np.nan)
        self._bet(means)
        self.peak = np.maximum(self.peak, self.log_wealth)
        # Nothing was bet against the leader, so one is left.
        out: Bools = self.open & (self.log_wealth >= self.target)
        named = self.named
        if out.any():
            self.open = self.open & ~out
            self.dropped[out] = self.rows
            self.dropped_by = np.where(out, self.met[:, None], self.dropped_by)
        self.choose()
        if out.any() or (named != self.named).any():
            study, policy, opponent = self.at
            gone = (self.dropped[study, policy] > 0) | (self.dropped[study, opponent] > 0)
            self.keep(np.flatnonzero(~gone & (self.named[study] < 0)))
        return means

    def keep(self, places: Ints) -> None:
        self.runs = self.runs[places]
        for name in self.pair_states:
            setattr(self, name, of_runs(getattr(self, name), places))
        self._locate()

    def set_aside(self) -> Bools:
        others = self.open & self.joined
        others[self._studies, self.leader] = False
        return np.asarray(others & ~self._rivals())

    def futile(self) -> Bools:
        """Policies too unlikely to be told from the leader by n_max."""
        futile_rivals = np.ones(self.open.shape, dtype=bool)
        study, policy, opponent = self.at
        leader = self.leader[study]
        some = np.flatnonzero((policy == leader) | (opponent == leader))
        rival = np.where(policy == leader, opponent, policy)[some]
        for method, state, held in self._tests():
            futile = method.futile(of_runs(state, some)._replace(log_e=held[some]))
            np.logical_and.at(futile_rivals, (study[some], rival), futile)
        return futile_rivals

    def _tests(self) -> Iterator[tuple[Method[Any], Any, Floats]]:
        """Yield, for all pairs, a test that may rule a policy out, and what is held against it."""
        study, policy, _ = self.at
        yield self.method, self.state, self.log_wealth[study, policy]

    def against_leader(self) -> Floats:
        """Return the log of all that is held against each policy while this leader leads."""
        return self.log_wealth

    def _opponent(self, present: Bools) -> Ints:
        """The leader or, in a row without it, the next best: others must not wait for it."""
        absent = ~present[self._studies, self.leader]
        if not absent.any():
            return self.leader
        among = self.open & self.joined & present & ~self.rests
        stands_in = absent & among.any(axis=1)
        return np.where(stands_in, self._first(among), self.leader)

    def _rivals(self) -> Bools:
        rivals = self.open.copy()
        rivals[self._studies, self.leader] = False
        return rivals

    def _counts(self, rivals: Bools) -> Ints:
        count = rivals.astype(np.int64)
        times = np.minimum(rivals.sum(axis=1), 1)
        if self.often:
            # Of n policies that are compared with one, the one is best tried sqrt(n) times.
            noisy = (rivals & self._noisy()).sum(axis=1)
            times = np.maximum(times, np.rint(np.sqrt(noisy)).astype(np.int64))
        count[self._studies, self.leader] = times
        return count

    def _noisy(self) -> Bools:
        n = np.maximum(self.trials, 1)
        scatter = np.maximum(self.square - self.total * self.total / n, 0.0)
        variance = (scatter + 0.25 * VARIANCE_WEIGHT) / (self.trials + VARIANCE_WEIGHT)
        means = self.total / n
        leaders = self._studies, self.leader
        gap = means[leaders][:, None] - means
        return np.asarray(gap < NOISE_LIMIT * (variance + variance[leaders][:, None]))

    def _first(self, among: Bools) -> Ints:
        """Return the policy of greatest mean; of equal ones, that with the least against it."""
        mean = (self.total + 0.5 * MEAN_WEIGHT) / (self.trials + MEAN_WEIGHT)
        mean = np.where(among, mean, -1.0)
        level = mean == mean.max(axis=1, keepdims=True)
        return np.asarray(np.where(level, self.log_wealth, np.inf).argmin(axis=1))

    def _bet(self, means: Floats) -> None:
        """Multiply each wealth by its factor of this row; nothing is bet against the leader."""
        study, _, opponent = self.at
        met = self.met[study] == opponent
        self.state = self._step(self.method, self.state, means, met, self.log_wealth)

    def _step(
        self, method: Method[Any], state: Any, means: Floats, met: Bools, wealth: Floats
    ) -> Any:
        """Return the state after a row; pairs that ``met`` change their wealth in place."""
        study, policy, opponent = self.at
        r0, r1 = means[study, policy], means[study, opponent]
        present = ~(np.isnan(r0) | np.isnan(r1))
        chosen = np.flatnonzero(present & met)
        where = study[chosen], policy[chosen]
        # The bet is that of the pair's scores so far, and of the wealth that is at stake.
        before = of_runs(state, chosen)._replace(log_e=wealth[where])
        after = method.step(before, r0[chosen], r1[chosen])
        wealth[where] = after.log_e
        if present.all():
            state = method.learn(state, r0, r1)
        else:
            some = np.flatnonzero(present)
            put_runs(state, some, method.learn(of_runs(state, some), r0[some], r1[some]))
        put_runs(state, chosen, after)
        return state

    def _locate(self) -> None:
        rest, opponent = np.divmod(self.runs, self.k)
        self.at = (*np.divmod(rest, self.k), opponent)


# Rows before the first pots are filled: a leader should have shown itself.
# More: rows without the faster bets. Less: a lucky start takes half of every purse.
FIRST_ROWS = 6
# The share of every purse that goes to a new leader's pots.
# More: the first leader is named sooner, a later one much later. Less: the reverse.
POT_SHARE = 0.5
NOTHING = -1e9  # log of an empty pot: a number, so that differences stay numbers


class NearBest(Candidates):
    """Candidates of which one within an indifference of the best is named.

    The wealth against b is one purse. Parts of it are moved, never back, into pots (b, c), each of
    which bets only on "c is not worse than b by more than the indifference". c is named when, for
    every other candidate b, purse and pot (b, c) together reach 1/alpha. A wrong c is named only if
    the best policy lets it, whose purse and pots against wrong policies are, taken together, a
    nonnegative supermartingale that starts at 1. The proof is in docs/design/best.md.
    """

    pair_states: ClassVar[tuple[str, ...]] = (*Candidates.pair_states, "near_state")

    def __init__(
        self, method: Method[Any], studies: int, k: int, *, often: bool, near: Method[Any]
    ) -> None:
        super().__init__(method, studies, k, often=often)
        self.near = near
        self.near_state = writable(near.start((self.runs.size,)))
        self.pot: Floats = np.full((studies, self.k, self.k), NOTHING)  # by policies b and c

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
        wealth = self.log_wealth[new, leader]
        self.log_wealth[new] += np.log(1 - POT_SHARE)
        self.log_wealth[new, leader] = wealth

    def _pots(self) -> Floats:
        return np.asarray(self.pot[self._studies, :, self.leader])

    def _bet(self, means: Floats) -> None:
        super()._bet(means)
        study, policy, opponent = self.at
        pots = self._pots().copy()
        filled = (pots > NOTHING) & self.open
        met = (self.leader[study] == opponent) & filled[study, policy]
        self.near_state = self._step(self.near, self.near_state, means, met, pots)
        self.pot[self._studies, :, self.leader] = pots


def comparison_of(rules: Rules) -> PairTest:
    """Return the test "the opponent is better" at the whole level, or say why there is none."""
    require(
        rules.alternative == "two-sided" and rules.margin == 0,
        "the goal best takes no direction and no margin, but alternative is "
        f"{rules.alternative!r} and margin {rules.margin:g}",
    )
    comparison = PairTest(replace(rules, alternative="greater"))
    require(
        registry.find(rules.method).inverts,
        "the goal 'best' needs a method that bets: the evidence against a policy is a product of "
        f"factors against whoever leads, and {rules.method} has no such factors; choose "
        "nscore-plus, nscore, wsr or savi",
        parameter="method",
    )
    return comparison


def start(comparison: PairTest, studies: int) -> Candidates:
    """The candidates before the first choice; policies declared to come later are awaited."""
    rules = comparison.rules
    policies = rules.policies
    # A block is met once by each policy, and an average is not one of the levels of a method.
    often = rules.allocation == "leader" and rules.design != "paired" and comparison.levels is None
    if rules.indifference == 0:
        board = Candidates(comparison.test, studies, len(policies), often=often)
    else:
        near = PairTest(replace(rules, margin=-rules.indifference)).test
        board = NearBest(comparison.test, studies, len(policies), often=often, near=near)
    board.joined[:, [policies.index(name) for name in rules.later]] = False
    return board


def simulated_rows(rules: Rules, draw: Callable[[], Floats], studies: int) -> Iterator[Candidates]:
    """Yield the candidates of so many studies before every row that they need."""
    board = start(comparison_of(rules), studies)
    board.choose()
    for _ in range(require_whole(rules.n_max, "n_max", 1)):
        times = int(board.count.max())
        if not times:
            break
        yield board
        turns = np.arange(times)[:, None, None]
        trials = np.stack([draw() for _ in range(times)])
        board.observe(np.where(turns < board.count, trials, np.nan))
