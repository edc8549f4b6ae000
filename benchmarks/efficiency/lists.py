"""Scenes until it is decided who scores higher on a fixed list.

Run ``python -m benchmarks.efficiency.lists``. Lists are like those of benchmarks of robots: each
scene has a difficulty that policies share, so that rates of .74 to .84 differ on 18 to 22 % of
scenes. Figures are of lists on which the better policy is ahead, tested one-sided at alpha .05, in
an order drawn at random. Beside the test of the list: plain bets without replacement; nscore-plus
with n_max = N, which asks about new scenes; and a fixed sample of all N scenes.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from rich.table import Table
from scipy.stats import binom, norm

import stopwise as sw
from benchmarks.program import Found, benchmark, tracked
from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.rules import Rules
from stopwise.questions.candidates import simulated_rows

ALPHA = 0.05
SIZES = (200, 500, 2000)
RATES = (0.74, 0.77, 0.79, 0.81, 0.84)
# How alike policies find scenes: gives 18 to 22 % of scenes on which two of these rates differ.
ALIKE = 0.67
# Gaps of pairs that differ on fewer scenes.
DISCORDANCE = (0.02, 0.05, 0.1)
PLAIN_LIMIT = 0.75


def successes(rng: np.random.Generator, rates: Floats, shape: tuple[int, int]) -> Floats:
    shared = np.sqrt(ALIKE) * rng.standard_normal((*shape, 1))
    own = np.sqrt(1 - ALIKE) * rng.standard_normal((*shape, rates.shape[-1]))
    return np.asarray(shared + own < norm.ppf(rates), dtype=float)


def pairs(rng: np.random.Generator, runs: int, size: int) -> Floats:
    chosen = np.sort(rng.permuted(np.tile(RATES, (runs, 1)), axis=1)[:, :2], axis=1)
    both = successes(rng, chosen[:, None], (runs, size))
    return both[..., 1] - both[..., 0]


def discordant(rng: np.random.Generator, share: float, runs: int, size: int) -> Floats:
    drawn = rng.random((runs, size))
    return np.where(drawn < share * 2 / 3, 1.0, np.where(drawn < share, -1.0, 0.0))


def plain(differences: Floats) -> Ints:
    runs, size = differences.shape
    total, square, log_e = np.zeros((3, runs))
    ends = np.full(runs, size)
    for seen, found in enumerate(differences.T):
        null = -total / (size - seen)
        mean, second = (total + 0.0) / (seen + 1), (square + 0.25) / (seen + 1)
        gap = mean - null
        bet = np.clip(gap / (second + gap**2), 0.0, PLAIN_LIMIT / np.maximum(1 + null, 1e-9))
        log_e += np.log1p(np.where(null < 1, bet * (found - null), 0.0))
        total, square = total + found, square + found**2
        certain = total > size - seen - 1
        ends = np.where((ends == size) & ((log_e >= -np.log(ALPHA)) | certain), seen + 1, ends)
    return ends


def tested(differences: Floats, **settings: Any) -> tuple[Ints, Bools]:
    found = sw.simulate(
        "nscore-plus",
        np.maximum(-differences, 0.0),
        np.maximum(differences, 0.0),
        alpha=ALPHA,
        alternative="greater",
        design="paired",
        **settings,
    )
    return found.n, found.decision == 1


def fixed(differences: Floats) -> float:
    up, down = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    return float((binom.sf(up - 1, up + down, 0.5) <= ALPHA).mean())


def measured(differences: Floats) -> dict[str, float]:
    differences = differences[differences.sum(axis=1) > 0]
    size = differences.shape[1]
    n, _ = tested(differences, list_size=size)
    open_n, open_found = tested(differences, n_max=size)
    plain_n = plain(differences)
    return {
        "plain": float(plain_n.mean()),
        "plain by N/2": float((plain_n <= size / 2).mean()),
        "list": float(n.mean()),
        "list by N/2": float((n <= size / 2).mean()),
        "ratio": float(n.mean() / plain_n.mean()),
        "nscore-plus": float(open_n.mean()),
        "nscore-plus decides": float(open_found.mean()),
        "fixed sample decides": fixed(differences),
    }


def best(rng: np.random.Generator, runs: int, size: int) -> dict[str, float]:
    lists = successes(rng, np.array(RATES), (runs, size))
    names = tuple(map(str, RATES))
    rules = Rules(policies=names, goal="best", design="paired", list_size=size, alpha=ALPHA)
    rows = iter(np.moveaxis(lists, 1, 0))
    *_, board = simulated_rows(rules, lambda: next(rows), runs)
    totals = lists.sum(axis=1)
    named, only = board.named >= 0, (totals == totals.max(axis=1, keepdims=True)).sum(axis=1) == 1
    lost = board.dropped[np.arange(runs), totals.argmax(axis=1)] > 0
    return {
        "episodes": float(board.trials.sum(axis=1).mean() / (len(RATES) * size)),
        "named": float(named[only].mean()),
        "lost": float(lost[only].mean()),
    }


@benchmark(runs=1000, seed=0)
def main(options: Namespace) -> Found:
    cases: dict[str, tuple[int, float | None]] = {}
    for size in SIZES:
        cases[f"rates .74 to .84, N {size}"] = (size, None)
        for share in DISCORDANCE:
            cases[f"differ on {share:g}, N {size}"] = (size, share)
    figures = {}
    for name, (size, differ) in tracked(cases.items(), "lists"):
        rng = np.random.default_rng(options.seed)
        lists = (
            pairs(rng, options.runs, size)
            if differ is None
            else discordant(rng, differ, options.runs, size)
        )
        figures[name] = measured(lists)
    table = Table("lists", *next(iter(figures.values())))
    for name, found in figures.items():
        table.add_row(name, *(f"{value:.3g}" for value in found.values()))
    named = {
        f"N {size}": best(np.random.default_rng(options.seed), options.runs, size)
        for size in (200, 500)
    }
    of_five = Table("best of five", *next(iter(named.values())))
    for name, found in named.items():
        of_five.add_row(name, *(f"{value:.3g}" for value in found.values()))
    return Found([table, of_five])
