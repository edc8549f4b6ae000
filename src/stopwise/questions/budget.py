"""Family-wise error: how alpha is shared among the claims about many policies.

Every procedure promises: the probability that any claim ever made is false is at most alpha, at
every stopping time. Proofs are in docs/design/many-policies.md.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.errors import require_choice
from stopwise.questions.family import Family

Account = TypeVar("Account", bound=tuple[NDArray[Any], ...])
# Power of the e-value to which the closed procedure stakes; 1 never moves a stake once placed.
FOCUS = 2.0


class Seen(NamedTuple):
    """What a budget sees after a row of trials; arrays are (studies, pairs, 2) or without the 2."""

    claims: Bools  # made before this row
    p_value: Floats  # running minimum, this row included
    # For budgets that share evidence:
    running: Bools  # pairs whose policies were both still being tried in this row
    factor: Floats  # by which each e-process grew in this row, 1 where it waited
    log_e: Floats  # its logarithm before this row


@dataclass(frozen=True, kw_only=True)
class Budget(ABC, Generic[Account]):
    """A family-wise procedure for one family of claims, vectorised over studies."""

    family: Family
    alpha: float

    name: ClassVar[str]
    # Whether evidence is still of use after its own pair is decided.
    shares_evidence: ClassVar[bool] = False

    @abstractmethod
    def start(self, studies: int) -> Account:
        """Return the account before the first trial."""

    @abstractmethod
    def step(self, account: Account, seen: Seen) -> tuple[Account, Bools]:
        """Return the account after a row of trials, and all claims made so far."""

    @abstractmethod
    def p_values(self, account: Account, p_value: Floats) -> Floats:
        """Return p-values (studies, pairs, 2) to be held against alpha."""

    def level_of_sameness(self, claims: Bools) -> Floats:
        """Return the level (studies, pairs) of each test that shows a pair to be the same."""
        return np.full(claims.shape[:-1], self.alpha / self.family.size)

    def levels(self, account: Account) -> Floats | None:  # noqa: ARG002
        """Return the level (studies, pairs) of each direction of a pair, or None without one."""
        return None

    @abstractmethod
    def hoped_for(self, account: Account, log_e: Floats) -> Floats:
        """Return the log e-values, to be held against the first share of alpha, as they may count.

        That is at the highest level that a pair can still get. Only futility asks for it, so it
        steers when a study stops, and no claim.
        """


class Multipliers(NamedTuple):
    """By how much p-values are multiplied, per study and pair; fixed once the pair is decided."""

    factor: Floats


@dataclass(frozen=True, kw_only=True)
class Bonferroni(Budget[Multipliers]):
    """Each direction has the same share of alpha, for ever."""

    name: ClassVar[str] = "bonferroni"

    def start(self, studies: int) -> Multipliers:
        """Return the constant multipliers."""
        return Multipliers(np.full((studies, self.family.size), float(self.family.most_false)))

    def step(self, account: Multipliers, seen: Seen) -> tuple[Multipliers, Bools]:
        """Claim what has reached its share."""
        return account, seen.claims | self._reached(account, seen)

    def p_values(self, account: Multipliers, p_value: Floats) -> Floats:
        """Return p-values times the number of directions that can be false."""
        adjusted = np.minimum(account.factor[..., None] * p_value, 1.0)
        # A method that rejects exactly at its share must not fail by a rounding error.
        return np.where(np.abs(adjusted / self.alpha - 1.0) < 1e-12, self.alpha, adjusted)

    def levels(self, account: Multipliers) -> Floats:
        """Return the level at which each pair was decided, or would be now."""
        return self.alpha / account.factor

    def hoped_for(self, account: Multipliers, log_e: Floats) -> Floats:  # noqa: ARG002
        """Return the evidence as it is: a share stays what it is."""
        return log_e

    def _reached(self, account: Multipliers, seen: Seen) -> Bools:
        """Directions of undecided pairs that reach their level; not if both do at once."""
        open_pairs = ~seen.claims.any(axis=-1)
        low = self.p_values(account, seen.p_value) <= self.alpha
        reached: Bools = low & (open_pairs & (low[..., 0] != low[..., 1]))[..., None]
        return reached


@dataclass(frozen=True, kw_only=True)
class Holm(Bonferroni):
    """A decided pair cannot be a tie, so it keeps one share; its other passes to the rest.

    With P pairs of which U are undecided, at most P + U directions can be false, and only U with a
    negative margin, where a decided pair has no second claim. Under ``ties="paper"`` every pair has
    one false direction, decided or not: nothing passes on.
    """

    name: ClassVar[str] = "holm"

    def step(self, account: Multipliers, seen: Seen) -> tuple[Multipliers, Bools]:
        """Claim what reaches its share, relax the others, until nothing more is claimed."""
        claims = seen.claims
        while True:
            undecided = ~claims.any(axis=-1)
            if self.family.ties == "strict":
                count = self.family.least_false + undecided.sum(axis=-1, keepdims=True)
                account = Multipliers(np.where(undecided, count, account.factor))
            new = self._reached(account, seen._replace(claims=claims))
            if not new.any():
                return account, claims
            claims = claims | new

    def hoped_for(self, account: Multipliers, log_e: Floats) -> Floats:  # noqa: ARG002
        """Return the evidence as it counts for the last pair that is undecided."""
        if self.family.ties != "strict":
            return log_e
        return log_e + float(np.log(self.family.most_false / (self.family.least_false + 1)))

    def level_of_sameness(self, claims: Bools) -> Floats:
        """Return the level of a pair that is no tie: all others without an order may be ties."""
        if self.family.ties != "strict":
            return super().level_of_sameness(claims)
        undecided = (~claims.any(axis=-1)).sum(axis=-1, keepdims=True)
        most_false = self.family.size + np.maximum(undecided - 1, 0)
        return np.broadcast_to(self.alpha / most_false, claims.shape[:-1])


class Wealth(NamedTuple):
    """Wealth of the bets against the orders of the policies, per study (first axis)."""

    largest: Floats  # log of the greatest wealth against each order
    log_wealth: Floats  # log of the wealth now, against the orders held
    held: Ints  # which orders are held: all that some study has not refuted
    false: Floats  # (directions, held): which directions are false under each


@dataclass(frozen=True, kw_only=True)
class Closed(Budget[Wealth]):
    """Bet against every order of the policies; claim what all orders not yet refuted have.

    The bet against an order is a portfolio of the e-processes of the directions that are false
    under it. Before each row stakes move to those with evidence so far, so that directions
    without any cost little: that is its gain over sharing out alpha.
    """

    name: ClassVar[str] = "closed"
    shares_evidence: ClassVar[bool] = True

    @cached_property
    def _null_sets(self) -> Floats:
        return self.family.null_sets()

    @cached_property
    def _orders_of(self) -> list[Ints]:
        """The orders under which each direction is false."""
        return [np.flatnonzero(column) for column in self._null_sets.T]

    def start(self, studies: int) -> Wealth:
        """Return a wealth of 1 against each order."""
        orders = len(self._null_sets)
        zeros = np.zeros((studies, orders))
        false = np.ascontiguousarray(self._null_sets.T)
        return Wealth(zeros, zeros, np.arange(orders), false)

    def step(self, account: Wealth, seen: Seen) -> tuple[Wealth, Bools]:
        """Multiply each wealth by its portfolio's growth; refuted orders stay refuted."""
        held, false, target = account.held, account.false, -np.log(self.alpha)
        log_wealth = account.log_wealth + self._log_growth(seen, false)
        known = account.largest[:, held]
        known = np.where(known < target, np.maximum(known, log_wealth), known)
        largest = account.largest.copy()
        largest[:, held] = known
        alive = known < target
        refuted = (alive.astype(np.float64) @ false.T < 0.5).reshape(seen.claims.shape)
        # Were every order refuted (probability at most alpha), nothing more would be known.
        new = refuted & (refuted[..., 0] != refuted[..., 1])[..., None]
        undecided = ~seen.claims.any(axis=-1, keepdims=True)
        keep = np.flatnonzero(alive.any(axis=0))
        if keep.size < 0.7 * held.size:
            held, log_wealth = held[keep], log_wealth[:, keep]
            # One layout in memory, whatever came before, so that sums round alike after a resume.
            false = np.ascontiguousarray(false[:, keep])
        return Wealth(largest, log_wealth, held, false), seen.claims | (new & undecided)

    def p_values(self, account: Wealth, p_value: Floats) -> Floats:
        """Return, per direction, the largest p-value of the orders in which it is false."""
        weakest = [account.largest[:, orders].min(axis=1) for orders in self._orders_of]
        p_values: Floats = np.exp(-np.stack(weakest, axis=1)).reshape(p_value.shape)
        return p_values

    def hoped_for(self, account: Wealth, log_e: Floats) -> Floats:
        """Return what is held now against the order that is most in the way of each direction."""
        standing = account.largest[:, account.held] < -np.log(self.alpha)
        wealth = np.where(standing, account.log_wealth, np.inf)
        weakest = [wealth[:, own > 0].min(axis=1, initial=np.inf) for own in account.false]
        held: Floats = np.stack(weakest, axis=1).reshape(log_e.shape)
        return held + float(np.log(self.family.most_false))

    def _log_growth(self, seen: Seen, false: Floats) -> Floats:
        """Return the log growth of the portfolio against each order in this row."""
        most = np.log(self.family.most_false / self.alpha)
        stake = np.exp(FOCUS * np.clip(seen.log_e, -most, most)) * seen.running[..., None]
        before = stake.reshape(len(stake), -1) @ false
        after = (stake * seen.factor).reshape(len(stake), -1) @ false
        # An order whose directions are all at rest keeps its wealth.
        growth = np.divide(after, before, out=np.ones_like(after), where=before > 0.0)
        with np.errstate(divide="ignore"):
            log_growth: Floats = np.log(growth)
        return log_growth


_CLASSES: tuple[type[Budget[Any]], ...] = (Bonferroni, Holm, Closed)
ADJUSTMENTS = tuple(cls.name for cls in _CLASSES)


def create(name: str, *, family: Family, alpha: float) -> Budget[Any]:
    """Build a procedure from its name."""
    require_choice("adjust", name, ADJUSTMENTS)
    return _CLASSES[ADJUSTMENTS.index(name)](family=family, alpha=alpha)
