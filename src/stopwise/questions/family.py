"""Which claims "a is better than b" are tested, which can be false together, and what follows."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.rules import pairs_of
from stopwise.errors import require_choice

Entry = TypeVar("Entry", np.float64, np.bool_)


@dataclass(frozen=True, kw_only=True)
class Family:
    """The pairs of k policies that are compared, each in two directions."""

    k: int
    baseline: int | None = None  # compare all others with this policy only; None for all pairs
    # "strict": at an exact tie both directions are false claims. "paper": ties are taken not to
    # occur, so that each pair has exactly one false direction.
    ties: str = "strict"
    # 2, or 1 if direction 1 is never claimed: with a negative margin direction 0 claims that policy
    # 1 is not worse.
    sides: int = 2
    # Of other tasks that share alpha: their pairs, and how many of these are undecided.
    elsewhere: tuple[int, int] = (0, 0)
    transitive: bool = True  # whether a > b and b > c imply a > c: so with means, but not with wins

    @cached_property
    def pairs(self) -> Ints:
        """The pairs, as rows (policy 0, policy 1); a baseline is always policy 0."""
        return np.array(pairs_of(self.k, self.baseline))

    @property
    def size(self) -> int:
        return len(self.pairs)

    @property
    def total(self) -> int:
        """The pairs that share alpha, those of other tasks included."""
        return self.size + self.elsewhere[0]

    @property
    def most_false(self) -> int:
        """The greatest number of directions that can be false at once."""
        return self.total * (self.sides if self.ties == "strict" else 1)

    @property
    def least_false(self) -> int:
        """The directions that can be false though every pair here was decided rightly."""
        return self.total * (self.sides - 1) + self.elsewhere[1]

    @cached_property
    def of_policy(self) -> Bools:
        has: Bools = (self.pairs[None, :, :] == np.arange(self.k)[:, None, None]).any(axis=2)
        return has

    def better(self, claims: Bools) -> Bools:
        matrix = np.zeros((*claims.shape[:-2], self.k, self.k), dtype=bool)
        policy0, policy1 = self.pairs.T
        matrix[..., policy1, policy0] = claims[..., 0]
        matrix[..., policy0, policy1] = claims[..., 1]
        return matrix

    def directed(self, matrix: NDArray[Entry]) -> NDArray[Entry]:
        policy0, policy1 = self.pairs.T
        return np.stack([matrix[..., policy1, policy0], matrix[..., policy0, policy1]], axis=-1)


def with_implied(family: Family, claims: Bools) -> tuple[Bools, Bools]:
    """Return the claims with those that follow from others, and which pairs these are."""
    undecided = ~claims.any(axis=-1)
    if family.baseline is not None or not family.transitive:
        return claims, np.zeros_like(undecided)
    better = family.better(claims)
    for _ in range(family.k.bit_length()):
        better = better | (better[:, :, :, None] & better[:, None, :, :]).any(axis=2)
    reached = family.directed(better)
    follows = undecided & (reached[..., 0] != reached[..., 1])
    return claims | (reached & follows[..., None]), follows


def with_implied_p_values(family: Family, claims: Bools, implied: Bools, p_value: Floats) -> Floats:
    if not implied.any():
        return p_value
    policy0, policy1 = family.pairs.T
    direct = np.where(claims & ~implied[..., None], p_value, 1.0)
    path = np.ones((len(claims), family.k, family.k))
    path[:, policy1, policy0], path[:, policy0, policy1] = direct[..., 0], direct[..., 1]
    for _ in range(family.k.bit_length()):
        through = np.maximum(path[:, :, :, None], path[:, None, :, :]).min(axis=2)
        path = np.minimum(path, through)
    weaker = family.directed(path)
    return np.where(implied[..., None] & claims, weaker, p_value)


@dataclass(frozen=True, kw_only=True)
class Bonferroni:
    """Each direction has the same share of alpha; claims and p-values are (studies, pairs, 2)."""

    family: Family
    alpha: float

    name: ClassVar[str] = "bonferroni"

    def start(self, studies: int) -> Floats:
        return np.full((studies, self.family.size), float(self.family.most_false))

    def step(self, factor: Floats, claims: Bools, p_value: Floats) -> tuple[Floats, Bools]:
        return factor, claims | self._reached(factor, claims, p_value)

    def p_values(self, factor: Floats, p_value: Floats) -> Floats:
        adjusted = np.minimum(factor[..., None] * p_value, 1.0)
        # A method that rejects exactly at its share must not fail by a rounding error.
        return np.where(np.abs(adjusted / self.alpha - 1.0) < 1e-12, self.alpha, adjusted)

    def levels(self, factor: Floats) -> Floats:
        """Return the level at which each pair was decided, or would be now."""
        return self.alpha / factor

    def level_of_sameness(self, claims: Bools) -> Floats:
        """Return the level (studies, pairs) of each test that shows a pair to be the same."""
        return np.full(claims.shape[:-1], self.alpha / self.family.total)

    def hoped_for(self, log_e: Floats) -> Floats:
        """Log e-values at the highest level that a pair can still get; steers futility only."""
        return log_e

    def _reached(self, factor: Floats, claims: Bools, p_value: Floats) -> Bools:
        """Directions of undecided pairs that reach their level; not if both do at once."""
        open_pairs = ~claims.any(axis=-1)
        low = self.p_values(factor, p_value) <= self.alpha
        reached: Bools = low & (open_pairs & (low[..., 0] != low[..., 1]))[..., None]
        return reached


@dataclass(frozen=True, kw_only=True)
class Holm(Bonferroni):
    """A decided pair cannot be a tie, so it keeps one share; its other passes to the rest."""

    name: ClassVar[str] = "holm"

    def step(self, factor: Floats, claims: Bools, p_value: Floats) -> tuple[Floats, Bools]:
        while True:
            undecided = ~claims.any(axis=-1)
            if self.family.ties == "strict":
                count = self.family.least_false + undecided.sum(axis=-1, keepdims=True)
                factor = np.where(undecided, count, factor)
            new = self._reached(factor, claims, p_value)
            if not new.any():
                return factor, claims
            claims = claims | new

    def level_of_sameness(self, claims: Bools) -> Floats:
        """Return the level of a pair that is no tie: all others without an order may be ties."""
        if self.family.ties != "strict":
            return super().level_of_sameness(claims)
        undecided = (~claims.any(axis=-1)).sum(axis=-1, keepdims=True)
        most_false = self.family.total + np.maximum(undecided + self.family.elsewhere[1] - 1, 0)
        return np.broadcast_to(self.alpha / most_false, claims.shape[:-1])

    def hoped_for(self, log_e: Floats) -> Floats:
        """Return the evidence as it counts for the last pair that is undecided."""
        if self.family.ties != "strict":
            return log_e
        return log_e + float(np.log(self.family.most_false / (self.family.least_false + 1)))


_PROCEDURES = {cls.name: cls for cls in (Bonferroni, Holm)}
ADJUSTMENTS = tuple(_PROCEDURES)


def create(name: str, *, family: Family, alpha: float) -> Bonferroni:
    require_choice("adjust", name, ADJUSTMENTS)
    return _PROCEDURES[name](family=family, alpha=alpha)
