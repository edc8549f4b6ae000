"""Scores of a given mean: success and failure, partial credit, and returns."""

from collections.abc import Callable

import numpy as np

from stopwise.core.arrays import Floats

Draw = Callable[[np.random.Generator, float, tuple[int, int]], Floats]


def success(
    rng: np.random.Generator, mean: float | tuple[float, ...], size: tuple[int, ...]
) -> Floats:
    return (rng.random(size) < mean).astype(np.float64)


def partial_credit(
    rng: np.random.Generator, mean: float, size: tuple[int, int], milestones: int = 4
) -> Floats:
    reached: Floats = rng.binomial(milestones, mean, size) / milestones
    return reached


def returns(
    rng: np.random.Generator, mean: float, size: tuple[int, int], weight: float = 8
) -> Floats:
    scores: Floats = rng.beta(weight * mean, weight * (1 - mean), size)
    return scores
