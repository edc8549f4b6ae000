"""How long people wait for a study: for the evidence after a score, and for the server to start.

Run ``python -m benchmarks.speed.study_wait``. It fails if either takes longer than it may, and says
the share of that time which was taken.
"""

import re
import shutil
import tempfile
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import httpx
from rich.table import Table

import stopwise as sw
from benchmarks.program import Found, benchmark
from stopwise.study.event import ORIGIN, Event
from stopwise.study.operation import Now, Operation
from stopwise.study.state import StudyState
from stopwise.study.trial_operations import NextTrial, Score
from stopwise.web.client import StudyClient
from tests.web.stations import ServerProcess

EVIDENCE, START = 3.0, 2.0  # seconds that each may take
SEEN = re.compile(r'id="live-evidence" data-seq="(\d+)"')


def study_of(place: Path, trials: int, policies: int, tasks: int) -> sw.Study:
    """A study with so many trials, written in one transaction."""
    names = [f"p{number}" for number in range(policies)], [f"t{number}" for number in range(tasks)]
    plan = {"name": "wait", "policies": names[0], "tasks": names[1], "n_max": trials}
    study = sw.Study.create(place, plan)
    study.lock()
    with study.store.writer() as writer:
        state = StudyState()
        for entry in writer.entries(0, ORIGIN):
            state.apply(entry)
        for number in range(1, trials + 1):
            asked: tuple[Operation[Any], ...] = (
                NextTrial(station="arm"),
                Score(trial=number, station="arm", answer=number * 7919 % 100 < 50),
            )
            for operation in asked:
                decided = operation.decide(Now(state, writer.secret))
                events = [decided] if isinstance(decided, Event) else decided
                for entry in writer.add(events, who="arm"):
                    state.apply(entry)
    return study


def until_start(place: Path, trials: int) -> float:
    study_of(place, trials, policies=4, tasks=1).close()
    server, began = ServerProcess(str(place)), time.perf_counter()
    try:
        server.start()
        return time.perf_counter() - began
    finally:
        server.kill()


def until_evidence(place: Path, trials: int, scores: int = 5) -> float:
    """Seconds from the answer to a score until an owner's page shows it, at worst."""
    with study_of(place, trials, policies=20, tasks=5) as study:
        owner, operator = study.create_token("owner", "ada"), study.create_token("operator", "ben")
    server, longest = ServerProcess(str(place)), 0.0
    server.start()
    try:
        with (
            StudyClient(server.url, operator) as arm,
            httpx.Client(base_url=server.url, trust_env=False, timeout=60) as page,
        ):
            page.post("/api/join", json={"token": owner})
            page.get("/owner").raise_for_status()
            for _ in range(scores):
                trial = arm.next_trial("arm")
                assert trial is not None
                arm.record(trial.trial, True, station="arm")
                seq, began = arm.status().seq, time.perf_counter()
                while _shown(page) < seq:
                    time.sleep(0.1)
                longest = max(longest, time.perf_counter() - began)
    finally:
        server.kill()
    return longest


def _shown(page: httpx.Client) -> int:
    found = SEEN.search(page.get("/owner/live").text)
    assert found is not None
    return int(found[1])


@benchmark(
    trials=(2_000, "of 20 policies on 5 tasks, before the score that is waited for"),
    journal=(10_000, "trials in the journal with which the server starts"),
)
def main(options: Namespace) -> Found:
    folder = Path(tempfile.mkdtemp(prefix="stopwise-wait-"))
    try:
        took = {
            "evidence on the owner's page": (
                until_evidence(folder / "evidence", options.trials),
                EVIDENCE,
            ),
            "start of the server": (until_start(folder / "start", options.journal), START),
        }
    finally:
        shutil.rmtree(folder)
    table = Table("wait", "seconds", "of what it may take")
    for what, (seconds, limit) in took.items():
        table.add_row(what, f"{seconds:.1f}", f"{seconds / limit:.2f}")
    return Found([table], all(seconds <= limit for seconds, limit in took.values()))
