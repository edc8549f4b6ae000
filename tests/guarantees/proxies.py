"""Proxies that are useless, good, wrong in sign, biased and adversarial, and studies with them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.pair_test import PairTest
from stopwise.core.readings.proxied import Proxied
from stopwise.core.rules import pair_rules
from stopwise.core.simulate import Simulation

RUNS, N = 2000, 100


Scene = tuple[Floats, Floats, Floats, Floats]


Draw = Callable[[np.random.Generator, tuple[int, ...]], Scene]


def coins(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Success or failure of equal policies."""
    return (rng.random(shape) < 0.6) * 1.0, (rng.random(shape) < 0.6) * 1.0


def useless(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A proxy that knows nothing, and prefers policy 1: G = .3."""
    return *coins(rng, shape), (rng.random(shape) < 0.3) * 1.0, (rng.random(shape) < 0.6) * 1.0


def good(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A proxy that is right in nine of ten trials."""
    r0, r1 = coins(rng, shape)
    g0, g1 = (np.where(rng.random(shape) < 0.9, r, rng.random(shape) < 0.6) for r in (r0, r1))
    return r0, r1, g0, g1


def wrong_sign(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A proxy that says the opposite."""
    r0, r1, g0, g1 = good(rng, shape)
    return r0, r1, 1 - g0, 1 - g1


def biased(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A good proxy through an affine map of its own for each policy: G = .34."""
    r0, r1, g0, g1 = good(rng, shape)
    return r0, r1, 0.1 + 0.4 * g0, 0.5 + 0.3 * g1


def adversarial(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A proxy that agrees with small differences, and is worst where policy 1 loses all."""
    r0, r1 = np.clip(rng.normal(0.5, 0.15, (2, *shape)), 0, 1)
    lost = rng.random(shape) < 0.02
    won = rng.random(shape) < 0.02
    r0, r1 = (
        np.where(lost, 1.0, np.where(won, 0.0, r0)),
        np.where(lost, 0.0, np.where(won, 1.0, r1)),
    )
    return r0, r1, np.where(lost, 0.0, r0), np.where(lost, 1.0, r1)


# By name: the scenes, and the mean of g1 - g0.
PROXIES: dict[str, tuple[Draw, float]] = {
    "useless": (useless, 0.3),
    "good": (good, 0.0),
    "wrong in sign": (wrong_sign, 0.0),
    "biased": (biased, 0.5 + 0.3 * 0.6 - 0.1 - 0.4 * 0.6),
    "adversarial": (adversarial, 0.04),
}


def studies(draw: Draw, runs: int = RUNS, **settings: Any) -> Simulation:
    r0, r1, g0, g1 = draw(np.random.default_rng(24), (runs, N))
    usual = {"method": "nscore-plus", "n_max": N, "design": "paired", "workers": 1}
    return sw.simulate(
        scores0=r0,
        scores1=r1,
        proxy=(g0, g1),
        **{"alternative": "greater", "ties": "paper", **usual, **settings},
    )


def errors(found: Simulation) -> int:
    return int((found.decision >= 0).sum())


def errors_with_own_means(
    draw: Draw, means: list[float], alpha: float, n: int, batches: Floats | None = None
) -> int:
    """Return the errors of studies that each declare a mean, or batches of scenes, of their own."""
    rules = pair_rules(
        alternative="greater",
        method="nscore-plus",
        alpha=alpha,
        n_max=n,
        design="paired",
        proxy_mean=0.0,
    )
    comparison = PairTest(rules)
    of_each: Any = tuple((mean,) for mean in means)
    assert isinstance(comparison.test, Proxied)
    test = replace(comparison.test, proxy_means=of_each)
    if batches is not None:
        test = replace(test, proxy_batches=tuple((tuple(own),) for own in batches.tolist()))
    r0, r1, g0, g1 = draw(np.random.default_rng(24), (len(means), n))
    state, wrong = test.start((len(means), 1)), np.zeros((len(means), 1), dtype=bool)
    for scores0, scores1 in zip(np.stack((r0, g0)).T, np.stack((r1, g1)).T, strict=True):
        state = test.step(state, *comparison.directed(scores0.T, scores1.T))
        wrong |= test.evidence(state).rejected
    return int(wrong.sum())
