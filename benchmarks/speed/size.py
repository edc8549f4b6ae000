"""A million trials read and analysed, and the memory of simulations beyond their input.

Run ``python -m benchmarks.speed.size``; each row runs in a fresh process. The hard case: policies
so alike that nothing is decided, so that every row is looked at. Wanted: at most 30 s and 2 GiB,
and 32 MiB beyond the input.
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
SIMULATIONS = [(method, runs) for method in ("nscore", "wsr", "savi") for runs in (2000, 10_000)]
PAIRS = 1000
LIMIT_SECONDS, LIMIT_GIB, LIMIT_MIB = 30.0, 2.0, 32.0


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


def simulated(method: str, runs: int) -> list[float]:
    rng = np.random.default_rng(0)
    scores = np.empty((2, runs, PAIRS))
    rng.random(out=scores)
    if method == "savi":
        np.round(scores, out=scores)
    sw.simulate(method, *scores[:, :4, :4], alternative="greater")
    before = peak_mib()
    sw.simulate(method, *scores, alternative="greater")
    return [before, peak_mib()]


def _fresh(*words: str) -> list[float]:
    command = [sys.executable, "-m", "benchmarks.speed.size", "--worker", *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [*map(float, done.stdout.split())]


def files(folder: Path) -> tuple[Table, bool]:
    table, good = Table(f"{ROWS:,} rows", "policies", "read", "analyse", "peak memory"), True
    for name, policies in FILES:
        write(folder / name, policies)
        read, analyse, peak = _fresh(str(folder / name))
        good &= read + analyse <= LIMIT_SECONDS and peak <= 1024 * LIMIT_GIB
        cells = f"{read:.1f} s", f"{analyse:.1f} s", f"{peak / 1024:.2f} GiB"
        table.add_row(Path(name).suffix, str(policies), *cells)
    return table, good


def memory() -> tuple[Table, bool]:
    table, good = Table("method", "runs x pairs", "input", "beyond the input"), True
    for method, runs in SIMULATIONS:
        before, after = _fresh(method, str(runs))
        good &= after - before <= LIMIT_MIB
        size = f"{16 * runs * PAIRS / 2**20:.0f} MiB"
        table.add_row(method, f"{runs:,} x {PAIRS:,}", size, f"{after - before:.1f} MiB")
    return table, good


@benchmark(
    worker=([str], "only one row: FILE, or METHOD RUNS"),
)
def main(options: Namespace) -> Found:
    if options.worker:
        name, *runs = options.worker
        found = simulated(name, int(runs[0])) if runs else analysed(name)
        return Found([" ".join(map(str, found))])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        tables, good = zip(files(folder), memory(), strict=True)
    return Found(tables, good=all(good))
