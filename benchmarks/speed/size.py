"""A million trials read and analysed.

Run ``python -m benchmarks.speed.size``; each row runs in a fresh process. The hard case: policies
so alike that nothing is decided, so that every row is looked at. Wanted: at most 30 s and 2 GiB.
"""

import resource
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

ROWS = 1_000_000
FILES = (("10.csv", 10), ("4.csv", 4), ("4.parquet", 4), ("4.jsonl", 4))
LIMIT_SECONDS, LIMIT_GIB = 30.0, 2.0


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write(path: Path, policies: int) -> None:
    each = ROWS // policies
    frame = pl.DataFrame(
        {
            "policy": np.tile([f"policy {index}" for index in range(policies)], each),
            "trial": np.repeat(np.arange(each), policies),
            "score": np.random.default_rng(0).integers(0, 7, each * policies) / 6,
        }
    )
    if path.suffix == ".csv":
        frame.write_csv(path)
    elif path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_ndjson(path)


def analysed(path: str) -> list[float]:
    begin = time.perf_counter()
    trials = sw.read_trials(path, bounds=(0, 1))
    middle = time.perf_counter()
    sw.analyze(trials, adjust="holm")
    return [middle - begin, time.perf_counter() - middle, peak_mib()]


def _fresh(path: Path) -> list[float]:
    command = [sys.executable, "-m", "benchmarks.speed.size", "--worker", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [*map(float, done.stdout.split())]


def files(folder: Path) -> tuple[Table, bool]:
    table, good = Table(f"{ROWS:,} rows", "policies", "read", "analyse", "peak memory"), True
    for name, policies in FILES:
        write(folder / name, policies)
        read, analyse, peak = _fresh(folder / name)
        good &= read + analyse <= LIMIT_SECONDS and peak <= 1024 * LIMIT_GIB
        cells = f"{read:.1f} s", f"{analyse:.1f} s", f"{peak / 1024:.2f} GiB"
        table.add_row(Path(name).suffix, str(policies), *cells)
    return table, good


@benchmark(
    worker=(str, "only this file"),
)
def main(options: Namespace) -> Found:
    if options.worker:
        return Found([" ".join(map(str, analysed(options.worker)))])
    with tempfile.TemporaryDirectory() as folder:
        table, good = files(Path(folder))
    return Found([table], good=good)
