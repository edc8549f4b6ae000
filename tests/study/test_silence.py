"""A connection to PostgreSQL that is lost silently: told soon, and its lock does not outlive it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import httpx
import pytest

import stopwise as sw
from stopwise.study import postgres
from stopwise.web import live_updates
from tests.study.live import running, take
from tests.study.postgres import Server
from tests.study.silence import Line
from tests.web.serving import served

SAID = "The study's database does not answer: tell the owner."


@pytest.fixture
def line(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """Shorten all limits, so that a test need not wait for the real ones."""
    for name, seconds in (("IDLE", 1.0), ("LOCK", 6.0), ("STATEMENT", 30.0), ("SILENCE", 1.5)):
        monkeypatch.setattr(postgres, name, seconds)
    monkeypatch.setattr(live_updates, "SILENCE", 0.3)
    line = Line(server.folder)
    yield line
    line.close()


def over(line: Line, place: str) -> str:
    """Return the place of a study, reached over the line."""
    address, _, name = place.partition("#")
    database = address.rpartition("@/")[2].partition("?")[0]
    return f"{line.url(database)}#{name}"


def test_a_lost_connection_is_told_and_its_lock_released(
    new_study: Callable[[], str], line: Line
) -> None:
    """It is lost within a transaction that holds the row of the study."""
    place = new_study()
    near = running(place)
    far = sw.Study.open(over(line, place))
    trial = take(far)
    line.cut_at = b"INSERT INTO journal"

    with pytest.raises(sw.StoreFailed, match="send it again with the same key") as lost:
        far.record(trial.trial, True, station="left", key="k")

    assert lost.value.code == "no-answer"
    monkey = threading.Thread(target=near.amend, args=("the other server can write",))
    monkey.start()
    monkey.join(timeout=600)
    assert not monkey.is_alive()
    assert near.journal()[-1].kind == "amended"
    line.mend()
    assert far.record(trial.trial, True, station="left", key="k").counted
    assert far.record(trial.trial, True, station="left", key="k").repeated
    assert far.verify().problems == ()


def test_without_a_limit_it_would_wait(
    new_study: Callable[[], str], line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sabotage: nobody hangs up, and the call still waits when that limit is long over."""
    monkeypatch.setattr(postgres, "SILENCE", 3600.0)
    place = new_study()
    running(place)
    far = sw.Study.open(over(line, place))
    line.drop()

    def ask() -> None:
        with suppress(sw.StoreFailed):
            far.seq  # noqa: B018

    caller = threading.Thread(target=ask)
    caller.start()
    caller.join(timeout=4.0)
    still_waits = caller.is_alive()
    line.close()
    caller.join()

    assert still_waits


def test_health_says_so_while_requests_wait(new_study: Callable[[], str], line: Line) -> None:
    place = new_study()
    running(place)
    study = sw.Study.open(over(line, place))
    headers = {"Authorization": f"Bearer {study.create_token('operator', 'arm 1')}"}
    with served(study) as url, httpx.Client(base_url=url, trust_env=False, timeout=600) as client:
        assert client.get("/api/health").json()["ok"]
        line.drop()
        found = client.get("/api/health")
        assert (found.status_code, found.json()["detail"]) == (503, SAID)
        answer = client.post("/api/trials/next", json={}, headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (503, "store_failed")
        assert answer.json()["detail"] == SAID
        line.mend()
        while not client.post("/api/trials/next", json={}, headers=headers).is_success:
            pass  # what waited in the pool is lost, too
        while not client.get("/api/health").json()["ok"]:
            pass  # so is the question that was asked meanwhile
