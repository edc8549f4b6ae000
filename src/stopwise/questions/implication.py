"""What follows from claims already made: if a > b and b > c are true, so is a > c."""

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.questions.family import Family


def with_implied(family: Family, claims: Bools) -> tuple[Bools, Bools]:
    """Return the claims (studies, pairs, 2) with those that follow, and which pairs those are.

    A false claim follows only from another false one, so this costs no risk. Contradictory
    claims (probability at most alpha) imply both directions of a pair: then neither is made.
    """
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
    """Give each implied claim the p-value of the weakest claim that it rests on."""
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
