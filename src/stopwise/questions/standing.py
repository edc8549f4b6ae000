"""The standing of a pair or a policy, and how far a pair still has to go."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from stopwise.core.confidence import Interval
from stopwise.core.pair_verdict import Decision, e_value_of
from stopwise.core.rules import Rules
from stopwise.core.words import order_claim, same_claim
from stopwise.questions.pairs import PairStates
from stopwise.questions.trace import Path

# The rows seen, and the share of the way to a decision that was gone in them.
Way = tuple[int, float]
# By what is claimed: that policy 1 is better, that policy 0 is.
TURNED = {Decision.POLICY0: Decision.POLICY1, Decision.POLICY1: Decision.POLICY0}
CLAIMED = {(True, False): Decision.POLICY1, (False, True): Decision.POLICY0}


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The standing of one pair of policies.

    Attributes
    ----------
    policy0, policy1
        Their names.
    decision
        Which policy was declared better, "equivalent" (practically the same) or "undecided".
    implied
        Whether the decision follows from two others instead of the pair's own evidence.
    n
        Pairs of trials seen: until the decision, or all where undecided.
    p_value
        P-value adjusted for the family: at most alpha exactly when decided.
    log_e
        Log e-value of the pair alone, of the direction claimed or, if undecided, of the one with
        more evidence; None for methods without.
    p_equivalent
        The same p-value of "practically the same", or None if that was not asked.
    chance
        While undecided with n_max ahead: the chance of a decision by then if there is an effect
        worth finding, at the highest level that the pair can still get; None if unknown.
    futile
        Whether that has become too unlikely to be worth more trials.
    margin, equivalence
        Of the rules.
    """

    policy0: str
    policy1: str
    decision: Decision
    implied: bool
    n: int
    p_value: float
    log_e: float | None  # None if it was infinite, and read from JSON
    p_equivalent: float | None = None
    chance: float | None = None
    futile: bool = False
    margin: float = 0.0
    equivalence: float | None = None

    @property
    def decided(self) -> bool:
        return self.decision is not Decision.UNDECIDED

    @property
    def same(self) -> bool:
        return self.decision is Decision.EQUIVALENT

    @property
    def _ordered(self) -> tuple[str, str] | None:
        """The policies as declared, the one ahead first; None without an order."""
        names = self.policy0, self.policy1
        orders = {Decision.POLICY0: names, Decision.POLICY1: names[::-1]}
        return orders.get(self.decision)

    @property
    def better(self) -> str | None:
        """The name of the policy declared better, or None: that it is not worse is less."""
        return None if self._ordered is None or self.margin < 0 else self._ordered[0]

    @property
    def worse(self) -> str | None:
        """The name of the policy that the other was declared better than, or None."""
        return None if self._ordered is None or self.margin < 0 else self._ordered[1]

    @property
    def relation(self) -> str:
        """What was shown, in short: "A > B", "A = B" or "A not worse than B"; else "A and B"."""
        if self._ordered is not None:
            return f" {'not worse than' if self.margin < 0 else '>'} ".join(self._ordered)
        if self.same:
            return f"{self.policy0} = {self.policy1}"
        return f"{self.policy1} and {self.policy0}"

    @property
    def claim(self) -> str | None:
        """What was shown, in words with the margin, or None."""
        if self.same:
            return same_claim(self.policy0, self.policy1, self.equivalence)
        return None if self._ordered is None else order_claim(*self._ordered, self.margin)

    @property
    def finding(self) -> str | None:
        """Who was shown to be better, or not to be worse, or None: an entry of a table."""
        if self.same:
            return "practically the same"
        return f"{self.policy1} not worse" if self.decided and self.margin < 0 else self.better

    @property
    def e_value(self) -> float | None:
        return None if self.log_e is None else e_value_of(self.log_e)


@dataclass(frozen=True, kw_only=True)
class PolicyResult:
    """One policy in the ranking.

    Attributes
    ----------
    name
        Its name.
    n, mean
        Its trials in the table (up to n_max rows) and their plain average; asked for wins, the
        share of its meetings that it has won, a tie counting half.
    interval
        Confidence interval of its mean; those of all policies hold together, at all times.
    letters
        Policies that share a letter are not told apart; empty if only compared with a baseline.
    trials_used
        Its trials that entered a comparison, until all its pairs were decided.
    trials_saved
        Its trials after that, up to n_max or else those in the table; 0 while a pair of it is
        undecided.
    trials_unpaired
        Its earlier trials that entered no comparison, because they had no partner in their row.
    """

    name: str
    n: int
    mean: float
    interval: Interval
    letters: str
    trials_used: int
    trials_saved: int
    trials_unpaired: int


@dataclass(frozen=True, kw_only=True)
class PairResult(Standing):
    """One pair of policies, with what a report needs besides.

    Attributes
    ----------
    difference
        Mean advantage of policy 1 over all pairs of trials; too large where a decision ended them.
    estimate
        An advantage that does not flatter: in at most half of all studies it lies beyond the true
        one, whenever one stops. None where the pair's own evidence decided no order.
    interval
        Confidence interval of the advantage of policy 1, from all trials of the pair. With a method
        that bets it is the test inverted: 0 lies outside exactly if the pair's own evidence decides
        it.
    interval_level
        The probability with which this interval holds, at all times. With "bonferroni" all hold
        together with 1 - alpha; with "holm" each by itself, at the level of its pair's decision.
    path
        Its p-value against n, for figures.
    """

    difference: float
    estimate: float | None
    interval: Interval
    interval_level: float
    path: Path = field(repr=False)

    def turned(self) -> "PairResult":
        """The same pair with its policies in the other order."""
        return replace(
            self,
            policy0=self.policy1,
            policy1=self.policy0,
            decision=TURNED.get(self.decision, self.decision),
            difference=-self.difference,
            estimate=None if self.estimate is None else -self.estimate,
            interval=Interval(-self.interval.high, -self.interval.low),
        )


def standings_of(rules: Rules, outcome: PairStates) -> list[dict[str, Any]]:
    """Fields of the ``Standing`` of each pair of the only study."""
    p_values, alike, p_alike = outcome.p_value[0], outcome.same[0], outcome.p_same
    fields = []
    for pair, (policy0, policy1) in enumerate(outcome.family.pairs.tolist()):
        claims, same = outcome.claims[0, pair], bool(alike[pair])
        shown = claims if claims.any() else np.ones(2, dtype=bool)
        p_value, p_same = float(p_values[pair][shown].min()), None
        if p_alike is not None:
            p_same = float(p_alike[0, pair])
        decision = CLAIMED.get(tuple(claims.tolist()), Decision.UNDECIDED)
        decided, chance = same or bool(claims.any()), float(outcome.chance[0, pair])
        fields.append(
            {
                "policy0": rules.policies[policy0],
                "policy1": rules.policies[policy1],
                "margin": rules.margin,
                "equivalence": rules.equivalence,
                "decision": Decision.EQUIVALENT if same else decision,
                "implied": bool(outcome.implied[0, pair]) and not same,
                "n": int(outcome.n[0, pair]),
                "p_value": (p_same or 0.0) if same else p_value,
                "p_equivalent": p_same,
                "log_e": float(outcome.log_e[0, pair][shown].max()),
                "chance": None if decided or math.isnan(chance) else chance,
                "futile": bool(outcome.futile[0, pair]) and not decided,
            }
        )
    return fields


@dataclass(frozen=True, kw_only=True)
class Elimination:
    row: int
    leader: str


def eliminations(policies: tuple[str, ...], outcome: PairStates) -> Mapping[str, Elimination]:
    shown: dict[str, Elimination] = {}
    family, claims, rows = outcome.family, outcome.claims[0], outcome.rows[0]
    if family.sides == 1:  # that one is not worse says nothing of the other
        return shown
    for pair in np.argsort(rows, kind="stable").tolist():
        ends = [policies[place] for place in family.pairs[pair].tolist()]
        for better, worse in ((1, 0), (0, 1)):
            if claims[pair, worse] and ends[worse] not in shown:
                shown[ends[worse]] = Elimination(row=int(rows[pair]), leader=ends[better])
    return MappingProxyType(shown)


def only_best(rules: Rules, left: Sequence[str], standings: Iterable[Standing]) -> str | None:
    """The only policy that none beats; of wins, one that beats every other."""
    if len(left) != 1:
        return None
    beaten = {standing.worse for standing in standings if standing.better == left[0]}
    return left[0] if rules.reading.transitive or len(beaten) == len(rules.policies) - 1 else None


def share_of_way(standing: Standing, *, alpha: float) -> float:
    """Share of the way from p = 1 to alpha that a pair has gone, from 0 to 1, in logarithms."""
    nearer = min(standing.p_value, standing.p_equivalent or 1.0)
    return 1.0 if standing.decided else share_gone(nearer, alpha)


def share_gone(p_value: float, alpha: float) -> float:
    return min(max(math.log(max(p_value, 1e-300)) / math.log(alpha), 0.0), 1.0)


def ways(standings: Sequence[Standing], *, alpha: float) -> dict[str, Way]:
    """Progress of each policy with an undecided pair, by its slowest one."""
    slowest: dict[str, Way] = {}
    for standing in standings:
        if not standing.decided:
            share = (standing.log_e or 0.0) / math.log(2 * len(standings) / alpha)
            share = max(share, share_gone(standing.p_equivalent or 1.0, alpha))
            for policy in (standing.policy0, standing.policy1):
                known = slowest.get(policy)
                if known is None or share * known[0] < known[1] * standing.n:
                    slowest[policy] = (standing.n, share)
    return slowest


def rows_to_go(ways: Iterable[Way], most: int | None) -> int | None:
    """Extrapolate the slowest way at its average rate so far; None without a rate."""
    more = [seen * (1 / share - 1) if share > 0 else math.inf for seen, share in ways]
    slowest = min(max([1.0, *more]), math.inf if most is None else most)
    return None if slowest == math.inf else math.ceil(slowest)
