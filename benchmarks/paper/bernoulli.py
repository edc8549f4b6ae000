"""Table I (left): time to decision and power on 35 Bernoulli alternatives, N = 1000.

Run ``python -m benchmarks.paper.bernoulli`` for the full 250 redraws per alternative.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import stopwise as sw

EXPECTED = Path(__file__).with_name("expected") / "table1_bernoulli.json"
N = 1000
ALTERNATIVES = [
    (base / 100, (base + gap) / 100)
    for base in range(5, 100, 10)
    for gap in range(10, 51, 10)
    if base + gap <= 100
]
METHODS: dict[str, dict[str, Any]] = {
    "nscore, 2 bins": {"method": "nscore", "bins": 2},
    "nscore, 3 bins": {"method": "nscore", "bins": 3},
    "nscore, 10 bins": {"method": "nscore", "bins": 10},
    "savi": {"method": "savi"},
    "wsr": {"method": "wsr"},
}


@dataclass(frozen=True)
class Row:
    """Mean TTD over all alternatives, power over the nine with gap .1, with standard errors."""

    ttd: float
    ttd_error: float
    power: float
    power_error: float

    def agrees(self, ttd: float, power: float, redraws: int, ours: int) -> bool:
        """Whether published figures lie within 4 standard errors of the difference."""
        scale = np.sqrt(1 + ours / redraws)  # the published means are Monte Carlo too
        return bool(
            abs(self.ttd - ttd) <= 4 * scale * self.ttd_error
            and abs(self.power - power) <= 4 * scale * self.power_error
        )


def measure(name: str, redraws: int, seed: int) -> Row:
    """Simulate one method on all alternatives; the same seed gives the same scores to each."""
    settings = dict(METHODS[name])
    method = settings.pop("method")
    ttd, ttd_variance, power = [], [], []
    for index, (p0, p1) in enumerate(ALTERNATIVES):
        rng = np.random.default_rng([seed, index])
        scores0, scores1 = rng.random((redraws, N)) < p0, rng.random((redraws, N)) < p1
        sim = sw.simulate(method, scores0, scores1, n_max=N, **settings)
        ttd.append(sim.n.mean())
        ttd_variance.append(sim.n.var(ddof=1) / redraws)
        if round(p1 - p0, 6) == 0.1:
            power.append(sim.rate(1))
    cases = len(power) * redraws
    mean_power = float(np.mean(power))
    return Row(
        float(np.mean(ttd)),
        float(np.sqrt(np.sum(ttd_variance)) / len(ttd)),
        mean_power,
        float(np.sqrt(max(mean_power * (1 - mean_power), 1 / cases) / cases)),
    )


def main() -> int:
    """Print the table next to the paper's; exit with 1 if a figure does not agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--redraws", type=int, default=250)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    expected = json.loads(EXPECTED.read_text())
    table = Table("method", "TTD", "power", "paper TTD", "paper power", "agrees")
    rows, agree = {}, True
    for name in track(METHODS, "35 alternatives each", console=Console(stderr=True)):
        row = measure(name, arguments.redraws, arguments.seed)
        rows[name] = vars(row)
        cells = [f"{row.ttd:.1f} ± {row.ttd_error:.1f}", f"{row.power:.3f} ± {row.power_error:.3f}"]
        if name in expected:
            paper = expected[name]
            good = row.agrees(paper["ttd"], paper["power"], expected["redraws"], arguments.redraws)
            agree &= good
            cells += [f"{paper['ttd']}", f"{paper['power']}", "yes" if good else "NO"]
        table.add_row(name, *cells)
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2))
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
