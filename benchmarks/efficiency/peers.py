"""Pairs until the decision, next to other packages, on the same scores.

Run ``python -m benchmarks.efficiency.peers``. The peers are installed into an environment of their
own (``benchmarks/.peers``). One-sided at alpha .05, with at most 300 pairs; verdikt's test is
two-sided: hold it beside ours, two-sided with strict ties.
"""

import json
import subprocess
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import benchmark, peer_python
from stopwise.core.arrays import Floats

PACKAGES = ["ville==0.1.0", "fieldtrial==0.3.0", "verdikt-eval==0.3.1", "orbit-eval==0.17.0"]
N, ALPHA = 300, 0.05
OURS: dict[str, dict[str, Any]] = {
    "stopwise nscore-plus": {"method": "nscore-plus"},
    "stopwise nscore": {"method": "nscore"},
    "stopwise step": {"method": "step"},
    "stopwise nscore-plus, two-sided": {
        "method": "nscore-plus",
        "alternative": "two-sided",
        "ties": "strict",
    },
}


def cases(runs: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Return scores of shape (2, runs, N) by case."""

    def drawn(draw: Any, first: Any, second: Any) -> Floats:
        return np.stack([draw(*first, (runs, N)), draw(*second, (runs, N))])

    return {
        "success .5 .7": drawn(rng.binomial, (1, 0.5), (1, 0.7)) * 1.0,
        "success .2 .4": drawn(rng.binomial, (1, 0.2), (1, 0.4)) * 1.0,
        "6 milestones .45 .55": drawn(rng.binomial, (6, 0.45), (6, 0.55)) / 6.0,
        "beta 5,5 6,4": drawn(rng.beta, (5, 5), (6, 4)),
        "equal, success .5": drawn(rng.binomial, (1, 0.5), (1, 0.5)) * 1.0,
    }


def peer_stops(scores: dict[str, Floats]) -> dict[str, dict[str, list[int]]]:
    python = peer_python(".peers", *PACKAGES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.npz")
        np.savez_compressed(path, allow_pickle=False, **scores)
        worker = str(Path(__file__).with_name("peers_worker.py"))
        done = subprocess.run([python, worker, path], check=True, capture_output=True, text=True)
    stops: dict[str, dict[str, list[int]]] = json.loads(done.stdout)
    return stops


def our_stops(scores: dict[str, Floats]) -> dict[str, dict[str, list[int]]]:
    found: dict[str, dict[str, list[int]]] = {}
    for name, settings in OURS.items():
        for case, (scores0, scores1) in scores.items():
            if settings["method"] == "step" and "success" not in case:
                continue
            sim = sw.simulate(
                scores0=scores0,
                scores1=scores1,
                alpha=ALPHA,
                n_max=N,
                **{"alternative": "greater", **settings},
            )
            stops = np.where(sim.decision >= 0, sim.n, 0)
            found.setdefault(name, {})[case] = stops.tolist()
    return found


def cell(stops: list[int] | None) -> str:
    if stops is None:
        return ""
    pairs = np.array(stops)
    decided = np.mean(pairs > 0)
    pairs[pairs == 0] = N
    error = pairs.std() / len(pairs) ** 0.5
    return f"{pairs.mean():.1f} ± {error:.1f} / {decided:.3f}"


@benchmark(runs=1000, seed=0)
def main(options: Namespace) -> Table:
    scores = cases(options.runs, np.random.default_rng(options.seed))
    rows = {**our_stops(scores), **peer_stops(scores)}
    table = Table("mean pairs / decided", *scores)
    for name, stops in rows.items():
        table.add_row(name, *(cell(stops.get(case)) for case in scores))
    return table
