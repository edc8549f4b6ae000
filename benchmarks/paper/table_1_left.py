"""Table I (left): time to decision and power on 35 Bernoulli alternatives, N = 1000.

STEP's figures are exact, all others are means over the redraws. The paper's STEP row is that of a
table for n_max = 500 in which studies without a decision count as N = 1000 pairs; it is shown so,
and at the same n_max as the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import stopwise as sw
from benchmarks.paper.figures import alternative_maps
from benchmarks.paper.published_step import published_design
from benchmarks.paper.result import Cell, Result, Table, published
from benchmarks.paper.settings import Settings
from stopwise.core.arrays import Floats
from stopwise.core.step.design import StepDesign

N = 1000
ALPHA = 0.05
ALTERNATIVES = [
    (base / 100, (base + gap) / 100)
    for base in range(5, 100, 10)
    for gap in range(10, 51, 10)
    if base + gap <= 100
]
HARD = np.array([round(p1 - p0, 6) == 0.1 for p0, p1 in ALTERNATIVES])
METHODS: dict[str, dict[str, Any]] = {
    "nscore, 3 bins": {"method": "nscore", "bins": 3},
    "nscore, 10 bins": {"method": "nscore", "bins": 10},
    "savi": {"method": "savi"},
    "wsr": {"method": "wsr"},
    "nscore, 2 bins": {"method": "nscore", "bins": 2},
    "nscore-plus": {"method": "nscore-plus"},
}
NAMES = {
    "nscore, 3 bins": "N-SCORE_2 (nscore, 3 bins)",
    "nscore, 10 bins": "N-SCORE_inf (nscore, 10 bins)",
    "savi": "SAVI (savi)",
    "wsr": "WSR (wsr)",
}
# Which table, and its n_max; the paper's row is the first.
STEP = {
    "STEP (paper table, n_max 500, undecided as 1000)": (published_design, 500),
    "STEP (paper table, n_max 1000)": (published_design, 1000),
    "STEP (optimal table, n_max 500, undecided as 1000)": (sw.step_design, 500),
    "STEP (optimal table, n_max 1000)": (sw.step_design, 1000),
}


@dataclass(frozen=True, eq=False)
class Measured:
    ttd: Floats
    ttd_error: Floats
    power: Floats
    redraws: int | None

    @property
    def mean_ttd(self) -> float:
        return float(self.ttd.mean())

    @property
    def mean_ttd_error(self) -> float:
        return float(np.sqrt(np.sum(self.ttd_error**2)) / len(self.ttd))

    @property
    def mean_power(self) -> float:
        return float(self.power[HARD].mean())

    @property
    def power_error(self) -> float:
        if self.redraws is None:
            return 0.0
        runs, power = int(HARD.sum()) * self.redraws, self.mean_power
        return float(np.sqrt(max(power * (1 - power), 1 / runs) / runs))


def simulated(name: str, redraws: int, seed: int) -> Measured:
    settings = dict(METHODS[name])
    method = settings.pop("method")
    drawn0, drawn1 = [], []
    for index, (p0, p1) in enumerate(ALTERNATIVES):
        rng = np.random.default_rng([seed, index])
        drawn0.append(rng.random((redraws, N)) < p0)
        drawn1.append(rng.random((redraws, N)) < p1)
    sim = sw.simulate(
        method,
        np.concatenate(drawn0),
        np.concatenate(drawn1),
        n_max=N,
        alpha=ALPHA,
        **settings,
        alternative="greater",
    )
    n = sim.n.reshape(-1, redraws)
    power = (sim.decision == 1).reshape(n.shape).mean(axis=1)
    return Measured(n.mean(axis=1), n.std(axis=1, ddof=1) / np.sqrt(redraws), power, redraws)


def step_exact(design: StepDesign, counted: int) -> Measured:
    p0, p1 = np.array(ALTERNATIVES).T
    power = design.power(p0, p1)
    undecided = 1 - power - design.power(p1, p0)
    ttd = design.expected_n(p0, p1) + undecided * (counted - design.n_max)
    return Measured(ttd, np.zeros_like(ttd), power, None)


def row(
    measured: Measured, paper: Mapping[str, float] | None, paper_redraws: int
) -> dict[str, Cell]:
    ttd = measured.mean_ttd, measured.mean_ttd_error
    power = measured.mean_power, measured.power_error
    if paper is None:
        return {"TTD": Cell.simulated(*ttd), "power": Cell.simulated(*power)}
    scale = np.sqrt((measured.redraws or 0) / paper_redraws)
    return {
        "TTD": Cell.simulated(*ttd, paper["ttd"], paper.get("ttd_error", ttd[1] * scale)),
        "power": Cell.simulated(*power, paper["power"], paper.get("power_error", power[1] * scale)),
    }


def run(settings: Settings) -> Result:
    expected = published("table_1_left")
    redraws = settings.redraws(expected["redraws"])
    found: dict[str, Measured] = {}
    exact = STEP if settings.full else {}
    work = len(METHODS) + len(exact)
    for name in METHODS:
        found[NAMES.get(name, name)] = simulated(name, redraws, settings.seed)
        settings.report(len(found) / work)
    for name, (designed, n_max) in exact.items():
        found[name] = step_exact(designed(ALPHA, n_max), counted=N)
        settings.report(len(found) / work)
    by_name = {NAMES.get(name, name): figures for name, figures in expected["methods"].items()}
    rows = {
        name: row(measured, by_name.get(name), expected["redraws"])
        for name, measured in found.items()
    }
    notes = (
        f"{redraws} redraws of each of 35 alternatives, seed {settings.seed}; TTD over all, power "
        "over the nine with gap .1.",
        "STEP's rows are exact."
        if settings.full
        else "STEP's rows are left out of a quick run: their tables take minutes.",
    )
    return Result(
        (Table("Table I, left: Bernoulli scores, N = 1000", ("TTD", "power"), rows),),
        notes,
        {
            "ttd": lambda: alternative_maps(
                ALTERNATIVES, {name: m.ttd for name, m in found.items()}, "mean pairs to decision"
            ),
            "power": lambda: alternative_maps(
                ALTERNATIVES, {name: m.power for name, m in found.items()}, "power"
            ),
        },
    )
