"""Tokens that end, streams that end with them, and connections that never ask for anything."""

import resource
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

import stopwise as sw
from stopwise.web import impatience, limits
from stopwise.web.client import StudyClient
from stopwise.web.server import Serving, Tls
from tests.cli.typed import study as command
from tests.web.serving import certified, served


def eventually(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 600
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_stream_ends_with_its_token(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str]
) -> None:
    headers = {"Authorization": f"Bearer {tokens['viewer']}"}
    with client.stream("GET", "/api/events", headers=headers) as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith("id: ")
        (viewer,) = [each for each in study.tokens() if each.role == "viewer"]
        study.revoke_token(viewer.token)
        before = study.seq
        rest = "".join(lines)  # which ends
    assert f"id: {before}" not in rest


@pytest.mark.parametrize("said", [b"", b"GET /api/health HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_connection_that_asks_for_nothing_is_ended(
    study: sw.Study, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(impatience, "SECONDS", 0.3)
    with served(study) as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=600) as line:
            line.sendall(said)
            with suppress(ConnectionResetError):
                assert line.recv(1) == b""
        # Also the second request of a connection that has asked for something.
        with socket.create_connection(("127.0.0.1", port), timeout=600) as line:
            line.sendall(b"GET /api/health HTTP/1.1\r\nHost: x\r\n\r\nGET /api")
            with suppress(ConnectionResetError):
                while line.recv(4096):
                    pass
        assert httpx.get(f"{url}/api/health", trust_env=False).is_success


HEAD = b"POST /api/join HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
HALF = (b"", HEAD[:30], HEAD + b"Content-Length: 100\r\n\r\n{")


@contextmanager
def files_allowed(most: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_who_follows_a_link_at_once_is_not_turned_away(study: sw.Study) -> None:
    """The link is told before the server answers: until then the caller waits."""
    serving = Serving.bind(study, port=0)
    with (
        serving.listener as listener,
        socket.create_connection(listener.getsockname(), timeout=600),
    ):
        pass


def test_many_silent_connections_stop_nobody(
    study: sw.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 1,200 only so many stay: both ends of all would need more files than are allowed."""
    for seconds in (impatience, "SECONDS"), (limits, "SECONDS_FOR_BODY"):
        monkeypatch.setattr(*seconds, 1e6)  # none of them ends by itself
    with served(study) as url, files_allowed(1900), ExitStack() as stack:
        port = int(url.rpartition(":")[2])
        for number in range(1200):
            line = socket.create_connection(("127.0.0.1", port), timeout=600)
            stack.enter_context(line).sendall(HALF[number % 3])
        assert httpx.get(f"{url}/api/health", trust_env=False, timeout=600).is_success
        eventually(lambda: len(impatience.Impatient.waiting) <= impatience.MOST_WAITING)
        stack.close()
        eventually(lambda: not impatience.Impatient.waiting)


def test_a_body_that_does_not_come_is_not_waited_for(
    study: sw.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SECONDS_FOR_BODY", 0.3)
    with served(study) as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=600) as line:
            line.sendall(HEAD + b'Content-Length: 100\r\n\r\n{"token"')
            assert b" 408 " in line.recv(4096)


def test_over_tls_only_those_come_who_trust_the_certificate(
    study: sw.Study, tmp_path: Path
) -> None:
    tls = certified(tmp_path)
    token = study.create_token("viewer", "v")
    with served(study, tls=tls) as url:
        assert url.startswith("https://")
        with StudyClient(url, token, certificate=tls.certificate) as client:
            assert client.status().name == "Cup stacking"
        with httpx.Client(trust_env=False) as stranger, pytest.raises(httpx.ConnectError):
            stranger.get(url)


def test_a_certificate_that_cannot_be_used_is_one_clear_line(
    study: sw.Study, tmp_path: Path
) -> None:
    tls, other = certified(tmp_path), tmp_path / "other"
    other.mkdir()
    for wrong in (
        Tls(tls.certificate, certified(other).key),
        Tls(tmp_path / "nothing.pem", tls.key),
        Tls(tls.key, tls.key),
    ):
        with pytest.raises(sw.StopwiseError, match="TLS cannot use the certificate") as refused:
            Serving.bind(study, port=0, tls=wrong)
        assert "\n" not in str(refused.value)
    lock = f"openssl ec -in {tls.key} -aes256 -passout pass:secret -out {tmp_path}/locked.key"
    subprocess.run(lock.split(), check=True, capture_output=True)
    with pytest.raises(sw.StopwiseError, match="the key has a password"):
        Serving.bind(study, port=0, tls=Tls(tls.certificate, tmp_path / "locked.key"))


def test_a_certificate_goes_with_its_key(tmp_path: Path) -> None:
    done = command("serve", tmp_path, "--certificate", "lab.pem")
    assert done.exit_code == 2
    assert "--certificate and --key belong together" in done.output
