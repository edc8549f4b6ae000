"""Both kinds of store, real ones; every test that asks for a place runs on both."""

import os
import uuid
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.study.live import Clock
from tests.study.postgres import Server

KINDS = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """PostgreSQL, one for all processes of a run."""
    own = tmp_path_factory.getbasetemp()
    with Server.shared(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) as server:
        yield server


@pytest.fixture
def server_to_crash() -> Iterator[Server]:
    server = Server.create()
    yield server
    server.delete()


@pytest.fixture(scope="session")
def new_study(server: Server) -> Callable[[], str]:
    """Return the URL of a study that is not there yet, in a database of this process."""
    database = f"lab_{uuid.uuid4().hex}"
    server.execute(f"CREATE DATABASE {database}")
    numbers = count(1)
    return lambda: f"{server.url(database)}#cups{next(numbers)}"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The URL of a study that is not there yet."""
    if kind == "sqlite":
        return f"sqlite:///{tmp_path}/study.db#cups"
    new: Callable[[], str] = request.getfixturevalue("new_study")
    return new()


@pytest.fixture
def clock() -> Clock:
    return Clock()
