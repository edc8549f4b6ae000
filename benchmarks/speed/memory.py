"""Peak memory of simulations beyond their input: a fixed part, whatever the number of runs.

Run ``python -m benchmarks.speed.memory``; each size runs in a fresh process.
"""

import argparse
import resource
import subprocess
import sys

import numpy as np
from rich.console import Console
from rich.table import Table

import stopwise as sw

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
    sw.simulate(method, scores0[:4, :4], scores1[:4, :4])
    before = peak_mib()
    sw.simulate(method, scores0, scores1)
    print(before, peak_mib())


def main() -> int:
    """Print the table, or do the work of one cell of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", nargs=3, metavar=("METHOD", "RUNS", "N"))
    arguments = parser.parse_args()
    if arguments.worker:
        method, runs, n = arguments.worker
        worker(method, int(runs), int(n))
        return 0
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
    Console().print(table)
    good = max(extras) <= LIMIT_MIB
    Console().print(f"at most {LIMIT_MIB} MiB beyond the input: {'yes' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
