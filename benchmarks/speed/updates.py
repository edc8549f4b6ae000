"""Time per update, as a ratio to the authors' package ``nscore`` 0.1.2.

Run ``python -m benchmarks.speed.updates``. The peer is installed into an environment of its own
(``benchmarks/.peer``). Both are measured in turn, in several rounds, and medians over rounds
are compared, because machines are noisy.
"""

import json
import os
import subprocess
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import Found, benchmark, peer_python, tracked
from stopwise.core.arrays import Floats

PEER_PACKAGE = "nscore==0.1.2"
WANTED_UPDATE = 500
METHODS: dict[str, dict[str, Any]] = {
    "nscore, 10 bins": {"method": "nscore", "bins": 10},
    "nscore, 21 bins": {"method": "nscore", "bins": 21},
    "nscore-plus": {"method": "nscore-plus", "n_max": 6000},
    "wsr": {"method": "wsr"},
    "savi": {"method": "savi"},
}


def peer_seconds(steps: int) -> dict[str, float]:
    python = peer_python(".peer", PEER_PACKAGE)
    worker = Path(__file__).with_name("peer_worker.py")
    done = subprocess.run([python, worker, str(steps)], check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def scores(method: str, runs: int, n: int, exponent: float) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    scores0, scores1 = rng.random((runs, n)), rng.random((runs, n)) ** exponent
    if method == "savi":
        return (scores0 > 0.5) * 1.0, (scores1 > 0.5) * 1.0
    return scores0, scores1


def update_seconds(settings: dict[str, Any], start: int, steps: int, streams: int = 1) -> float:
    arrays = scores(settings["method"], streams, start + steps, exponent=0.6)
    times = []
    for stream in range(streams):
        test = sw.SequentialTest(alpha=0.05, **settings, alternative="greater")
        rows = (array[stream].tolist() for array in arrays)
        for index, pair in enumerate(zip(*rows, strict=True)):
            begin = time.perf_counter()
            test.update(*pair)
            if index >= start:
                times.append(time.perf_counter() - begin)
    return float(np.median(times))


def _medians(rounds: tuple[dict[str, float], ...]) -> dict[str, float]:
    return {name: float(np.median([part[name] for part in rounds])) for name in rounds[0]}


@benchmark(rounds=5, peer_steps=40)
def main(options: Namespace) -> Found:
    rounds = [
        (
            peer_seconds(options.peer_steps),
            {name: update_seconds(METHODS[name], 10, 200, streams=15) for name in METHODS},
        )
        for _ in tracked(range(options.rounds), "rounds")
    ]
    peer, ours = (_medians(part) for part in zip(*rounds, strict=True))
    peer["nscore-plus"] = peer["nscore, 21 bins"]  # the peer's nearest method
    table = Table(
        "method", "peer step", "update", "ratio",
        title=f"one-sided, {os.cpu_count()} cores, update includes the interval",
    )  # fmt: skip
    for name in METHODS:
        table.add_row(
            name,
            f"{1e3 * peer[name]:.2f} ms",
            f"{1e6 * ours[name]:.0f} µs",
            f"{peer[name] / ours[name]:.0f}",
        )
    reached = peer["nscore, 21 bins"] / ours["nscore, 21 bins"] >= WANTED_UPDATE
    wanted = f"wanted with 21 bins: {WANTED_UPDATE} times: {'reached' if reached else 'MISSED'}"
    return Found([table, wanted], good=reached)
