"""Bernoulli pairs: ``nscore-plus``, which does not know that scores are binary, against STEP.

Run ``python -m benchmarks.efficiency.against_step``. Mean TTD and power over the 36 pairs of
success rates in {.1, ..., .9}; STEP's published rule and the optimal design are exact, for a
study that also ends when policy 0 is declared better, ``nscore-plus`` is simulated one-sided.
STEP's level holds for rates that stay the same, that of ``nscore-plus`` for those that drift as
well; so there is also STEP at the largest level of a list whose error under the worst drift is at
most alpha. Then the type-1 error of ``nscore-plus`` where both rates are equal.
"""

import math
from argparse import Namespace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

import stopwise as sw
from benchmarks.document import markdown
from benchmarks.paper.published_step import published_design
from benchmarks.program import Found, benchmark
from stopwise.core.step.design import StepDesign, step_design

ALPHA = 0.05
PAIRS = list(combinations((i / 10 for i in range(1, 10)), 2))
NULLS = (0.02, 0.1, 0.5, 0.9, 0.98)
# Levels of STEP among which the largest is taken that holds under drift.
LEVELS = (0.05, 0.035, 0.025, 0.02, 0.015, 0.0125, 0.01, 0.0085, 0.007, 0.006, 0.005)
# Wanted: TTD at most this share of STEP's, power at most this much below it.
WANTED = {50: (1.02, 0.04), 200: (0.99, 0.01), 500: (0.97, 0.003)}


def simulated(
    p0: float, p1: float, n: int, *, runs: int, seed: int, workers: int | None
) -> tuple[float, float, float]:
    rng = np.random.default_rng([seed, round(p0 * 1000), round(p1 * 1000)])
    scores0, scores1 = rng.random((runs, n)) < p0, rng.random((runs, n)) < p1
    sim = sw.simulate(
        "nscore-plus",
        scores0,
        scores1,
        alpha=ALPHA,
        n_max=n,
        workers=workers,
        alternative="greater",
    )
    return float(sim.n.mean()), float(sim.n.std(ddof=1) / np.sqrt(runs)), sim.rate(1)


def alternatives(n: int, runs: int, seed: int, workers: int | None) -> dict[str, Any]:
    found = [simulated(p0, p1, n, runs=runs, seed=seed, workers=workers) for p0, p1 in PAIRS]
    ttd, error, power = (np.array(column) for column in zip(*found, strict=True))
    rates0, rates1 = (np.array(column) for column in zip(*PAIRS, strict=True))
    figures: dict[str, Any] = {
        "nscore-plus": {
            "ttd": float(ttd.mean()),
            "ttd_error": float(np.sqrt(np.sum(error**2)) / len(PAIRS)),
            "power": float(power.mean()),
            "power_error": float(np.sqrt(np.sum(power * (1 - power)) / runs) / len(PAIRS)),
        }
    }
    pairs: list[dict[str, Any]] = [{"rates": pair} for pair in PAIRS]
    for pair, one in zip(pairs, found, strict=True):
        pair["nscore-plus"] = {"ttd": one[0], "ttd_error": one[1], "power": one[2]}
    designs = {
        "step, paper": published_design(ALPHA, n),
        "step, optimal": step_design(ALPHA, n),
    }
    designs["step, drift"] = level_under_drift(n)
    for name, design in designs.items():
        expected, powers = design.expected_n(rates0, rates1), design.power(rates0, rates1)
        figures[name] = {
            "ttd": float(expected.mean()),
            "power": float(powers.mean()),
            "level": design.alpha,
            "drift": design.drift_error,
        }
        for pair, one_ttd, one_power in zip(pairs, expected, powers, strict=True):
            pair[name] = {"ttd": float(one_ttd), "power": float(one_power)}
    return {"n": n, "runs": runs, "mean": figures, "pairs": pairs}


def level_under_drift(n: int) -> StepDesign:
    designs = (step_design(level, n) for level in LEVELS)
    return next(design for design in designs if design.drift_error <= ALPHA)


def nulls(n: int, runs: int, seed: int, workers: int | None) -> dict[str, Any]:
    rates = {p: simulated(p, p, n, runs=runs, seed=seed, workers=workers)[2] for p in NULLS}
    return {
        "n": n,
        "runs": runs,
        "error": float(np.sqrt(ALPHA * (1 - ALPHA) / runs)),
        "rate": rates,
    }


def step(figures: dict[str, Any]) -> str:
    rows = []
    for setting in figures["alternatives"]:
        means = setting["mean"]
        ours, published, best = means["nscore-plus"], means["step, paper"], means["step, optimal"]
        ratio, gap = ours["ttd"] / published["ttd"], ours["power"] - published["power"]
        most, lost = WANTED.get(setting["n"], (math.inf, math.inf))
        missed = [word for word, bad in (("TTD", ratio > most), ("power", gap < -lost)) if bad]
        rows.append(
            [
                setting["n"],
                setting["runs"],
                f"{ours['ttd']:.2f} ± {ours['ttd_error']:.2f} / "
                f"{ours['power']:.4f} ± {ours['power_error']:.4f}",
                f"{published['ttd']:.2f} / {published['power']:.4f}",
                f"{best['ttd']:.2f} / {best['power']:.4f}",
                f"{ratio:.3f}, {gap:+.4f}",
                f"{most:.2f}, {-lost:+.3f}"
                + (f" ({' and '.join(missed)} missed)" if missed else ""),
            ]
        )
    head = ["n_max", "runs per pair", "nscore-plus", "STEP, published", "STEP, optimal"]
    return markdown([*head, "TTD ratio, power difference", "wanted"], rows)


def drift(figures: dict[str, Any]) -> str:
    rows = []
    for setting in figures["alternatives"]:
        means = setting["mean"]
        held, ours = means["step, drift"], means["nscore-plus"]
        rows.append(
            [
                setting["n"],
                *(f"{means[name]['drift']:.3f}" for name in ("step, paper", "step, optimal")),
                f"{held['level']:g}",
                f"{held['ttd']:.2f} / {held['power']:.4f}",
                f"{ours['ttd']:.2f} / {ours['power']:.4f}",
            ]
        )
    head = ["n_max", "worst drift, published", "worst drift, optimal", "level that holds"]
    return markdown([*head, "STEP at that level", "nscore-plus"], rows)


def null_rates(figures: dict[str, Any]) -> str:
    columns = figures["nulls"]
    rows = [
        [f"{float(p):g}", *(f"{column['rate'][p]:.4f}" for column in columns)]
        for p in columns[0]["rate"]
    ]
    shares = [sorted(rate / ALPHA for rate in column["rate"].values()) for column in columns]
    rows.append(["share of alpha", *(f"{share[0]:.2f} to {share[-1]:.2f}" for share in shares)])
    head = [f"N = {c['n']} ({c['runs']} runs, se {c['error']:.4f})" for c in columns]
    return markdown(["p0 = p1", *head], rows)


@benchmark(
    n=[50, 200, 500],
    runs=(2000, "per pair"),
    null_runs=(6000, "per null"),
    seed=7,
    workers=int,
    fill=Path,
)
def main(options: Namespace) -> Found:
    common = options.seed, options.workers
    found: dict[str, list[dict[str, Any]]] = {"alternatives": [], "nulls": []}
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("alternatives and nulls", total=2 * len(options.n))
        for n in options.n:
            found["alternatives"].append(alternatives(n, options.runs, *common))
            progress.advance(task)
            found["nulls"].append(nulls(n, options.null_runs, *common))
            progress.advance(task)
    tables = {"step": step, "drift": drift, "nulls": null_rates}
    sections = {name: table(found) for name, table in tables.items()}
    return Found([], sections=sections)
