"""How busy a race keeps its workers, and how many episodes it begins in vain, in virtual time.

Run ``python -m benchmarks.speed.busy_workers``. The schedule, the fleet and the statistics are the
real ones; only workers are simulated. An episode takes 4.5 to 17.5 s, less if it succeeds. In half
of them a policy meets what all others of its row meet, in the other half it has luck of its own.
Busy is the time of the episodes that count, divided by that of all workers; in vain are episodes
that were begun and do not count, relative to those that do.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.program import Found, benchmark
from benchmarks.speed.virtual_cluster import VirtualCluster
from stopwise.core.seeds import episode_seed
from stopwise.rollout.drive import drive
from stopwise.rollout.episode import Ticket
from stopwise.rollout.schedule import FailureRule, Schedule
from stopwise.rollout.stop_rule import StopRule


class Case(NamedTuple):
    rates: tuple[float, ...]
    goal: str


class Busy(NamedTuple):
    used: int
    started: int
    work: float  # seconds of the episodes that count
    seconds: float


CASES = {
    "2, easy": Case((0.2, 0.9), "order"),
    "2, middling": Case((0.5, 0.65), "order"),
    "2, hard": Case((0.5, 0.55), "order"),
    "3, best": Case((0.5, 0.6, 0.75), "best"),
    "5, best": Case((0.3, 0.4, 0.5, 0.6, 0.75), "best"),
    "5, order": Case((0.2, 0.4, 0.5, 0.7, 0.9), "order"),
    "12, best": Case((0.3, 0.32, 0.35, 0.4, 0.42, 0.45, 0.5, 0.52, 0.55, 0.6, 0.62, 0.8), "best"),
    "12, order": Case((0.1, 0.12, 0.15, 0.3, 0.35, 0.4, 0.5, 0.52, 0.55, 0.7, 0.72, 0.9), "order"),
}
WORKERS = (1, 2, 8, 32, 64)


def trial(rates: dict[str, float], ticket: Ticket) -> tuple[float, float]:
    shared = np.random.default_rng(ticket.seed).random()
    own, other = np.random.default_rng([ticket.seed, list(rates).index(ticket.policy)]).random(2)
    score = float((shared if other < 0.5 else own) < rates[ticket.policy])
    return score, 10 * (0.6 + 0.8 * other) * (0.75 if score else 1.25)


def run(case: Case, workers: int, seed: int) -> Busy:
    rates = {f"policy {number}": rate for number, rate in enumerate(case.rates)}
    rule = StopRule(list(rates), n_max=500, goal=case.goal, design="paired")
    seed_of = partial(episode_seed, seed, paired=True)
    schedule = Schedule(rule, seed_of, failures=FailureRule("raise"))
    cluster = VirtualCluster(partial(trial, rates))
    drive(schedule, cluster.fleet(workers))
    work = sum(episode.seconds for episode in schedule.used)
    return Busy(len(schedule.used), cluster.started, work, cluster.now)


def shares(found: Sequence[Busy], workers: int) -> tuple[float, float]:
    """Utilisation of workers over several races, and the share of episodes begun in vain."""
    used, started, work, seconds = (sum(column) for column in zip(*found, strict=True))
    return work / (workers * seconds), started / used - 1


@benchmark(races=(12, "races of each case"))
def main(typed: argparse.Namespace) -> Found:
    table = Table("policies", "episodes", *(f"{n} workers: busy, in vain" for n in WORKERS))
    for name, case in CASES.items():
        columns = []
        for workers in WORKERS:
            found = [run(case, workers, seed) for seed in range(typed.races)]
            busy, vain = shares(found, workers)
            columns.append(f"{busy:.0%}, {vain:.0%}")
        used = sum(own.used for own in found) / len(found)
        table.add_row(name, f"{used:.0f}", *columns)
    return Found([table])
