"""The server dies at random moments: no acknowledged trial is lost, none is there twice."""

import random
import time

import pytest

import stopwise as sw
from tests.web.stations import ServerProcess, Stations

PLAN = {
    "name": "faults",
    "policies": ["old", "new"],
    "tasks": [{"name": "reach", "score": {"kind": "number", "low": 0, "high": 1}}],
    "n_max": 5000,
}


def check(place: str, stations: Stations) -> None:
    """Every acknowledged trial is in the journal once, and the verdict is that of a replay."""
    with sw.Study.open(place) as study:
        scored = [entry for entry in study.journal() if entry.kind == "scored"]
        numbers = [entry.content["trial"] for entry in scored]
        assert len(set(numbers)) == len(numbers)
        stored = {entry.content["trial"]: entry.content["score"] for entry in scored}
        assert stations.acknowledged.items() <= stored.items()
        assert len(stations.acknowledged) >= stations.wanted
        # What was stored without being acknowledged was cut off in flight, one per station.
        assert len(stored) - len(stations.acknowledged) <= 4
        live = study.verdict()
        with sw.Study.open(place) as replayed:
            assert replayed.verdict() == live


MANY = pytest.mark.slow("500 trials through servers that are killed 4 times; adds more moments")


@pytest.mark.parametrize(("trials", "kills"), [(60, 1), pytest.param(500, 4, marks=MANY)])
def test_killed_servers_lose_nothing(kind: str, place: str, trials: int, kills: int) -> None:
    """On PostgreSQL two servers work at once, and either may die."""
    count = 1 if kind == "sqlite" else 2
    with sw.Study.create(place, PLAN) as study:
        study.lock()
        tokens = [study.create_token("operator", f"arm {number}") for number in range(4)]
        stations = Stations(tokens, trials)
    servers = [ServerProcess(place) for _ in range(count)]
    for server in servers:
        server.start()
    rng = random.Random(1)
    try:
        with stations.at_work([server.url for server in servers for _ in range(4 // count)]):
            for number in range(1, kills + 1):
                while len(stations.acknowledged) < trials * number // (kills + 1):
                    time.sleep(rng.uniform(0.001, 0.02))
                    if stations.failures:
                        break
                server = rng.choice(servers)
                server.kill()
                server.start()
    finally:
        for server in servers:
            server.kill()
    check(place, stations)
