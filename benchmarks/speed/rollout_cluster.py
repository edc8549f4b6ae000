"""One driver and 1,000 simulated workers: whether the driver keeps up.

Run ``python -m benchmarks.speed.rollout_cluster``. The schedule, the fleet, the journal and the
statistics are the real ones; only workers are simulated, in virtual time, without episodes. Shown
is how long an episode must take for 1,000 workers to be kept busy by the driver's processor time.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.program import Found, benchmark
from benchmarks.speed.virtual_cluster import VirtualCluster
from stopwise.core.seeds import episode_seed
from stopwise.rollout.drive import drive
from stopwise.rollout.episode import Ticket
from stopwise.rollout.journal import Journal
from stopwise.rollout.schedule import FailureRule, Schedule
from stopwise.rollout.stop_rule import StopRule

WORKERS, EPISODES, MEAN_SECONDS = 1000, 10_000, 10.0


def trial(ticket: Ticket) -> tuple[float, float]:
    first, second = np.random.default_rng(ticket.seed).random(2)
    return float(first < 0.5), MEAN_SECONDS * (0.5 + (first < 0.5)) * (0.5 + second)


def seed_of(row: int, policy: int) -> int:
    return episode_seed(0, row, policy, paired=False)


def measure(policies: int, folder: Path) -> tuple[int, float, float]:
    names = [f"policy {number}" for number in range(policies)]
    rule = StopRule(names, n_max=EPISODES // policies, alpha=1e-12, method="nscore")
    schedule = Schedule(rule, seed_of, failures=FailureRule("raise"))
    cluster = VirtualCluster(trial)
    fleet = cluster.fleet(WORKERS)
    journal = Journal(folder / f"{policies}.jsonl", {"policies": names}, "raise")
    begin = time.process_time()
    drive(schedule, fleet, journal)
    used = time.process_time() - begin
    journal.close()
    return schedule.count, cluster.now, used


@benchmark()
def main() -> Found:
    table = Table(
        "policies", "episodes", "driver, ms per episode", "episodes/s", "keeps 1,000 busy"
    )
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for policies in (2, 8):
            episodes, virtual, used = measure(policies, Path(folder))
            good &= used < virtual
            table.add_row(
                str(policies),
                f"{episodes}",
                f"{1000 * used / episodes:.2f}",
                f"{episodes / used:.0f}",
                f"from {WORKERS * used / episodes:.1f} s per episode on",
            )
    return Found([table], good=good)
