"""Whether a difference changes along a study: a doubt where sameness is claimed, no guarantee."""

import math

import numpy as np

from stopwise.core.arrays import Floats

# A standard normal is farther from 0 with probability .01.
UNUSUAL = 2.576


def drift(differences: Floats) -> str | None:
    """Say how the difference moves, "rises" or "falls", if more than chance lets it, else None."""
    n, total = differences.size, differences.sum()
    trend = (differences * np.arange(1, n + 1)).sum() - 0.5 * (n + 1) * total
    # The standard deviation of the trend if every order is as likely.
    scatter = max((differences * differences).sum() - total**2 / max(n, 1), 0.0)
    spread = max(math.sqrt(scatter * n * (n + 1) / 12), 1e-9)
    if n < 3 or abs(trend) <= UNUSUAL * spread:
        return None
    return "rises" if trend > 0 else "falls"
