"""The HTTP client: the same answers as the study itself, through broken connections too."""

import json
import math
import re
import socket
import threading
from dataclasses import replace

import httpx
import pytest

import stopwise as sw
from stopwise.core.pair_verdict import Decision
from stopwise.study.verdict import StudyVerdict
from stopwise.web import client as client_module
from stopwise.web.client import StudyClient, parsed
from stopwise.web.links import join_link
from tests.web.serving import served


def test_it_says_what_the_study_says(study: sw.Study) -> None:
    token, viewer = study.create_token("operator", "arm 1"), study.create_token("viewer", "vi")
    robot_token = study.create_token("runner", "robot")
    with (
        served(study) as url,
        StudyClient(url, token) as client,
        StudyClient(url, robot_token) as robot,
    ):
        with pytest.raises(sw.NotAllowed, match="not locked yet"):
            client.next_trial("arm 1")
        study.lock()
        trial = client.next_trial("arm 1")
        assert trial is not None
        assert client.holding("arm 1") == study.holding("arm 1") or trial.seconds_left > 0
        client.start(trial.trial, station="arm 1")
        assert robot.resolve(trial.code) == study.resolve(trial.code)
        assert robot.policies() == study.policies()
        with pytest.raises(sw.InvalidInput, match="a milestone must be one of"):
            client.record(trial.trial, ["x"], station="arm 1")
        recorded = client.record(trial.trial, ("cup reached",), station="arm 1", seconds=2.5)
        assert recorded.score == pytest.approx(1 / 6)
        trial = client.next_trial("arm 1")
        assert trial is not None
        for unspeakable in (float("nan"), {1, 2}):
            with pytest.raises(sw.InvalidInput, match="this cannot be sent"):
                client.record(trial.trial, unspeakable, station="arm 1")
        client.record(trial.trial, [], station="arm 1")
        trial = client.next_trial("arm 1")
        assert trial is not None
        client.release(trial.trial, station="arm 1", reason="robot is hot")
        while not client.finished:
            taken = client.next_trial("arm 1")
            assert taken is not None
            good = robot.resolve(taken.code).policy == "flow-v2"
            client.record(taken.trial, ["cup reached"] if good else [], station="arm 1")
        assert client.next_trial("arm 1") is None
        assert client.status() == study.status()
        with pytest.raises(sw.NotAllowed, match="the role operator is not allowed"):
            client.verdict()
        with StudyClient(join_link(url, viewer)) as other:
            assert other.verdict() == study.verdict()


def test_a_verdict_is_the_same_as_json_and_back(study: sw.Study) -> None:
    """Also where the evidence is beyond what a number can hold."""
    study.lock()
    verdict = study.verdict()
    task = verdict.tasks[0]
    endless = replace(task.pairs[0], log_e=math.inf, decision=Decision.POLICY1)
    verdict = replace(verdict, tasks=(replace(task, pairs=(endless,)),))

    content = json.loads(json.dumps(verdict.to_dict(), allow_nan=False))

    pair = content["tasks"][0]["pairs"][0]
    assert (pair["log_e"], pair["better"], pair["decision"]) == (None, endless.policy1, "policy1")
    assert content["sentence"] == verdict.sentence
    none = replace(endless, log_e=None)
    written = replace(task, pairs=(none,))
    assert parsed(StudyVerdict, content) == replace(verdict, tasks=(written,))


def complete(request: bytes) -> bool:
    """Whether this is a whole request, or one that will never be."""
    head, end, body = request.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return not request or (bool(end) and len(body) >= (int(length[1]) if length else 0))


class Cutter:
    """A network that cuts the connection before or after the server has heard the request."""

    def __init__(self, url: str) -> None:
        self.target = httpx.URL(url)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.plan: list[str] = []
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                fate = self.plan.pop(0) if self.plan else "whole"
                if fate == "before":
                    continue
                request = connection.recv(65536)
                while not complete(request):
                    request += connection.recv(65536)
                answer = self._ask(request)
                if fate == "whole":
                    connection.sendall(answer)

    def _ask(self, request: bytes) -> bytes:
        head, _, body = request.partition(b"\r\n\r\n")
        kept = [line for line in head.split(b"\r\n") if not line.startswith(b"Connection")]
        answer = b""
        with socket.create_connection((self.target.host, self.target.port or 80)) as server:
            server.sendall(b"\r\n".join([*kept, b"Connection: close", b"", body]))
            while more := server.recv(65536):
                answer += more
        return answer

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


def test_a_report_through_a_broken_network_is_stored_once(
    study: sw.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client without keys would store the report whose answer was lost twice, or fail."""
    study.lock()
    token = study.create_token("operator", "arm 1")
    with served(study) as url:
        cutter = Cutter(url)
        monkeypatch.setattr(client_module, "FIRST_PAUSE", 0.0)
        with StudyClient(cutter.url, token) as client:
            for fates in (["before"], ["after"], ["before", "after", "after"]):
                trial = client.next_trial("arm 1")
                assert trial is not None
                cutter.plan = list(fates)
                recorded = client.record(trial.trial, [], station="arm 1")
                assert recorded.repeated == ("after" in fates)
            trial = client.next_trial("arm 1")
            assert trial is not None
            cutter.plan = ["after"]
            client.release(trial.trial, station="arm 1", reason="slipped")
        cutter.close()
    kinds = [entry.kind for entry in study.journal()]
    assert (kinds.count("scored"), kinds.count("released")) == (3, 1)


def test_it_gives_up_after_a_while_and_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    client = StudyClient(f"http://127.0.0.1:{port}", "sw_x", retry_seconds=0.3)
    with pytest.raises(sw.StoreFailed, match=r"no connection to .* tried for 0\.3 s"):
        client.status()
    client.close()


def test_a_token_is_needed() -> None:
    with pytest.raises(sw.InvalidInput, match="a token is needed"):
        StudyClient("http://127.0.0.1:1")
