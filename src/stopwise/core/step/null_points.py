"""Common success rates at which the error is bounded during synthesis."""

import numpy as np

from stopwise.core.arrays import Doubles


def null_rates(n_max: int, points: int) -> Doubles:
    """Return the lower half of ``points`` rates, symmetric about 1/2, even in the arcsine scale."""
    edge = np.arcsin(np.sqrt(0.25 / n_max))
    angles = np.linspace(edge, np.pi / 2 - edge, points)[: (points + 1) // 2]
    rates: Doubles = np.sin(angles) ** 2
    return rates


def folded(probabilities: Doubles) -> Doubles:
    """Binomial probabilities of a total, added up over ``m`` and ``-m``, for ``m = 0, 1, ...``."""
    trials = probabilities.shape[1] // 2
    result = probabilities[:, trials::-1].copy()
    result[:, 1:] += probabilities[:, trials + 1 :]
    return result
