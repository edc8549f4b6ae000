"""The fixed suite of comparisons on which the methods are measured.

Each case is a pair of score distributions in [0, 1] with mean1 > mean0. Real data are permuted
(drawn without replacement while the study is no longer than the data, with replacement beyond),
so they are there only beside the data folder.

Held-out cases are drawn at random, and were drawn only after the methods had been settled.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import beta as beta_distribution
from scipy.stats import binom

from benchmarks.paper.datasets import (
    DATA,
    LBM_ENVIRONMENTS,
    lbm_scores,
    mujoco,
    roboarena_all,
)
from benchmarks.paper.polynomial import PolynomialScores, random_pair
from benchmarks.paper.table_1_left import ALTERNATIVES
from stopwise.core.arrays import Floats

# Equally likely values that stand for a continuous distribution in the oracle.
QUANTILES = 1000
BETAS = (
    (50, 50, 53, 47), (200, 200, 206, 194), (20, 20, 23, 17), (5, 5, 6, 4), (2, 2, 2.8, 2),
    (0.5, 0.5, 0.8, 0.5), (0.3, 0.7, 0.5, 0.7), (8, 2, 9, 1), (2, 8, 3, 8), (1, 1, 1.4, 1),
    (30, 3, 32, 2), (2, 30, 3, 30),
)  # fmt: skip
# Partial credit: binomial rate, extra share of zeros and of ones, for policy 0 and policy 1.
PARTIAL_CREDIT = {
    "a": ((0.4, 0.3, 0.1), (0.5, 0.2, 0.2)),
    "b": ((0.5, 0.5, 0.0), (0.5, 0.3, 0.1)),
    "c": ((0.7, 0.05, 0.5), (0.75, 0.02, 0.65)),
    "d": ((0.3, 0.2, 0.2), (0.6, 0.2, 0.2)),
}
# Bimodal returns: (weight, a, b) of each beta component, for policy 0 and policy 1.
BIMODAL = (
    (((0.5, 20, 80), (0.5, 80, 20)), ((0.35, 20, 80), (0.65, 80, 20))),
    (((0.3, 5, 95), (0.7, 90, 10)), ((0.15, 5, 95), (0.85, 90, 10))),
    (((0.6, 10, 40), (0.4, 60, 20)), ((0.4, 10, 40), (0.6, 65, 15))),
    (((0.2, 2, 38), (0.8, 60, 40)), ((0.1, 2, 38), (0.9, 62, 38))),
)
# Rare failures: (level, rate of failures) of policy 0 and of policy 1; a failure scores 0.
FAILURES = (
    ((0.8, 0), (0.84, 0.01)), ((0.8, 0), (0.85, 0.02)), ((0.8, 0), (0.9, 0.05)),
    ((0.8, 0), (0.95, 0.1)), ((0.5, 0), (0.55, 0.02)), ((0.5, 0), (0.6, 0.05)),
    ((0.4, 0), (0.6, 0.1)), ((0.8, 0.02), (0.8, 0)), ((0.8, 0.05), (0.8, 0)),
    ((0.8, 0.1), (0.8, 0)), ((0.5, 0.1), (0.5, 0)), ((0.85, 0.1), (0.8, 0)),
    ((0.8, 0.05), (0.8, 0.01)), ((0.8, 0.1), (0.8, 0.02)), ((0.8, 0.1), (0.8, 0.05)),
    ((0.8, 0.05), (0.85, 0.05)), ((0.8, 0.02), (0.83, 0.02)),
)  # fmt: skip
# Half the width of the scores that are no failures.
STEADY = 0.02
# Two good policies, as on BipedalWalker: best score, mean distance below it (skewed), rate of falls
# and their mean score, for policy 0 and policy 1.
GOOD_RETURNS = (
    ((0.90, 0.02, 0.03, 0.35), (0.91, 0.02, 0.02, 0.35)),
    ((0.90, 0.02, 0.05, 0.35), (0.92, 0.015, 0.03, 0.35)),
    ((0.88, 0.01, 0.02, 0.40), (0.89, 0.01, 0.02, 0.40)),
    ((0.90, 0.03, 0.10, 0.30), (0.92, 0.03, 0.06, 0.30)),
    ((0.93, 0.01, 0.04, 0.40), (0.93, 0.01, 0.01, 0.40)),
    ((0.85, 0.02, 0.00, 0.40), (0.87, 0.02, 0.02, 0.30)),
)
FALL_DEVIATION = 0.08
# Held-out cases: how many, their seed, and the least and greatest gap of their means.
HELD_OUT, HELD_OUT_SEED, HELD_OUT_GAPS = 120, 20261116, (0.01, 0.5)
# Scores that stand for a distribution which is known by its draws alone.
DRAWN = 4000
# Added later to the fixed suite: reported by themselves, not part of its overall figures.
RARE_FAILURES, STEADY_RETURNS = "rare failures", "steady returns"
SEPARATE = (RARE_FAILURES, STEADY_RETURNS)


@dataclass(frozen=True, eq=False)
class Scores:
    """A distribution of scores: how to draw (runs, n) of them, and its values with their weights.

    Values and weights are exact where scores are discrete, otherwise equally likely quantiles.
    """

    draw: Callable[[np.random.Generator, tuple[int, int]], Floats]
    values: Floats
    weights: Floats

    @property
    def mean(self) -> float:
        return float(self.values @ self.weights)

    def quantile(self, levels: Floats) -> Floats:
        order = np.argsort(self.values)
        index = np.searchsorted(np.cumsum(self.weights[order]), levels)
        return self.values[order][np.minimum(index, len(order) - 1)]


@dataclass(frozen=True, eq=False)
class Case:
    name: str
    family: str
    policy0: Scores
    policy1: Scores

    def draw(self, seed: int, runs: int, n: int) -> tuple[Floats, Floats]:
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        return self.policy0.draw(rng, (runs, n)), self.policy1.draw(rng, (runs, n))


def discrete(values: Sequence[float], weights: Sequence[float]) -> Scores:
    array, shares = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    shares = shares / shares.sum()
    steps = np.cumsum(shares)[:-1]
    return Scores(
        lambda rng, size: array[np.searchsorted(steps, rng.random(size), side="right")],
        array,
        shares,
    )


def bernoulli(rate: float) -> Scores:
    return discrete([0, 1], [1 - rate, rate])


def partial_credit(levels: int, rate: float, zeros: float, ones: float) -> Scores:
    weights = binom.pmf(np.arange(levels), levels - 1, rate) * (1 - zeros - ones)
    weights[0] += zeros
    weights[-1] += ones
    return discrete(np.linspace(0, 1, levels).tolist(), weights.tolist())


def failing(level: float, rate: float) -> Scores:
    """Return steady scores around a level, and 0 with this rate."""
    steady = level + STEADY * (2 * _midpoints(QUANTILES) - 1)
    values = np.append(steady, 0.0)
    weights = np.append(np.full(QUANTILES, (1 - rate) / QUANTILES), rate)

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
        scores = level + STEADY * (2 * rng.random(size) - 1)
        return np.where(rng.random(size) < rate, 0.0, scores)

    return Scores(draw, values, weights)


def beta_mixture(*components: tuple[float, float, float]) -> Scores:
    shares, a, b = (np.array(column, dtype=float) for column in zip(*components, strict=True))

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
        if len(components) == 1:
            return np.asarray(rng.beta(a[0], b[0], size))
        which = np.searchsorted(np.cumsum(shares)[:-1], rng.random(size), side="right")
        return np.asarray(rng.beta(a[which], b[which]))

    grid = _midpoints(QUANTILES)
    values = beta_distribution.ppf(grid, a[:, None], b[:, None])
    return Scores(draw, values.ravel(), np.repeat(shares / len(grid), len(grid)))


def falling(best: float, below: float, rate: float, fall: float) -> Scores:
    """Return skewed scores just below the best one, and a few falls."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
        scores = best - rng.exponential(below, size)
        falls = rng.normal(fall, FALL_DEVIATION, size)
        return np.clip(np.where(rng.random(size) < rate, falls, scores), 0, 1)

    return drawn(draw)


def polynomial_pair(seed: int, sampler: str) -> tuple[Scores, Scores]:
    pair = random_pair(np.random.default_rng(seed), (0.02, 0.2), "if negative")
    return _polynomial(pair[0], sampler), _polynomial(pair[1], sampler)


def permuted(data: Sequence[float]) -> Scores:
    """Return recorded scores in random order; with replacement where a study is longer."""
    values = np.asarray(data, dtype=float)

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
        runs, n = size
        if n > len(values):
            return rng.choice(values, size)
        return rng.permuted(np.tile(values, (runs, 1)), axis=1)[:, :n]

    return Scores(draw, *_distinct(values))


def synthetic() -> Iterator[Case]:
    for p0, p1 in ALTERNATIVES:
        yield Case(f"bern {p0:.2f}/{p1:.2f}", "Bernoulli", bernoulli(p0), bernoulli(p1))
    for seed in range(10):
        yield Case(f"poly{seed}", "polynomial", *polynomial_pair(seed, "inverse"))
    for seed in range(10, 15):
        yield Case(f"polyflip{seed}", "polynomial", *polynomial_pair(seed, "paper"))
    for a0, b0, a1, b1 in BETAS:
        name = f"beta {a0:g},{b0:g}/{a1:g},{b1:g}"
        yield Case(name, "beta", beta_mixture((1, a0, b0)), beta_mixture((1, a1, b1)))
    for levels in (3, 7, 14):
        for letter, (shape0, shape1) in PARTIAL_CREDIT.items():
            yield Case(
                f"lev{levels}{letter}",
                "levels",
                partial_credit(levels, *shape0),
                partial_credit(levels, *shape1),
            )
    for index, (shape0_, shape1_) in enumerate(BIMODAL, start=1):
        yield Case(f"bim{index}", "bimodal", beta_mixture(*shape0_), beta_mixture(*shape1_))
    for failing0, failing1 in FAILURES:
        name = "fails " + "/".join(f"{level:g}-{rate:g}" for level, rate in (failing0, failing1))
        yield Case(name, RARE_FAILURES, failing(*failing0), failing(*failing1))
    for index, (good0, good1) in enumerate(GOOD_RETURNS, start=1):
        yield Case(f"good{index}", STEADY_RETURNS, falling(*good0), falling(*good1))


def drawn(draw: Callable[[np.random.Generator, tuple[int, int]], Floats]) -> Scores:
    """Return the distribution that these draws come from, for the oracle as a sample of it."""
    values = draw(np.random.default_rng(0), (1, DRAWN))[0]
    return Scores(draw, values, np.full(DRAWN, 1 / DRAWN))


def held_out(count: int = HELD_OUT, seed: int = HELD_OUT_SEED) -> list[Case]:
    rng = np.random.default_rng(seed)
    cases: list[Case] = []
    while len(cases) < count:
        kind0, scores0 = _random_scores(rng)
        kind1, scores1 = _random_scores(rng)
        if rng.random() < 0.6:
            kind1, scores1 = "improved", _improved(scores0, scores1, rng.uniform(0.03, 0.4))
        (kind0, scores0), (kind1, scores1) = sorted(
            [(kind0, scores0), (kind1, scores1)], key=lambda pair: pair[1].mean
        )
        if HELD_OUT_GAPS[0] <= scores1.mean - scores0.mean <= HELD_OUT_GAPS[1]:
            name = f"held-out {len(cases)}: {kind0}, {kind1}"
            cases.append(Case(name, "held-out", scores0, scores1))
    return cases


def _random_scores(rng: np.random.Generator) -> tuple[str, Scores]:
    kind = str(rng.choice(["binary", "beta", "normal", "levels", "bimodal", "failing", "waiting"]))
    a, b, c, d = rng.uniform(0.5, 40, 4)
    level, rate, deviation = rng.uniform(0.2, 0.9), rng.random(), 10 ** rng.uniform(-2, -0.6)
    if kind == "binary":
        return kind, bernoulli(0.05 + 0.9 * rate)
    if kind == "beta":
        return kind, beta_mixture((1, a, b))
    if kind == "bimodal":
        return kind, beta_mixture((rate, a, b), (1 - rate, c, d))
    if kind == "levels":
        count = int(rng.integers(3, 9))
        weights = rng.dirichlet(np.full(count, 0.7))
        return kind, discrete(np.linspace(0, 1, count).tolist(), weights.tolist())
    if kind == "waiting":
        return kind, drawn(lambda g, size: np.minimum(g.exponential(0.3 * level, size), 1.0))
    zeros = 0.3 * rate if kind == "failing" else 0.0

    def draw(g: np.random.Generator, size: tuple[int, int]) -> Floats:
        scores = np.clip(g.normal(level, deviation, size), 0, 1)
        return np.where(g.random(size) < zeros, 0.0, scores)

    return kind, drawn(draw)


def _improved(scores: Scores, other: Scores, share: float) -> Scores:
    """Return scores of which this share is replaced by the better of two."""

    def draw(g: np.random.Generator, size: tuple[int, int]) -> Floats:
        own = scores.draw(g, size)
        return np.where(g.random(size) < share, np.maximum(own, other.draw(g, size)), own)

    return drawn(draw)


def recorded() -> Iterator[Case]:
    for (environment, task), policies in lbm_scores().items():
        yield from _pairs(f"lbm {LBM_ENVIRONMENTS[environment]} {task}", "LBM", policies, "")
    names = {name.removesuffix("_droid"): scores for name, scores in roboarena_all().items()}
    yield from _pairs("ra", "RoboArena", names)
    for task, policies in mujoco().items():
        yield from _pairs(f"mj {task.split('-')[0]}", "MuJoCo", policies)


def suite() -> list[Case]:
    cases = list(synthetic())
    if (DATA / "mujoco_returns.csv").is_file():
        cases += recorded()
    return cases


def _pairs(
    prefix: str, family: str, policies: dict[str, list[float]], name: str = " {0}/{1}"
) -> Iterator[Case]:
    ranked = sorted(policies, key=lambda policy: np.mean(policies[policy]))
    for worse, better in combinations(ranked, 2):
        if np.mean(policies[better]) > np.mean(policies[worse]):
            scores0, scores1 = permuted(policies[worse]), permuted(policies[better])
            yield Case(prefix + name.format(worse, better), family, scores0, scores1)


def _polynomial(density: PolynomialScores, sampler: str) -> Scores:
    scores = density.sampler(sampler)
    grid = _midpoints(QUANTILES)
    return Scores(
        lambda rng, size: scores(rng.random(size)), scores(grid), np.full(len(grid), 1 / len(grid))
    )


def _distinct(values: Floats) -> tuple[Floats, Floats]:
    found, counts = np.unique(values, return_counts=True)
    return found, counts / len(values)


def _midpoints(count: int) -> Floats:
    return (np.arange(count) + 0.5) / count
