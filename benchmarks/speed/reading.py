"""Time and memory of reading a table of a million trials, and of aligning it.

Run ``python -m benchmarks.speed.reading``; each format is read in a fresh process.
"""

import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from pathlib import Path

import numpy as np
import polars as pl
from rich.table import Table

import stopwise as sw
from benchmarks.program import Found, benchmark
from benchmarks.speed.memory import peak_mib
from stopwise.rows.align import align

ROWS = 1_000_000
POLICIES = 4


def write(folder: Path) -> list[Path]:
    """Write one table of generated scores as CSV, Parquet and JSON Lines."""
    rng = np.random.default_rng(0)
    number = np.arange(ROWS) // POLICIES
    frame = pl.DataFrame(
        {
            "task": np.full(ROWS, "clear-table"),
            "policy": np.tile([f"policy-{i}" for i in range(POLICIES)], ROWS // POLICIES),
            "episode": number,
            "score": rng.random(ROWS).round(4),
            "success": rng.integers(2, size=ROWS),
            "session": number,
        }
    )
    paths = [folder / f"trials.{suffix}" for suffix in ("csv", "parquet", "jsonl")]
    frame.write_csv(paths[0])
    frame.write_parquet(paths[1])
    frame.write_ndjson(paths[2])
    return paths


def worker(path: Path) -> None:
    """Print the seconds of reading and of aligning, and the peak memory of the process."""
    start = time.perf_counter()
    trials = sw.read_trials(path, bounds=(0, 1))
    read = time.perf_counter()
    aligned = align(trials)
    done = time.perf_counter()
    assert aligned.scores.shape == (ROWS // POLICIES, POLICIES)
    print(read - start, done - read, peak_mib())


@benchmark(worker=(Path, "only the row of this file"))
def main(options: Namespace) -> Found:
    """Print the table, or do the work of one row of it."""
    if options.worker:
        worker(options.worker)
        return Found([])
    table = Table(f"{ROWS:,} rows", "file", "read", "align", "peak memory")
    with tempfile.TemporaryDirectory() as folder:
        for path in write(Path(folder)):
            command = [sys.executable, "-m", "benchmarks.speed.reading", "--worker", str(path)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            read, aligned, peak = map(float, done.stdout.split())
            size = f"{path.stat().st_size / 2**20:.0f} MiB"
            table.add_row(path.suffix, size, f"{read:.2f} s", f"{aligned:.2f} s", f"{peak:.0f} MiB")
    return Found([table])
