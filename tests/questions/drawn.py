"""Scores that several tests rank."""

import numpy as np

from stopwise.core.arrays import Floats

__all__ = ["FOUR", "scores"]


def scores(n: int = 120, **rates: float) -> dict[str, Floats]:
    """Return binary scores by policy, with these rates."""
    rng = np.random.default_rng(5)
    return {name: (rng.random(n) < rate) * 1.0 for name, rate in rates.items()}


FOUR = scores(low=0.1, middle=0.5, other=0.5, high=0.95)
