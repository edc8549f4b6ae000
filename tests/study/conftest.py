"""Both kinds of store, real ones; every test that asks for a place runs on both."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.study.postgres import Server

KINDS = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = Server.create()
    yield server
    server.delete()


@pytest.fixture(scope="session")
def new_database(server: Server) -> Callable[[], str]:
    numbers = count(1)

    def make() -> str:
        name = f"lab{next(numbers)}"
        server.execute(f"CREATE DATABASE {name}")
        return server.url(name)

    return make


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The URL of a store that does not hold a study yet."""
    if kind == "sqlite":
        return f"sqlite:///{tmp_path}/study.db#cups"
    new: Callable[[], str] = request.getfixturevalue("new_database")
    return f"{new()}#cups"
