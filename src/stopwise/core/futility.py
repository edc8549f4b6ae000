"""Futility of the methods that bet: when a decision by n_max is too unlikely to go on for."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.method import Evidence, Method, State, evidence_from_log_e
from stopwise.core.scores import is_number
from stopwise.errors import require
from stopwise.messages import named

# Effects per pair that a decision may be hoped for: the greatest, and how many.
GREATEST_EFFECT, EFFECTS = 2.0, 14


@dataclass(frozen=True, kw_only=True)
class MayBeFutile(Method[State]):
    """A method that knows its chance of a decision by n_max, if there is an effect."""

    futility_chance: float = 0.05  # of a decision by n_max, below which a study is futile

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            is_number(self.futility_chance) and 0 < self.futility_chance < 1,
            named("futility_chance"),
            f" must lie strictly between 0 and 1, but got {self.futility_chance!r}",
        )

    @property
    def least_chance(self) -> float:
        return self.futility_chance

    def chance(self, state: State) -> Floats | None:
        if self.n_max is None or self.futility is None:
            return None
        return self._chance_by(self.n_max, state)

    def futile(self, state: State) -> Bools:
        chance = self.chance(state)
        if chance is None:
            return super().futile(state)
        futile: Bools = chance < self.futility_chance
        return futile

    def evidence(self, state: Any) -> Evidence:
        return evidence_from_log_e(state.log_e, self.alpha)

    def _chance_by(self, n_max: int, state: Any) -> Floats:
        """Return the chance of a decision by n_max, if there is an effect; 0 from there on."""
        pairs, total = self._standardised(state)
        need = -np.log(self.alpha) - state.log_e
        return chance_of_growth(self.alpha, n_max, pairs=pairs, total=total, need=need)

    @abstractmethod
    def _standardised(self, state: Any) -> tuple[Floats, Floats]:
        """Return the pairs seen and their differences less the margin, in deviations, summed."""


def chance_of_growth(
    alpha: float, n_max: int, *, pairs: Floats, total: Floats, need: Floats
) -> Floats:
    """Return the chance that bets of greatest growth decide by n_max, in a normal approximation."""
    from scipy.special import log_ndtr, ndtr  # slow to load, and many tests end without it

    effect = _effects(alpha, n_max)
    weights = effect * total[..., None] - 0.5 * effect**2 * pairs[..., None]
    weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    catching_up = np.maximum(-total, 0.0)[..., None] / effect
    left = np.maximum((n_max - pairs)[..., None] - catching_up, 0.0)
    to_go = np.maximum(need, 1e-9)[..., None]
    gain, spread = 0.5 * effect**2 * left, np.maximum(effect * np.sqrt(left), 1e-9)
    # reached at the end, or before and lost again (by the reflection principle)
    reached = ndtr((gain - to_go) / spread)
    reached += np.exp(np.minimum(to_go + log_ndtr((-gain - to_go) / spread), 0.0))
    chance: Floats = (weights * np.minimum(reached, 1.0)).sum(axis=-1)
    return chance


@lru_cache(maxsize=64)
def _effects(alpha: float, n_max: int) -> Floats:
    least = float(np.sqrt(2 * np.log(1 / alpha) / n_max))
    grid: Floats = np.geomspace(least, max(GREATEST_EFFECT, 1.5 * least), EFFECTS)
    grid.flags.writeable = False
    return grid
