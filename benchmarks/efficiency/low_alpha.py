"""Pairs until the decision at the low levels that rankings of many policies work at.

Run ``python -m benchmarks.efficiency.low_alpha`` (about 10 minutes on 2 cores). Seven policies have
21 pairs and 42 directions, so each is tested at about .05/21 or less. A mean hides runs in which
one bad pair took nearly all evidence, so the table also has the number of pairs that 99 % of the
runs do not exceed. Ratios are to ``nscore`` with 21 bins, over the cases that one of the two
decides in half of the runs; ``savi`` takes success or failure in the independent design only.
"""

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations, product
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.efficiency.compare import OURS, REFERENCE, CaseFigures, Setting, measure
from benchmarks.efficiency.oracle import oracle
from benchmarks.efficiency.suite import Case, bernoulli, held_out
from benchmarks.program import Found, benchmark, tracked

RATES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.82, 0.95)
# Cases drawn for this table alone, after the rules had been settled.
DRAWN, DRAWN_SEED = 30, 20261117


def grid() -> list[Case]:
    """Return all pairs of the success rates."""
    return [
        Case(f"success {low:g} {high:g}", "binary", bernoulli(low), bernoulli(high), (0.0, 1.0))
        for low, high in combinations(RATES, 2)
    ]


def summary(cases: Sequence[CaseFigures]) -> dict[str, float]:
    """Return geometric means relative to the reference, and the worst ratios."""
    kept = [case for case in cases if case.decidable]
    ttd = [case.ratio(OURS) or 0.0 for case in kept]
    savi = [ratio for case in kept if (ratio := case.ratio("savi")) is not None]
    power = {
        name: float(np.mean([case.methods[name].power for case in cases]))
        for name in (OURS, REFERENCE)
    }
    found = {
        "decidable": float(len(kept)),
        "ratio": float(np.exp(np.mean(np.log(ttd)))),
        "worst": max(ttd),
        "worst tail": max(case.methods[OURS].tail / case.methods[REFERENCE].tail for case in kept),
        "power": power[OURS],
        "power of nscore": power[REFERENCE],
    }
    return {**found, "savi": float(np.exp(np.mean(np.log(savi))))} if savi else found


@benchmark(
    n=[200, 1000],
    alpha=[0.05 / 21, 0.001],
    designs=["independent", "paired"],
    drawn=(False, "random cases, not success rates"),
    runs=(2000, "per case"),
    json=Path,
)
def main(options: Namespace) -> Found:
    """Print a row per setting."""
    cases = held_out(DRAWN, DRAWN_SEED) if options.drawn else grid()
    columns = ("decidable", "ratio", "savi", "worst ratio", "worst tail", "power")
    table = Table("design", "alpha", "N", *columns)
    written = []
    for design, alpha, n in product(options.designs, options.alpha, options.n):
        setting = Setting(n, alpha, options.runs, design, seed=1)
        found = [
            figures
            for case in tracked(cases, f"{design}, alpha = {alpha:.4g}, N = {n}")
            for figures in measure([case], {case.name: oracle(case, design)}, setting)
        ]
        row = summary(found)
        table.add_row(
            design,
            f"{alpha:.4g}",
            str(n),
            f"{row['decidable']:.0f} of {len(cases)}",
            f"{row['ratio']:.3f}",
            f"{row['savi']:.3f}" if "savi" in row else "",
            f"{row['worst']:.3f}",
            f"{row['worst tail']:.2f}",
            f"{row['power']:.3f} ({row['power of nscore']:.3f})",
        )
        by_case = {case.name: asdict(case)["methods"] for case in found}
        written.append({"design": design, "alpha": alpha, "n": n, **row, "cases": by_case})
        if options.json:  # after every setting: a long run may be interrupted
            options.json.write_text(json.dumps(written, indent=1))
    return Found([table], written)
