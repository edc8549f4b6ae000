"""Table I (right): time to decision and power on random polynomial densities, N = 1000.

Each redraw has a pair of densities of its own, whose means differ by at least .01. The paper's row
was made with scores 1 - F(U); the row with scores F^-1(U) stands next to it.
"""

from functools import lru_cache
from typing import Any

import numpy as np

import stopwise as sw
from benchmarks.paper.figures import share_decided
from benchmarks.paper.polynomial import SAMPLERS, random_pair
from benchmarks.paper.result import Cell, Result, Table, published
from benchmarks.paper.settings import Settings
from stopwise.core.arrays import Floats
from stopwise.core.simulate import Simulation

N = 1000
GAP = (0.01, 1.0)
METHODS: dict[str, dict[str, Any]] = {
    "nscore": {"bins": 10},
    "wsr": {},
    "nscore-plus": {},
}
NAMES = {"nscore": "N-SCORE_inf (nscore, 10 bins)", "wsr": "WSR (wsr)"}


def scores(sampler: str, redraws: int, seed: int) -> tuple[Floats, Floats]:
    drawn = np.empty((2, redraws, N))
    for redraw in range(redraws):
        rng = np.random.default_rng([seed, redraw])
        for policy, density in enumerate(random_pair(rng, GAP, "always")):
            drawn[policy, redraw] = density.sampler(sampler)(rng.random(N))
    # Rounding in the table of F must not leave the bounds.
    np.clip(drawn, 0, 1, out=drawn)
    return drawn[0], drawn[1]


@lru_cache
def simulations(sampler: str, redraws: int, seed: int) -> dict[str, Simulation]:
    scores0, scores1 = scores(sampler, redraws, seed)
    return {
        name: sw.simulate(name, scores0, scores1, n_max=N, **parameters, alternative="greater")
        for name, parameters in METHODS.items()
    }


def run(settings: Settings) -> Result:
    expected = published("table_1_right")
    redraws = settings.redraws(expected["redraws"])
    scale = np.sqrt(redraws / expected["redraws"])
    rows: dict[str, dict[str, Cell]] = {NAMES.get(name, name): {} for name in METHODS}
    found = {}
    for done, sampler in enumerate(SAMPLERS):
        found[sampler] = simulations(sampler, redraws, settings.seed)
        settings.report((done + 1) / len(SAMPLERS))
        for name, sim in found[sampler].items():
            paper = expected["methods"].get(name, {}) if sampler == "paper" else {}
            power = sim.rate(1)
            errors = {
                "TTD": float(sim.n.std(ddof=1) / np.sqrt(redraws)),
                "power": float(np.sqrt(max(power * (1 - power), 1 / redraws) / redraws)),
            }
            for kind, ours in (("TTD", float(sim.n.mean())), ("power", power)):
                rows[NAMES.get(name, name)][f"{kind}, {sampler} sampler"] = Cell.simulated(
                    ours, errors[kind], paper.get(kind.lower()), errors[kind] * scale
                )
    columns = tuple(
        f"{kind}, {sampler} sampler" for sampler in SAMPLERS for kind in ("TTD", "power")
    )
    notes = (
        f"{redraws} pairs of densities, seed {settings.seed}; sampler paper: 1 - F(U), sampler "
        "inverse: F^-1(U).",
    )
    return Result(
        (Table("Table I, right: polynomial densities, N = 1000", columns, rows),),
        notes,
        {"share_decided": lambda: share_decided(found, N)},
    )
