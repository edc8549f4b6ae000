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
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.efficiency.suite import Case, bernoulli, held_out
from benchmarks.program import Found, benchmark, tracked
from stopwise.core.arrays import Bools, Ints

RATES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.82, 0.95)
METHODS: dict[str, dict[str, Any]] = {
    "nscore-plus": {},
    "nscore": {"bins": 21},
    "savi": {"level_values": (0.0, 1.0)},
}
OURS, REFERENCE = "nscore-plus", "nscore"
QUANTILE = 0.99
# Cases drawn for this table alone, after the rules had been settled.
DRAWN, DRAWN_SEED = 30, 20261117


@dataclass(frozen=True)
class Tail:
    """One method on one case."""

    ttd: float
    power: float
    quantile: float

    @classmethod
    def of(cls, pairs: Ints, decided: Bools) -> "Tail":
        """Return the figures of these runs."""
        return cls(float(pairs.mean()), float(decided.mean()), float(np.quantile(pairs, QUANTILE)))


def grid() -> list[Case]:
    """Return all pairs of the success rates."""
    return [
        Case(f"success {low:g} {high:g}", "binary", bernoulli(low), bernoulli(high), (0.0, 1.0))
        for low, high in combinations(RATES, 2)
    ]


def measure(case: Case, n: int, alpha: float, design: str, runs: int) -> dict[str, Tail]:
    """Return what each method needs on one case."""
    scores = case.draw(1, runs, n)
    found = {}
    for method, settings in METHODS.items():
        if method == "savi" and (case.levels is None or design == "paired"):
            continue
        sim = sw.simulate(method, *scores, alpha=alpha, n_max=n, design=design, **settings)
        found[method] = Tail.of(sim.n, sim.decision == 1)
    return found


def summary(cases: Sequence[dict[str, Tail]]) -> dict[str, float]:
    """Return geometric means relative to the reference, and the worst ratios."""
    kept = [case for case in cases if max(case[OURS].power, case[REFERENCE].power) >= 0.5]
    ttd = [case[OURS].ttd / case[REFERENCE].ttd for case in kept]
    tail = [case[OURS].quantile / case[REFERENCE].quantile for case in kept]
    found = {
        "decidable": float(len(kept)),
        "ratio": float(np.exp(np.mean(np.log(ttd)))),
        "worst": max(ttd),
        "worst tail": max(tail),
        "power": float(np.mean([case[OURS].power for case in cases])),
        "power of nscore": float(np.mean([case[REFERENCE].power for case in cases])),
    }
    if all("savi" in case for case in kept):
        savi = [case["savi"].ttd / case[REFERENCE].ttd for case in kept]
        found["savi"] = float(np.exp(np.mean(np.log(savi))))
    return found


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
    settings = [
        (design, alpha, n)
        for design in options.designs
        for alpha in options.alpha
        for n in options.n
    ]
    table = Table(
        "design", "alpha", "N", "decidable", "ratio", "savi", "worst ratio", "worst tail", "power"
    )
    written = []
    for design, alpha, n in settings:
        label = f"{design}, alpha = {alpha:.4g}, N = {n}"
        found = {
            case.name: measure(case, n, alpha, design, options.runs)
            for case in tracked(cases, label)
        }
        row = summary(list(found.values()))
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
        figures = {
            name: {method: asdict(tail) for method, tail in case.items()}
            for name, case in found.items()
        }
        written.append({"design": design, "alpha": alpha, "n": n, **row, "cases": figures})
        if options.json:  # after every setting: a long run may be interrupted
            options.json.write_text(json.dumps(written, indent=1))
    return Found([table], written)
