"""Synthesis time and peak memory of ``step``, as a ratio to the reference package's.

Run ``python -m benchmarks.speed.step_synthesis --n-max 50 200``; 500 takes the reference some
7 minutes, and 1000 is measured for ours only. The reference (``sequentialized-barnard-tests``
0.0.9, CC BY-NC) is installed into an environment of its own and called by its own command; each
measurement is a fresh process with an empty folder of tables.
"""

import os
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from benchmarks.program import Found, benchmark, peer_python, tracked

PEER_PACKAGE = "sequentialized-barnard-tests==0.0.9"
PEER_COMMAND = "sequentialized_barnard_tests.scripts.synthesize_general_step_policy"
LARGEST_FOR_PEER = 500
OURS = """
import sys
from stopwise.core.step.design_lookup import step_design
step_design(0.05, int(sys.argv[1]))
"""


class Cost(NamedTuple):
    """What one process used."""

    seconds: float
    peak_mib: float


def measure(command: list[str]) -> Cost:
    """Run a command on one thread with an empty table folder; return time and peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "STOPWISE_CACHE": folder, "OMP_NUM_THREADS": "1"}
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{command[:3]} failed with status {status}")
        return Cost(time.perf_counter() - begin, usage.ru_maxrss / 1024)


def peer_command(n_max: int) -> list[str]:
    """Return the reference's own command for this horizon, installing it first if needed."""
    return [
        str(peer_python(".peer-step", PEER_PACKAGE)),
        "-m",
        PEER_COMMAND,
        "--n_max",
        str(n_max),
        "--alpha",
        "0.05",
    ]


@benchmark(n_max=[50, 200], json=Path)
def main(options: Namespace) -> Found:
    """Print the costs side by side."""
    table = Table("n_max", "reference", "ours", "ratio", "peak MiB")
    figures = []
    for n_max in tracked(options.n_max, "horizons"):
        ours = measure([sys.executable, "-c", OURS, str(n_max)])
        peer = measure(peer_command(n_max)) if n_max <= LARGEST_FOR_PEER else None
        memory = " / ".join(f"{cost.peak_mib:.0f}" for cost in (peer, ours) if cost)
        table.add_row(
            str(n_max),
            f"{peer.seconds:.1f} s" if peer else "",
            f"{ours.seconds:.2f} s",
            f"{peer.seconds / ours.seconds:.1f}" if peer else "",
            memory,
        )
        figures.append({"n_max": n_max, "reference": peer, "ours": ours})
    return Found([table], figures)
