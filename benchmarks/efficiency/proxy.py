"""What a proxy or a judge saves, by how well it agrees with the scores.

Run ``python -m benchmarks.efficiency.proxy``. A proxy's score is the real one with a probability,
which is then the correlation, and else a fresh draw. ``--show`` chooses: ``known``, pairs relative
to none where the mean of the proxy's difference is known; ``scenes``, the same where it comes from
simulated scenes, of every study its own; ``audits``, pairs where a judge scores all trials and
people a share.
"""

from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.efficiency.draws import Draw, partial_credit, returns, success
from benchmarks.program import benchmark
from stopwise.core.arrays import Floats
from stopwise.core.pair_test import PairTest
from stopwise.core.readings.proxied import Proxied
from stopwise.core.readings.scenes import scene_batches
from stopwise.core.rules import Rules, pair_rules

# Kind of score, n_max, both means: effects that most studies of that length find.
CASES: tuple[tuple[Draw, int, float, float], ...] = (
    (success, 50, 0.5, 0.8),
    (success, 200, 0.5, 0.7),
    (success, 200, 0.8, 0.9),
    (partial_credit, 50, 0.5, 0.65),
    (partial_credit, 200, 0.5, 0.58),
    (returns, 200, 0.5, 0.55),
    (returns, 1000, 0.5, 0.53),
)
CORRELATIONS = (0.0, 0.5, 0.7, 0.8, 0.9)
OF_SCENES = (0.0, 0.5, 0.75, 0.9)
SCENES = (200, 2000, 20_000, 100_000)
# n_max and both success rates, and the chances of an audit.
AUDITED = ((200, 0.5, 0.7), (1000, 0.5, 0.6))
CHANCES = (0.1, 0.3, 0.5)
GREATER: dict[str, Any] = {"design": "paired", "alternative": "greater"}


def proxied(
    rng: np.random.Generator, draw: Draw, mean: float, same: float, size: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return scores of one policy, and of its proxy."""
    scores, others = draw(rng, mean, size) * 1.0, draw(rng, mean, size) * 1.0
    return scores, np.where(rng.random(size) < same, scores, others)


def with_known_mean(options: Namespace) -> Table:
    table = Table("scores", "means", "N", "without", *(f"{each:g}" for each in CORRELATIONS))
    for index, (draw, n_max, mean0, mean1) in enumerate(CASES):
        own = {"n_max": n_max, "workers": options.workers, **GREATER}
        cells: list[str] = []
        for same in CORRELATIONS:
            rng = np.random.default_rng([options.seed, index])  # the same scores in every column
            size = options.runs, n_max
            scores0, proxy0 = proxied(rng, draw, mean0, same, size)
            scores1, proxy1 = proxied(rng, draw, mean1, same, size)
            without = sw.simulate("nscore-plus", scores0, scores1, **own)
            own_mean: dict[str, Any] = {"proxy": (proxy0, proxy1), "proxy_mean": mean1 - mean0}
            found = sw.simulate("nscore-plus", scores0, scores1, **own_mean, **own)
            cells = cells or [f"{without.n.mean():.1f} / {without.rate(1):.2f}"]
            cells.append(f"{found.n.mean() / without.n.mean():.2f} / {found.rate(1):.2f}")
        kind = draw.__name__.replace("_", " ")
        table.add_row(kind, f"{mean0:g} {mean1:g}", str(n_max), *cells)
    return table


def with_scenes(options: Namespace) -> Table:
    """Return pairs relative to no proxy; beside each ratio the standard error of its loss."""
    table = Table("scores", "means", "N", "correlation", "known", *map(str, SCENES))
    for index in (1, 2, 4):
        draw, n_max, *means = CASES[index]
        ends = (means[0], means[1])
        own: dict[str, Any] = {"n_max": n_max, **GREATER}
        rules = pair_rules(method="nscore-plus", proxy_mean=means[1] - means[0], **own)
        comparison = PairTest(rules)
        known = comparison.test
        assert isinstance(known, Proxied)
        tests = []
        for number in SCENES:
            rng = np.random.default_rng([7, index, number])
            scenes = _drawn(rng, draw, ends, options.runs, number)
            tests.append(_of_scenes(known, rules, scenes))
        for same in OF_SCENES:
            rng = np.random.default_rng([5, index])  # the same scores in every row of a case
            size = options.runs, n_max
            scores = [part for mean in ends for part in proxied(rng, draw, mean, same, size)]
            without = sw.simulate("nscore-plus", scores[0], scores[2], workers=1, **own).n.mean()
            best = _pairs_needed(comparison, known, scores)
            cells = [f"{best.mean() / without:.3f}"]
            for test in tests:
                found = _pairs_needed(comparison, test, scores)
                error = (found - best).std() / np.sqrt(options.runs) / without
                cells.append(f"{found.mean() / without:.3f} ({error:.3f})")
            kind = draw.__name__.replace("_", " ")
            table.add_row(kind, f"{ends[0]:g} {ends[1]:g}", str(n_max), f"{same:g}", *cells)
    return table


def _pairs_needed(comparison: PairTest, test: Proxied, scores: list[Floats]) -> Floats:
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


def _of_scenes(test: Proxied, rules: Rules, scenes: Iterable[Floats]) -> Proxied:
    batches = tuple((scene_batches(own, rules)[0],) for own in scenes)
    return replace(test, proxy_means=((0.0,),) * len(batches), proxy_batches=batches)


def _drawn(
    rng: np.random.Generator, draw: Draw, means: tuple[float, float], runs: int, number: int
) -> Iterator[Floats]:
    for _ in range(runs):
        yield np.stack([draw(rng, mean, (1, number))[0] * 1.0 for mean in means], axis=1)


def with_audits(options: Namespace) -> Table:
    judges = (f"judge {each:g}" for each in (0.0, 0.5, 0.7, 0.9))
    table = Table("means", "N", "audited", "all audited", "audits alone", *judges)
    for n_max, mean0, mean1 in AUDITED:
        own = {"n_max": n_max, "workers": options.workers, **GREATER}
        for chance in CHANCES:
            judged = []
            for same in (0.0, 0.5, 0.7, 0.9):
                rng = np.random.default_rng(options.seed)  # the same scores in every column
                size = options.runs, n_max
                asked = rng.random(size) < chance
                (r0, f0), (r1, f1) = (
                    proxied(rng, success, mean, same, size) for mean in (mean0, mean1)
                )
                scores = [np.where(asked, scores, np.nan) for scores in (r0, r1)]
                judged.append(
                    sw.simulate("nscore-plus", *scores, proxy=(f0, f1), audit=chance, **own)
                )
            alone = sw.simulate("nscore-plus", asked * r0, asked * r1, **own)
            whole = sw.simulate("nscore-plus", r0, r1, **own)
            cells = [
                f"{each.n.mean():.0f} / {each.rate(1):.2f}" for each in (whole, alone, *judged)
            ]
            table.add_row(f"{mean0:g} {mean1:g}", str(n_max), f"{chance:g}", *cells)
    return table


SHOWN = {
    "known": with_known_mean,
    "scenes": with_scenes,
    "audits": with_audits,
}


@benchmark(
    show=("known", f"one of {', '.join(SHOWN)}"),
    runs=1000,
    seed=0,
    workers=int,
)
def main(options: Namespace) -> Table:
    return SHOWN[options.show](options)
