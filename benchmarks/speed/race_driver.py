"""What 10,000 episodes cost the driver of a race, and how busy it keeps its workers.

Run ``python -m benchmarks.speed.race_driver``. First with 64 processes on this machine, whose
episodes sleep: *busy* is the time slept, divided by that of all workers from the call to the
result, so that starting them counts against it. Then with 1,000 workers that are simulated, in
virtual time. The rest is the real thing: schedule, fleet, journal, statistics. Wanted: at most
250 MB and .4 ms of processor time per episode, and 64 workers busy for 90 %.
"""

import argparse
import resource
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import Found, benchmark
from benchmarks.speed.virtual_cluster import VirtualCluster
from stopwise.core.seeds import episode_seed
from stopwise.rollout.drive import drive
from stopwise.rollout.episode import Ticket
from stopwise.rollout.executors import processes
from stopwise.rollout.journal import Journal
from stopwise.rollout.schedule import FailureRule, Schedule

POLICIES, EPISODES = ("one", "other"), 10_000
ALPHA = 1e-12  # so that all episodes are needed
WORKERS, SIMULATED = 64, 1000
MOST_MB, MOST_MS, LEAST_BUSY = 250.0, 0.4, 0.9


class Driven(NamedTuple):
    workers: str
    busy: float
    milliseconds: float  # of the driver's processor, per episode
    megabytes: float  # at most, so far

    @classmethod
    def since(cls, begin: float, workers: str, busy: float) -> "Driven":
        used = time.process_time() - begin
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return cls(workers, busy, 1000 * used / EPISODES, peak)


def trial(ticket: Ticket, mean: float) -> tuple[float, float]:
    score, share = np.random.default_rng(ticket.seed).random(2)
    return float(score < 0.5), mean * (0.5 + share)


def sleep(mean: float, policy: str, seed: int) -> float:
    score, seconds = trial(Ticket(policy, 0, seed), mean)
    time.sleep(seconds)
    return score


def real(mean: float, journal: Path) -> Driven:
    begin = time.process_time()
    result = sw.race(
        {name: name for name in POLICIES},
        partial(sleep, mean),
        n_max=EPISODES // len(POLICIES),
        alpha=ALPHA,
        executor=processes(WORKERS),
        journal=journal,
    )
    assert result.used == EPISODES
    busy = result.worker_seconds / (WORKERS * result.seconds)
    return Driven.since(begin, f"{WORKERS} processes", busy)


def simulated(mean: float, journal: Path) -> Driven:
    begin = time.process_time()
    rule = sw.StopRule(POLICIES, n_max=EPISODES // len(POLICIES), alpha=ALPHA, design="paired")
    schedule = Schedule(rule, partial(episode_seed, 0, paired=True), failures=FailureRule("raise"))
    cluster = VirtualCluster(partial(trial, mean=mean))
    book = Journal(journal, rule.rules.identity(), "raise")
    drive(schedule, cluster.fleet(SIMULATED), book)
    book.close()
    slept = sum(episode.seconds for episode in schedule.used)
    return Driven.since(begin, f"{SIMULATED:,} simulated", slept / (SIMULATED * cluster.now))


@benchmark(seconds=(2.0, "of an episode, on average"))
def main(typed: argparse.Namespace) -> Found:
    table = Table("workers", "busy", "driver, ms per episode", "of the limit", "MB", "of the limit")
    with tempfile.TemporaryDirectory() as folder:
        found = [
            real(typed.seconds, Path(folder, "real")),
            simulated(typed.seconds, Path(folder, "simulated")),
        ]
    for workers, busy, used, peak in found:
        shares = f"{used / MOST_MS:.2f}", f"{peak / MOST_MB:.2f}"
        table.add_row(workers, f"{busy:.0%}", f"{used:.2f}", shares[0], f"{peak:.0f}", shares[1])
    kept = all(one.milliseconds <= MOST_MS and one.megabytes <= MOST_MB for one in found)
    return Found([table], good=kept and found[0].busy >= LEAST_BUSY)
