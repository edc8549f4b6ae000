"""Time of the default question of a plan, and of two success rates, each asked for the first time.

Run ``python -m benchmarks.speed.planning``.
"""

import time

from rich.table import Table

import stopwise as sw
from benchmarks.program import benchmark

CASES: dict[str, tuple[float, ...]] = {"no guesses": (), "success rates .5, .7": (0.5, 0.7)}


@benchmark()
def main() -> Table:
    table = Table("sw.plan of", "time", "processor time")
    for name, guesses in CASES.items():
        begin, processor = time.perf_counter(), time.process_time()
        sw.plan(*guesses)
        wall, used = time.perf_counter() - begin, time.process_time() - processor
        table.add_row(name, f"{wall:.1f} s", f"{used:.1f} s")
    return table
