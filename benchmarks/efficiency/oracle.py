"""What a bettor could do who knows the true distributions, and the limit of every method.

Independent design: a constant product bet multiplies the evidence by
``(a + b r1) (2 - a - b r0)`` with ``a = 1 - bet m`` and ``b = bet``. Its expected log-growth is
concave in (a, b), and its maximum equals ``inf_m KLinf(P0, mean >= m) + KLinf(P1, mean <= m)``
(at the saddle point both dual bets are the same), so ``log(1/alpha)`` over it is also
the limit for tests that are valid for all bounded scores, as alpha tends to 0. Paired design:
``1 + b (r1 - r0)``, for pairs that happen to be independent.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from benchmarks.efficiency.suite import Case, Scores
from stopwise.core.arrays import Bools, Floats, Ints

# Values per policy of which all differences are formed in the paired design.
PAIRED_VALUES = 250
TINY = 1e-300


@dataclass(frozen=True)
class Oracle:
    """The best constant bet: its parameters, and its expected log-growth per pair."""

    a: float
    b: float
    growth: float
    design: str

    def stops(self, scores0: Floats, scores1: Floats, alpha: float) -> tuple[Ints, Bools]:
        with np.errstate(divide="ignore"):
            if self.design == "paired":
                steps = np.log1p(self.b * (scores1 - scores0))
            else:
                steps = np.log(self.a + self.b * scores1) + np.log(2 - self.a - self.b * scores0)
        reached = np.cumsum(steps, axis=1) >= -np.log(alpha)
        decided = reached.any(axis=1)
        return np.where(decided, reached.argmax(axis=1) + 1, scores0.shape[1]), decided


def oracle(case: Case, design: str = "independent") -> Oracle:
    return _paired(case) if design == "paired" else _independent(case.policy0, case.policy1)


def limit_growth(policy0: Scores, policy1: Scores) -> float:
    """Return the dual form: the least sum of both distances to a common mean."""

    def distances(mean: float) -> float:
        toward = _maximum(
            lambda bet: (
                policy1.weights @ np.log(np.maximum(1 + bet * (policy1.values - mean), TINY))
            ),
            1 / mean,
        )
        away = _maximum(
            lambda bet: (
                policy0.weights @ np.log(np.maximum(1 - bet * (policy0.values - mean), TINY))
            ),
            1 / (1 - mean),
        )
        return toward[1] + away[1]

    return -_maximum(
        lambda share: -distances(policy0.mean + share * (policy1.mean - policy0.mean)), 1.0
    )[1]


def _independent(policy0: Scores, policy1: Scores) -> Oracle:
    def growth(share: float, b: float) -> float:
        a = share * (2 - b)
        gain1 = np.log(np.maximum(a + b * policy1.values, TINY))
        gain0 = np.log(np.maximum(2 - a - b * policy0.values, TINY))
        return float(policy1.weights @ gain1 + policy0.weights @ gain0)

    def best_share(b: float) -> tuple[float, float]:
        return _maximum(lambda share: growth(share, b), 1.0)

    b, value = _maximum(lambda b: best_share(b)[1], 2.0)
    return Oracle(best_share(b)[0] * (2 - b), b, value, "independent")


def _paired(case: Case) -> Oracle:
    coarse0, coarse1 = (_coarse(policy) for policy in (case.policy0, case.policy1))
    differences = coarse1[0][:, None] - coarse0[0]
    weights = coarse1[1][:, None] * coarse0[1]
    b, value = _maximum(lambda bet: np.sum(weights * np.log1p(bet * differences)), 1 - 1e-9)
    return Oracle(1.0, b, value, "paired")


def _coarse(policy: Scores) -> tuple[Floats, Floats]:
    """Merge neighbouring values until there are few; their means stay."""
    if len(policy.values) <= PAIRED_VALUES:
        return policy.values, policy.weights
    order = np.argsort(policy.values)
    values, weights = policy.values[order], policy.weights[order]
    group = np.minimum(np.cumsum(weights) * PAIRED_VALUES, PAIRED_VALUES - 1).astype(int)
    total = np.bincount(group, weights).astype(float)
    kept = total > 0
    return np.bincount(group, weights * values)[kept] / total[kept], total[kept]


def _maximum(function: Any, upper: float) -> tuple[float, float]:
    found = minimize_scalar(
        lambda x: -float(function(x)),
        bounds=(0, upper),
        method="bounded",
        options={"xatol": 1e-7 * upper},
    )
    return float(found.x), -float(found.fun)
