"""What many stations get from real servers over HTTP, and that nothing is lost.

Run ``python -m benchmarks.speed.study_load [--trials 20000] [--stations 50] [--servers 2]``, with
``--pages 1`` while an owner's page is open.
Each station is a ``StudyClient`` that takes and reports trials one after the other. SQLite is
served by one process, PostgreSQL by several. The stations run on the same machine as the servers,
so a lab with machines of its own gets more. Latencies are of one report: it is durable when it is
answered.
"""

import shutil
import tempfile
import threading
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import benchmark
from stopwise.web.client import StudyClient
from tests.study.postgres import Server
from tests.web.stations import ServerProcess


def plan(policies: int, tasks: int, method: str, trials: int) -> dict[str, Any]:
    """A study that no number of such trials ends."""
    names = {
        "policies": [f"p{n}" for n in range(policies)],
        "tasks": [f"t{n}" for n in range(tasks)],
    }
    return {"name": "load", "method": method, "n_max": trials, "alpha": 1e-9, **names}


class Load:
    def __init__(self, trials: int) -> None:
        self.left = trials
        self.latencies: list[float] = []
        self.acknowledged: set[int] = set()
        self._lock = threading.Lock()

    def work(self, url: str, token: str, station: str) -> None:
        with StudyClient(url, token) as client:
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


def watch(url: str, token: str, over: threading.Event) -> None:
    """Fetch the live part of an owner's page, wait a second, and again, as the page does."""
    with httpx.Client(base_url=url, trust_env=False, timeout=600) as page:
        page.post("/api/join", json={"token": token})
        while not over.wait(1.0):
            page.get("/owner/live").raise_for_status()


def measure(
    place: str,
    size: dict[str, Any],
    *,
    trials: int,
    stations: int,
    servers: int,
    pages: int,
) -> list[str]:
    with sw.Study.create(place, size) as study:
        study.lock()
        names = [f"station {number}" for number in range(stations)]
        tokens = [study.create_token("operator", name) for name in names]
        owner = study.create_token("owner", "ada")
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
        over = threading.Event()
        looks = (processes[0].url, owner, over)
        watching = [threading.Thread(target=watch, args=looks) for _ in range(pages)]
        began = time.perf_counter()
        for thread in [*watching, *threads]:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - began
        over.set()
        for thread in watching:
            thread.join()
    finally:
        for process in processes:
            process.kill()
    with sw.Study.open(place) as study:
        stored = [entry.content["trial"] for entry in study.journal() if entry.kind == "scored"]
    lost = len(load.acknowledged - set(stored)) + len(stored) - len(set(stored))
    half, most = np.quantile(load.latencies, [0.5, 0.99]) * 1000
    return [f"{len(load.acknowledged) / seconds:.0f}", f"{half:.0f}", f"{most:.0f}", str(lost)]


@benchmark(
    trials=20_000,
    stations=50,
    servers=2,
    policies=4,
    tasks=1,
    method="nscore-plus",
    pages=0,
)
def main(options: Namespace) -> Table:
    folder = Path(tempfile.mkdtemp(prefix="stopwise-load-"))
    size = plan(options.policies, options.tasks, options.method, options.trials)
    database = Server.create(durable=True)
    names = ("store", "servers", "trials/s", "p50 ms", "p99 ms", "lost or twice")
    table = Table(
        *names, title=f"{options.stations} stations, {options.trials} trials on each store"
    )
    try:
        places = (
            ("SQLite", f"sqlite:///{folder}/load.db#load", 1),
            ("PostgreSQL", f"{database.url()}#load", options.servers),
        )
        for name, place, servers in places:
            said = {name: vars(options)[name] for name in ("trials", "stations", "pages")}
            figures = measure(place, size, servers=servers, **said)
            table.add_row(name, str(servers), *figures)
    finally:
        database.delete()
        shutil.rmtree(folder)
    return table
