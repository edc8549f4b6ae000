"""Family-wise error: how alpha is shared among the claims about many policies.

Every procedure promises: the probability that any claim ever made is false is at most alpha, at
every stopping time. Proofs are in docs/design/many-policies.md.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.errors import require_choice
from stopwise.questions.family import Family


@dataclass(frozen=True, kw_only=True)
class Bonferroni:
    """Each direction has the same share of alpha; arrays are (studies, pairs, 2)."""

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
