"""Pairs with a proxy beside those of PPI++ and SureSim at equal power, and the level of each.

Run ``python -m benchmarks.efficiency.proxy_peers``. Both peers look once, after a number of pairs
that is fixed beforehand: the least with which they decide as often as ``nscore-plus`` does within
n_max. Re-implemented from the published formulas, on differences of a pair, with a mean of the
proxy that is known:

- PPI++ (Angelopoulos et al., 2023): the mean of D - l (d - G) with the power-tuned l, and a normal
  interval.
- SureSim (Badithela et al., 2025): the mean of D - (d - G) with the fixed-sample betting bound of
  Waudby-Smith and Ramdas (2024).

The error of each, at that number, is the worst over equal policies of some rates.
"""

import math
from argparse import Namespace
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.efficiency.draws import Draw, partial_credit, success
from benchmarks.efficiency.proxy import proxied
from benchmarks.program import benchmark
from stopwise.core.arrays import Bools, Floats

ALPHA, QUANTILE = 0.05, 1.6448536269514722
CORRELATIONS = (0.0, 0.5, 0.75, 0.9)
CASES: tuple[tuple[Draw, int, float, float], ...] = (
    (success, 50, 0.5, 0.8),
    (success, 200, 0.5, 0.7),
    (success, 200, 0.8, 0.9),
    (partial_credit, 200, 0.5, 0.58),
)
NULLS = (0.5, 0.9, 0.97)
STEPS = 120


def pairs(
    rng: np.random.Generator, draw: Draw, means: tuple[float, float], same: float, size: Any
) -> tuple[Floats, ...]:
    """Return scores of both policies, then those of their proxies."""
    (r0, g0), (r1, g1) = (proxied(rng, draw, mean, same, size) for mean in means)
    return r0, r1, g0, g1


def ppi(difference: Floats, hint: Floats) -> Bools:
    """Return which studies (rows) PPI++ decides; the hint is centred at its known mean."""
    n = difference.shape[1]
    centred = hint - hint.mean(axis=1, keepdims=True)
    spread = np.maximum((centred**2).sum(axis=1), 1e-12)
    weight = (centred * difference).sum(axis=1) / spread
    left = difference - weight[:, None] * hint
    deviation = np.sqrt(np.maximum(left.var(axis=1, ddof=1), 1e-12) / n)
    decided: Bools = left.mean(axis=1) > QUANTILE * deviation
    return decided


def suresim(difference: Floats, hint: Floats, lowest: float, highest: float) -> Bools:
    """Return which studies SureSim decides; ends are those that D - (d - G) can take."""
    span = highest - lowest
    unit, null = (difference - hint - lowest) / span, -lowest / span
    n = unit.shape[1]
    count = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(unit, axis=1)) / (count + 1)
    spread = (0.25 + np.cumsum((unit - means) ** 2, axis=1)) / (count + 1)
    before = np.concatenate([np.full((len(unit), 1), 0.25), spread[:, :-1]], axis=1)
    bet = np.minimum(np.sqrt(2 * math.log(1 / ALPHA) / (before * n)), 0.75 / null)
    wealth = np.cumsum(np.log1p(bet * (unit - null)), axis=1)
    decided: Bools = wealth.max(axis=1) >= math.log(1 / ALPHA)
    return decided


def least_pairs(decide: Any, difference: Floats, hint: Floats, power: float) -> int | None:
    """Return the least number of pairs, on a grid, with which as many studies are decided."""
    for n in np.unique(np.geomspace(5, difference.shape[1], STEPS).astype(int)).tolist():
        if decide(difference[:, :n], hint[:, :n]).mean() >= power:
            return int(n)
    return None


@benchmark(runs=2000, seed=0, workers=int)
def main(options: Namespace) -> Table:
    """Print one row per case and correlation."""
    columns = ("nscore-plus", "error", "PPI++", "error", "SureSim", "error")
    table = Table("scores", "means", "N", "correlation", "power", *columns)
    for draw, n_max, *means in CASES:
        effect = means[1] - means[0]
        for same in CORRELATIONS:
            rng = np.random.default_rng(options.seed)
            most = 6 * n_max
            r0, r1, g0, g1 = pairs(rng, draw, (means[0], means[1]), same, (options.runs, most))
            own: dict[str, Any] = {"n_max": n_max, "design": "paired", "workers": options.workers}

            def ours(scores: tuple[Floats, ...], mean: float, own: Any = own) -> Any:
                first = [part[:, : own["n_max"]] for part in scores]
                proxy = (first[2], first[3])
                return sw.simulate("nscore-plus", *first[:2], proxy=proxy, proxy_mean=mean, **own)

            found = ours((r0, r1, g0, g1), effect)
            difference, hint = r1 - r0, g1 - g0 - effect
            bounded = partial(suresim, lowest=effect - 2, highest=effect + 2)
            numbers = [
                least_pairs(decide, difference, hint, found.rate(1)) for decide in (ppi, bounded)
            ]
            errors = [0.0, 0.0, 0.0]
            for rate in NULLS:
                null = pairs(rng, draw, (rate, rate), same, (options.runs, most))
                apart, said = null[1] - null[0], null[3] - null[2]
                wrong = [ours(null, 0.0).rate(1), 0.0, 0.0]
                if numbers[0] is not None:
                    wrong[1] = ppi(apart[:, : numbers[0]], said[:, : numbers[0]]).mean()
                if numbers[1] is not None:
                    wrong[2] = suresim(apart[:, : numbers[1]], said[:, : numbers[1]], -2, 2).mean()
                errors = [max(both) for both in zip(errors, wrong, strict=True)]
            peers = [f"more than {most}" if n is None else str(n) for n in numbers]
            cells = [f"{found.n.mean():.0f}", *peers]
            shown = [
                part for cell, e in zip(cells, errors, strict=True) for part in (cell, f"{e:.3f}")
            ]
            kind, ends = draw.__name__.replace("_", " "), f"{means[0]:g} {means[1]:g}"
            table.add_row(kind, ends, str(n_max), f"{same:g}", f"{found.rate(1):.2f}", *shown)
    return table
