"""A million rows read and analysed: time and peak memory.

Run ``python -m benchmarks.speed.analysis``. The hard case: policies so alike that nothing is
decided, so that every row is looked at. Wanted: at most 30 s and 2 GiB. With ``--against REVISION``
(of git) the command takes turns with that of the other revision, by their processor time.
"""

import resource
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
from benchmarks.speed.startup import against

ROWS = 1_000_000
LIMIT_SECONDS, LIMIT_GIB = 30.0, 2.0


def write(path: Path, policies: int) -> None:
    """Write a file of partial-credit scores of nearly equal policies."""
    rng = np.random.default_rng(0)
    each = ROWS // policies
    pl.DataFrame(
        {
            "policy": np.tile([f"policy {index}" for index in range(policies)], each),
            "trial": np.repeat(np.arange(each), policies),
            "score": rng.integers(0, 7, each * policies) / 6,
        }
    ).write_csv(path)


def _compared(revision: str, rounds: int) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        commands = {}
        for policies in (10, 4):
            path = Path(folder) / f"{policies}.csv"
            write(path, policies)
            command = [sys.executable, "-m", "stopwise", "analyze", str(path), "--bounds", "0,1"]
            commands[f"{policies} policies"] = command
        return against("a million rows", commands, revision, rounds)


@benchmark(against=(str, "a revision of git"), rounds=5)
def main(options: Namespace) -> Found:
    """Print the costs, or the comparison; exit with 1 beyond the limits."""
    if options.against:
        return Found([_compared(options.against, options.rounds)])
    table = Table(
        "policies",
        "read",
        "analyse",
        "in all",
        "processor time",
        "peak memory of the process so far",
    )
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for policies in (10, 4):
            path = Path(folder) / "results.csv"
            write(path, policies)
            begin, processor = time.perf_counter(), time.process_time()
            trials = sw.read_trials(path, bounds=(0, 1))
            middle = time.perf_counter()
            sw.analyze(trials, adjust="holm")
            end = time.perf_counter()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            good &= end - begin <= LIMIT_SECONDS and peak <= LIMIT_GIB
            processor = time.process_time() - processor
            seconds = (middle - begin, end - middle, end - begin, processor)
            table.add_row(str(policies), *(f"{s:.1f} s" for s in seconds), f"{peak:.2f} GiB")
    return Found([table], good=good)
