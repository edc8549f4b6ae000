"""Races that end before their verdict: what came back is there, and so is the way on."""

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import stopwise as sw
from stopwise.rollout.episode import Episode
from stopwise.rollout.executors import processes, ray_cluster
from stopwise.rollout.journal import Journal
from stopwise.rollout.stopped import RaceInterrupted, RaceStopped
from tests.rollout.players import draw, leaving

RATES = {"low": 0.3, "high": 0.8}
STOPWISE = str(Path(sys.executable).with_name("stopwise"))
COMMAND = [
    STOPWISE, "race", "--policy", "low=tests.rollout.players:make_low",
    "--policy", "same=tests.rollout.players:make_low", "--alpha", "1e-6", "--n-max", "100000",
]  # fmt: skip


@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_an_episode_that_exits_has_failed_and_ends_nothing(executor: str) -> None:
    made = processes(1) if executor == "processes" else executor
    found = sw.race(RATES, leaving, n_max=12, seed=1, on_error="score:0", executor=made)

    told = {episode.error for episode in found.episodes} - {None}
    assert told == {"SystemExit: 3", "GeneratorExit"}
    assert sum(found.failures.values()) < found.used


def exiting() -> None:
    sys.exit("wrong arguments")


@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_a_policy_that_exits_as_it_is_loaded_is_named(executor: str) -> None:
    policies = {"a": f"{__name__}:exiting", "b": 0.5}
    with pytest.raises(sw.StopwiseError, match="policy 'a' cannot be loaded: SystemExit: wrong"):
        sw.race(policies, draw, n_max=3, executor=executor)


def test_a_race_that_the_user_ends_has_its_result() -> None:
    count = 0

    def episode(policy: float, seed: int) -> float:
        nonlocal count
        count += 1
        if count == 30:
            raise KeyboardInterrupt
        return draw(policy, seed)

    with pytest.raises(RaceInterrupted) as caught:
        sw.race(RATES, episode, n_max=500, alpha=1e-6)

    assert len(caught.value.episodes) == 29
    assert caught.value.result.rows == 14
    assert "it was interrupted" in " ".join(caught.value.result.analysis.warnings)


def test_an_interrupt_waits_until_journal_and_rule_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "race.jsonl"
    add = Journal.add

    def press(journal: Journal, episode: Episode) -> None:
        add(journal, episode)
        if len(path.read_text().splitlines()) == 12:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Journal, "add", press)
    with pytest.raises(RaceInterrupted) as caught:
        sw.race(RATES, draw, n_max=100, alpha=1e-6, journal=path)

    assert len(path.read_text().splitlines()) == 1 + len(caught.value.episodes) == 12


@pytest.mark.parametrize("workers", [[], ["--executor", "processes", "--workers", "2"]])
def test_the_command_keeps_a_journal_and_says_where(workers: list[str]) -> None:
    """Even if it is interrupted as its workers begin, they say nothing."""
    command = [*COMMAND, *workers, "--env", "tests.rollout.players:slow_if"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as race:  # fmt: skip
        assert race.stderr is not None
        said = race.stderr.readline()
        os.killpg(race.pid, signal.SIGINT)
        out, rest = race.communicate(timeout=600)
    journal = re.search(r"is in (\S+\.jsonl): to go on, add --journal \1\n$", said)
    assert journal is not None, said
    assert race.returncode == 130
    assert out == ""
    assert rest == said.replace("race: every", "race: interrupted; every")
    kept = Path(journal[1]).read_text().splitlines()
    assert len(kept) > 1
    goes_on = subprocess.run(
        [*command, "--journal", journal[1], "--policy", "other=tests.rollout.players:make_low"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "belongs to another race" in goes_on.stderr


def test_a_command_that_runs_no_episode_leaves_no_journal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    done = subprocess.run(
        [*COMMAND, "--env", "no.such:module"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert list((tmp_path / "stopwise" / "races").iterdir()) == []


def test_a_full_disk_ends_the_race_with_the_journal_and_the_way_on(tmp_path: Path) -> None:
    """Here the limit of a file's size stands in for it: the same call of the system fails."""
    path = tmp_path / "race.jsonl"
    race = partial(sw.race, RATES, draw, n_max=100, alpha=1e-6, journal=path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, before[1]))
    try:
        with pytest.raises(RaceStopped) as caught:
            race()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    said = str(caught.value)
    assert said.startswith(f"{path}: the journal cannot be written: File too large; make room")
    assert said.endswith(f"the same race goes on with journal={str(path)!r}")
    assert caught.value.result.rows > 5
    again = race()
    assert again.decided
    assert any("cut off" in note for note in again.analysis.warnings)


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_a_journal_that_is_no_regular_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = Path("/dev/null") if kind == "device" else tmp_path / "race.jsonl"
    if kind == "pipe":
        os.mkfifo(path)
    if kind == "folder":
        path.mkdir()
    with pytest.raises(sw.InvalidInput, match="a journal must be a regular file"):
        sw.race(RATES, draw, n_max=5, journal=path)


def test_the_command_says_what_it_waits_for(tmp_path: Path) -> None:
    for name, rate in {"a": 0.1, "b": 0.9}.items():
        (tmp_path / f"{name}.txt").write_text(str(rate))
    with subprocess.Popen(
        [STOPWISE, "race", "--env", "tests.rollout.players:draw", "--checkpoints", tmp_path,
         "--load", "tests.rollout.players:read_rate", "--goal", "best", "--n-max", "60",
         "--later", "c", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as race:  # fmt: skip
        assert race.stderr is not None
        said = [race.stderr.readline(), race.stderr.readline()]
        (tmp_path / "c.txt").write_text("0.2")
        race.communicate(timeout=600)
    assert said[1] == "stopwise race: waits for c to come\n"
    assert race.returncode == 0


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def test_no_head_of_ray_is_told_at_once(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["stopwise.rollout.executors.ray_cluster"]
    monkeypatch.setattr(module, "ANSWER", 0.2)
    port = listener.getsockname()[1]

    taken: list[socket.socket] = []

    def answered() -> None:
        taken.append(listener.accept()[0])  # never answered
        taken.append(listener.accept()[0])
        taken[1].sendall(b"HTTP/1.1 400 Bad Request\r\n")

    threading.Thread(target=answered, daemon=True).start()
    for said in (f"nothing answers at 127.0.0.1:{port} within 0.2 s", "is not a head of Ray"):
        with pytest.raises(sw.StopwiseError, match=f"{said}; give the address of the head"):
            sw.race(RATES, draw, n_max=3, executor=ray_cluster(1, address=f"127.0.0.1:{port}"))
    for own in (*taken, listener):
        own.close()
    with pytest.raises(sw.StopwiseError, match=f"nobody is at ray://127.0.0.1:{port}"):
        sw.race(RATES, draw, n_max=3, executor=ray_cluster(1, address=f"ray://127.0.0.1:{port}"))
