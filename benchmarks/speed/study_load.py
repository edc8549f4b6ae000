"""What many stations get from real servers over HTTP, and that nothing is lost.

    python -m benchmarks.speed.study_load [--trials 20000] [--stations 50] [--servers 2]

Each station is a ``StudyClient`` that takes and reports trials one after the other. SQLite is
served by one process, PostgreSQL by several. The stations run on the same machine as the servers,
so a lab with machines of its own gets more. Latencies are of one report: it is durable when it is
answered. (``benchmarks.speed.studies`` measures the same without a network, and how long the
verdict of 100,000 trials takes to open.)
"""

import argparse
import shutil
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import stopwise as sw
from tests.study.postgres import Server
from tests.web.stations import ServerProcess

__all__ = ["Load", "measure"]

PLAN = {"name": "load", "policies": list("abcd"), "tasks": ["task"], "method": "wsr"}


class Load:
    """Stations that take and report trials until enough are done."""

    def __init__(self, trials: int) -> None:
        self.left = trials
        self.latencies: list[float] = []
        self.acknowledged: set[int] = set()
        self._lock = threading.Lock()

    def work(self, url: str, token: str, station: str) -> None:
        """Run one station."""
        with sw.StudyClient(url, token) as client:
            while self._one_more():
                trial = client.next_trial(station)
                assert trial is not None
                began = time.perf_counter()
                client.record(trial.trial, trial.trial % 3 == 0, station=station)
                with self._lock:
                    self.latencies.append(time.perf_counter() - began)
                    self.acknowledged.add(trial.trial)

    def _one_more(self) -> bool:
        with self._lock:
            self.left -= 1
            return self.left >= 0


def measure(place: str, *, trials: int, stations: int, servers: int) -> list[str]:
    """Return trials per second, median and 99th percentile in ms, and trials lost."""
    with sw.Study.create(place, PLAN) as study:
        study.lock()
        names = [f"station {number}" for number in range(stations)]
        tokens = [study.create_token("operator", name) for name in names]
    load = Load(trials)
    processes = [ServerProcess(place) for _ in range(servers)]
    try:
        for process in processes:
            process.start()
        threads = [
            threading.Thread(
                target=load.work, args=(processes[number % servers].url, tokens[number], name)
            )
            for number, name in enumerate(names)
        ]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - began
    finally:
        for process in processes:
            process.kill()
    with sw.Study.open(place) as study:
        stored = [entry.content["trial"] for entry in study.journal() if entry.kind == "scored"]
    lost = len(load.acknowledged - set(stored)) + len(stored) - len(set(stored))
    half, most = np.quantile(load.latencies, [0.5, 0.99]) * 1000
    return [f"{trials / seconds:.0f}", f"{half:.0f}", f"{most:.0f}", str(lost)]


def main() -> None:
    """Print the figures of both stores."""
    options = argparse.ArgumentParser()
    options.add_argument("--trials", type=int, default=20_000)
    options.add_argument("--stations", type=int, default=50)
    options.add_argument("--servers", type=int, default=2)
    chosen = options.parse_args()
    if min(chosen.trials, chosen.stations, chosen.servers) < 1:
        options.error("trials, stations and servers must be at least 1")
    folder = Path(tempfile.mkdtemp(prefix="stopwise-load-"))
    database = Server.create(durable=True)
    names = ("store", "servers", "trials/s", "p50 ms", "p99 ms", "lost or twice")
    table = Table(*names, title=f"{chosen.stations} stations, {chosen.trials} trials each")
    try:
        places = (
            ("SQLite", f"sqlite:///{folder}/load.db#load", 1),
            ("PostgreSQL", f"{database.url()}#load", chosen.servers),
        )
        for name, place, servers in places:
            figures = measure(
                place, trials=chosen.trials, stations=chosen.stations, servers=servers
            )
            table.add_row(name, str(servers), *figures)
    finally:
        database.delete()
        shutil.rmtree(folder)
    Console().print(table)


if __name__ == "__main__":
    main()
