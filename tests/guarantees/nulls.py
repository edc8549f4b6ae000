"""Null hypotheses: pairs of score distributions with mean1 <= mean0."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stopwise.core.arrays import Floats

RUNS = 2000
N = 300
BINARY = (0.0, 1.0)


@dataclass(frozen=True)
class Null:
    """A way to draw two arrays (runs, n) of scores for which "policy 1 is better" is false."""

    draw: Callable[[np.random.Generator, tuple[int, int]], tuple[Floats, Floats]]
    tie: bool = True
    levels: tuple[float, ...] | None = None  # the only scores that occur, where they are few
    design: str = "independent"
    stationary: bool = True

    def scores(self, seed: int, runs: int = RUNS, n: int = N) -> tuple[Floats, Floats]:
        """Draw the scores of both policies."""
        return self.draw(np.random.default_rng(seed), (runs, n))


def bernoulli(p0: float, p1: float) -> Null:
    """Return independent successes with the two rates."""
    return Null(
        lambda rng, size: ((rng.random(size) < p0) * 1.0, (rng.random(size) < p1) * 1.0),
        tie=p0 == p1,
        levels=BINARY,
    )


def same(
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats],
    levels: tuple[float, ...] | None = None,
) -> Null:
    """Return both policies drawn independently from one distribution."""
    return Null(lambda rng, size: (draw(rng, size), draw(rng, size)), levels=levels)


def _partial_credit(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
    levels = rng.choice(7, size, p=[0.3, 0.05, 0.1, 0.1, 0.1, 0.05, 0.3])
    return levels / 6


def _drifting(rng: np.random.Generator, size: tuple[int, int]) -> tuple[Floats, Floats]:
    rate = 0.5 + 0.4 * np.sin(np.arange(size[1]) / 15)
    return (rng.random(size) < rate) * 1.0, (rng.random(size) < rate) * 1.0


def _shared(rng: np.random.Generator, size: tuple[int, int]) -> tuple[Floats, Floats]:
    difficulty = rng.random(size)
    return (
        np.where(rng.random(size) < 0.9, difficulty, rng.random(size)),
        np.where(rng.random(size) < 0.9, difficulty, rng.random(size)),
    )


def _opposed(rng: np.random.Generator, size: tuple[int, int]) -> tuple[Floats, Floats]:
    success = (rng.random(size) < 0.5) * 1.0
    return 1.0 - success, success


def _opposed_skewed(rng: np.random.Generator, size: tuple[int, int]) -> tuple[Floats, Floats]:
    """Exactly one of four gets 1 for policy 0, another one for policy 1: negative covariance."""
    which = rng.integers(0, 4, size)
    return (which == 0) * 1.0, (which == 1) * 1.0


NULLS: dict[str, Null] = {
    "bernoulli .02": bernoulli(0.02, 0.02),
    "bernoulli .5": bernoulli(0.5, 0.5),
    "bernoulli .97": bernoulli(0.97, 0.97),
    "bernoulli .55 > .5": bernoulli(0.55, 0.5),
    "bernoulli .2 > .1": bernoulli(0.2, 0.1),
    "two-point {0, .001}": same(
        lambda rng, size: (rng.random(size) < 0.3) * 0.001, levels=(0.0, 0.001, 1.0)
    ),
    "skewed beta": same(lambda rng, size: rng.beta(0.1, 2.0, size)),
    "uniform": same(lambda rng, size: rng.random(size)),
    "narrow beta": same(lambda rng, size: rng.beta(60.0, 40.0, size)),
    "partial credit": same(_partial_credit, levels=tuple(np.arange(7) / 6)),
    "point masses": same(lambda _, size: np.full(size, 0.4), levels=(0.0, 0.4, 1.0)),
    "certain against even odds": Null(
        lambda rng, size: (np.full(size, 0.5), (rng.random(size) < 0.5) * 1.0),
        levels=(0.0, 0.5, 1.0),
    ),
    "certain against jackpot": Null(
        lambda rng, size: (np.full(size, 0.02), (rng.random(size) < 0.02) * 1.0),
        levels=(0.0, 0.02, 1.0),
    ),
    "rare disaster against certain": Null(
        lambda rng, size: ((rng.random(size) < 0.98) * 1.0, np.full(size, 0.98)),
        levels=(0.0, 0.98, 1.0),
    ),
    "equal but drifting rates": Null(_drifting, levels=BINARY, stationary=False),
    "shared environment": Null(_shared, design="paired"),
    "opposed outcomes": Null(_opposed, levels=BINARY, design="paired"),
    "opposed rare outcomes": Null(_opposed_skewed, levels=BINARY, design="paired"),
}


# Scores of several policies with these means, of a shape that ends in one place for each.
Drawn = Callable[[np.random.Generator, tuple[int, ...], Floats], Floats]


def successes(rng: np.random.Generator, size: tuple[int, ...], means: Floats) -> Floats:
    return (rng.random((*size, means.size)) < means) * 1.0


def shared(rng: np.random.Generator, size: tuple[int, ...], means: Floats) -> Floats:
    """Success where a difficulty, mostly the same for all policies, lies below the mean."""
    own = rng.random((*size, means.size))
    return (np.where(own < 0.7, rng.random((*size, 1)), rng.random(own.shape)) < means) * 1.0


def one_wins(rng: np.random.Generator, size: tuple[int, ...], means: Floats) -> Floats:
    """Exactly one policy of each row succeeds: strong negative dependence."""
    winner = rng.integers(0, means.size, size)
    return np.asarray(winner[..., None] == np.arange(means.size), dtype=float)


def skewed(rng: np.random.Generator, size: tuple[int, ...], means: Floats) -> Floats:
    return rng.beta(0.4 * means, 0.4 * (1.0 - means), (*size, means.size))
