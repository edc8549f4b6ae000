"""Pairs with a proxy whose mean comes from simulated scenes, relative to none, by their number.

Run ``python -m benchmarks.efficiency.proxy_scenes``. Every study has simulated scenes of its own: a
set that serves many studies is off its mean by the same amount in all of them, and a few sets leave
errors that no number of studies averages out.
"""

from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.efficiency.draws import Draw
from benchmarks.efficiency.proxy import CASES, proxied
from benchmarks.program import benchmark
from stopwise.core.arrays import Floats
from stopwise.core.comparison import Comparison
from stopwise.core.pair_rules import pair_rules
from stopwise.core.readings.proxied import Proxied
from stopwise.core.readings.scenes import scene_batches
from stopwise.core.rules import Rules

SCENES = (200, 2000, 20000, 100000)
CORRELATIONS = (0.0, 0.5, 0.75, 0.9)


def pairs_needed(comparison: Comparison, test: Proxied, scores: list[Floats]) -> Floats:
    """Return the pairs of each study; ``scores`` are r0, g0, r1, g1, one row per study."""
    r0, g0, r1, g1 = scores
    runs, n_max = r0.shape
    state, needed = test.start((runs, 1)), np.full(runs, float(n_max))
    decided = np.zeros(runs, dtype=bool)
    for pair in range(n_max):
        both = np.stack((r0[:, pair], g0[:, pair])), np.stack((r1[:, pair], g1[:, pair]))
        state = test.step(state, *comparison.directed(*both))
        now = test.evidence(state).rejected[:, 0] & ~decided
        needed[now], decided = pair + 1, decided | now
        if decided.all():
            break
    return needed


def with_scenes(test: Proxied, rules: Rules, scenes: Iterable[Floats]) -> Proxied:
    """Return the test of so many studies, each with these simulated scenes of its own."""
    batches = tuple((scene_batches(own, rules)[0],) for own in scenes)
    return replace(test, proxy_means=((0.0,),) * len(batches), proxy_batches=batches)


def drawn(
    rng: np.random.Generator, draw: Draw, means: tuple[float, float], runs: int, number: int
) -> Iterator[Floats]:
    """Yield simulated scenes (number, 2) for each study."""
    for _ in range(runs):
        yield np.stack([draw(rng, mean, (1, number))[0] * 1.0 for mean in means], axis=1)


@benchmark(runs=1000, cases=([1, 3, 5], "see proxy.CASES"), scenes=[*SCENES])
def main(options: Namespace) -> Table:
    """Print one row per case and correlation; beside each ratio the standard error of its loss."""
    table = Table("scores", "means", "N", "correlation", "known", *map(str, options.scenes))
    for index in options.cases:
        draw, n_max, *means = CASES[index]
        ends = (means[0], means[1])
        own: dict[str, Any] = {"n_max": n_max, "design": "paired"}
        rules = pair_rules(
            alternative="greater", method="nscore-plus", proxy_mean=means[1] - means[0], **own
        )
        comparison = Comparison(rules)
        known = comparison.test
        assert isinstance(known, Proxied)
        tests = []
        for number in options.scenes:
            scenes = drawn(
                np.random.default_rng([7, index, number]), draw, ends, options.runs, number
            )
            tests.append(with_scenes(known, rules, scenes))
        for same in CORRELATIONS:
            rng = np.random.default_rng([5, index])  # the same scores in every row of a case
            size = options.runs, n_max
            scores = [part for mean in ends for part in proxied(rng, draw, mean, same, size)]
            without = sw.simulate(
                "nscore-plus", scores[0], scores[2], workers=1, **own, alternative="greater"
            ).n.mean()
            best = pairs_needed(comparison, known, scores)
            cells = [f"{best.mean() / without:.3f}"]
            for test in tests:
                found = pairs_needed(comparison, test, scores)
                error = (found - best).std() / np.sqrt(options.runs) / without
                cells.append(f"{found.mean() / without:.3f} ({error:.3f})")
            kind = draw.__name__.replace("_", " ")
            table.add_row(kind, f"{ends[0]:g} {ends[1]:g}", str(n_max), f"{same:g}", *cells)
    return table
