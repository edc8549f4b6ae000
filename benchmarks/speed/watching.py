"""What a watch costs at rest, and when one of many files has grown, against its first look.

Run ``python -m benchmarks.speed.watching``. Times are of the processor, so that other programs
count little, and the ratio to the first look is what can be compared between machines.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.program import benchmark, seconds
from stopwise.rollout.watch import Watch

INTERVAL = 5.0  # the usual seconds between two looks
LOOKS = 20


def tables(folder: Path, count: int) -> Path:
    """Write so many CSV files of 200 trials; return one of the last."""
    rng = np.random.default_rng(0)
    for policy in range(count):
        scores = rng.random(200)
        lines = "".join(f"{score:.4f}\n" for score in scores)
        (folder / f"policy-{policy:02d}.csv").write_text(f"score\n{lines}")
    return folder / f"policy-{count - 1:02d}.csv"


def lerobot(folder: Path, count: int) -> Path:
    """Write so many files of lerobot-eval, 10 episodes each, of two policies; return the last."""
    rng = np.random.default_rng(0)
    path = folder
    for number in range(count // 2):
        for policy in ("new", "old"):
            path = folder / policy / f"batch-{number:04d}" / "eval_info.json"
            path.parent.mkdir(parents=True)
            successes = (rng.random(10) < 0.5).tolist()
            metrics = {"sum_rewards": [float(s) for s in successes], "successes": successes}
            content = {"per_task": [{"task_group": "pusht", "task_id": 0, "metrics": metrics}]}
            path.write_text(json.dumps(content))
    return path


@benchmark()
def main() -> Table:
    """Print the table."""
    table = Table("files", "first look", "at rest", "ratio", "of a core", "one touched", "ratio")
    cases: list[tuple[str, Callable[[Path, int], Path], int]] = [
        ("20 CSV files", tables, 20),
        ("1,000 LeRobot files", lerobot, 1000),
    ]
    for name, write, count in cases:
        with tempfile.TemporaryDirectory() as folder:
            last = write(Path(folder), count)
            for path in Path(folder).rglob("*.*"):
                os.utime(path, (1e9, 1e9))  # nobody writes to them right now
            settings = {"n_max": 100_000, "alpha": 1e-9}
            watching = Watch(Path(folder), reading={"bounds": (0.0, 1.0)}, settings=settings)
            looked = partial(seconds, watching.look, time.process_time)
            first = looked()
            rest = sum(looked() for _ in range(LOOKS)) / LOOKS
            os.utime(last, (1e9 + 1, 1e9 + 1))
            touched = looked()
            table.add_row(
                name, f"{first:.2f} s", f"{1000 * rest:.2f} ms", f"{rest / first:.4f}",
                f"{rest / INTERVAL:.2%}", f"{touched:.2f} s", f"{touched / first:.3f}",
            )  # fmt: skip
    return table
