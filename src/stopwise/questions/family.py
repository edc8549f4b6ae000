"""Which claims "a is better than b" are tested, which can be false together, and what follows."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.rules import pairs_of

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
    own = np.where(claims & ~implied[..., None], p_value, 1.0)
    path = np.ones((len(claims), family.k, family.k))
    path[:, policy1, policy0], path[:, policy0, policy1] = own[..., 0], own[..., 1]
    for _ in range(family.k.bit_length()):
        through = np.maximum(path[:, :, :, None], path[:, None, :, :]).min(axis=2)
        path = np.minimum(path, through)
    found = family.directed(path)
    return np.where(implied[..., None] & claims, found, p_value)
