"""Peak memory of simulations beyond their input: a fixed part, whatever the number of runs.

Run ``python -m benchmarks.speed.memory``; each size runs in a fresh process.
"""

import resource
import subprocess
import sys
from argparse import Namespace

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import Found, benchmark

SIZES = [(2000, 1000), (5000, 1000), (10_000, 1000)]
MIB = 2**20
LIMIT_MIB = 32  # a few blocks of states and their temporaries, whatever the number of runs


def peak_mib() -> float:
    """Return the peak resident memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def worker(method: str, runs: int, n: int) -> None:
    """Print the peak before and after one simulation of equal policies."""
    rng = np.random.default_rng(0)
    scores0, scores1 = np.empty((runs, n)), np.empty((runs, n))
    rng.random(out=scores0)
    rng.random(out=scores1)
    if method == "savi":
        np.round(scores0, out=scores0)
        np.round(scores1, out=scores1)
    sw.simulate(method, scores0[:4, :4], scores1[:4, :4], alternative="greater")
    before = peak_mib()
    sw.simulate(method, scores0, scores1, alternative="greater")
    print(before, peak_mib())


@benchmark(worker=([str], "only one cell: METHOD RUNS N"))
def main(options: Namespace) -> Found:
    """Print the table, or do the work of one cell of it."""
    if options.worker:
        method, *size = options.worker
        worker(method, *map(int, size))
        return Found([])
    table = Table("method", "runs x pairs", "input", "beyond the input")
    extras: list[float] = []
    for method in ("nscore", "wsr", "savi"):
        for runs, n in SIZES:
            command = [sys.executable, "-m", "benchmarks.speed.memory", "--worker", method]
            done = subprocess.run(
                [*command, str(runs), str(n)], check=True, capture_output=True, text=True
            )
            before, after = map(float, done.stdout.split())
            extras.append(after - before)
            size = 16 * runs * n / MIB
            table.add_row(method, f"{runs:,} x {n:,}", f"{size:.0f} MiB", f"{extras[-1]:.1f} MiB")
    good = max(extras) <= LIMIT_MIB
    line = f"at most {LIMIT_MIB} MiB beyond the input: {'yes' if good else 'NO'}"
    return Found([table, line], good=good)
