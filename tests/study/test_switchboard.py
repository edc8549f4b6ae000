"""One address for the robot, and the policy of the trial behind it: with openpi's own client."""

import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpi_client.websocket_client_policy import WebsocketClientPolicy
from websockets.exceptions import WebSocketException

import stopwise as sw
from stopwise.study import runner as runner_module
from stopwise.study.episodes import EpisodeEnded
from stopwise.study.runner_file import RunnerFile
from tests.policies.served import served
from tests.study.live import locked, policy_of, take
from tests.study.runners import attending, eventually, free_port, written

# openpi's client is older than this rule of websockets.
pytestmark = pytest.mark.filterwarnings("ignore:connect.. must be used:DeprecationWarning")
PLACE = f"{__name__}:Counting"
SCRIPT = """
import sys
import numpy as np
from openpi_client.websocket_client_policy import WebsocketClientPolicy
robot = WebsocketClientPolicy("127.0.0.1", int(sys.argv[1]))
print(robot.infer({"state": np.zeros(1)})["actions"][0, 0])
"""


class Counting:
    """A policy of this process: how many observations it has seen since its reset."""

    def __init__(self) -> None:
        self.seen = 100  # so that a reset that is left out would show

    def reset(self) -> None:
        self.seen = 0

    def __call__(self, observation: dict[str, Any]) -> np.ndarray[Any, Any]:
        self.seen += 1
        return np.array([self.seen + observation["state"][0]])


class Inferring:
    """A policy as openpi makes them: it answers with a chunk, and knows its name."""

    def infer(self, observation: dict[str, Any]) -> dict[str, Any]:
        return {"actions": np.full((2, 1), 5.0 + observation["state"][0]), "name": "new"}


def far_away(observation: dict[str, Any]) -> dict[str, Any]:
    """A policy on a server, which fails if it is asked for -1."""
    if observation["state"][0] < 0:
        raise ValueError("I am the old one")
    return {"actions": np.full((1, 1), 7.0), "name": "old"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "PAUSE", 0.05)


@pytest.fixture
def study(tmp_path: Path) -> Iterator[sw.Study]:
    with locked(str(tmp_path / "study"), n_max=20) as study:
        yield study


class Robot:
    """A robot that goes from episode to episode: connects, asks twice, leaves."""

    def __init__(self, port: int) -> None:
        self.port, self.first = port, 0.0
        self.told: list[Any] = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self) -> None:
        while not self.over.is_set():
            try:
                policy = WebsocketClientPolicy("127.0.0.1", self.port)
            except (OSError, WebSocketException):
                return  # the runner has left
            try:
                for value in (self.first, 0.0):
                    answer = policy.infer({"state": np.array([value])})
                    self.told.append((set(answer), float(answer["actions"][0, 0])))
            except Exception as error:
                self.told.append(repr(error))
            policy._ws.close()

    def numbers(self) -> list[float]:
        """Return the actions; nothing else was ever told."""
        assert all(names <= {"action", "actions"} for names, _ in self.told), self.told
        return [action for _, action in self.told]


@contextmanager
def set_up(tmp_path: Path, **other: Any) -> Iterator[tuple[Path, int]]:
    """Serve the old policy, have the new one in this process; yield the runner's file."""
    port = free_port()
    with served(far_away) as address:
        ways = {"old": address, "new": {"policy": PLACE}}
        yield written(tmp_path / "runner.yaml", ways, router={"port": port}, **other), port


def ended(study: sw.Study) -> list[EpisodeEnded]:
    return [e.event for e in study.journal() if isinstance(e.event, EpisodeEnded)]


def after(study: sw.Study, before: int) -> bool:
    return len(ended(study)) > before


def test_the_robot_asks_one_address_and_the_policy_of_the_trial_answers(
    study: sw.Study, tmp_path: Path
) -> None:
    with set_up(tmp_path) as (file, port), attending(study, file) as said:
        robot = Robot(port)
        robot.thread.start()
        expected: list[float] = []
        for number in range(1, 7):
            trial = take(study).trial
            assert robot.numbers() == expected  # nothing is answered before the operator starts
            study.start(trial, station="left")
            eventually(partial(after, study, number - 1))
            expected += {"old": [7.0, 7.0], "new": [1.0, 2.0]}[policy_of(study, trial)]
            eventually(partial(lambda wanted: robot.numbers() == wanted, list(expected)))
            study.record(trial, True, station="left")
        robot.over.set()
    assert {event.outcome for event in ended(study)} == {"ended"}
    assert {7.0, 1.0} <= set(robot.numbers())
    assert not any(name in line for line in said for name in ("old", "new", "ws://"))


def test_a_policy_of_this_process_may_have_nothing_but_infer(
    study: sw.Study, tmp_path: Path
) -> None:
    port = free_port()
    ways = {key: {"policy": f"{__name__}:Inferring"} for key in ("old", "new")}
    file = written(tmp_path / "runner.yaml", ways, router={"port": port})
    with attending(study, file):
        study.start(take(study).trial, station="left")
        robot = Robot(port)
        robot.thread.start()
        eventually(lambda: ended(study))
        robot.over.set()
    assert robot.numbers()[:2] == [5.0, 5.0]


def test_a_policy_that_fails_tells_the_runner_alone(study: sw.Study, tmp_path: Path) -> None:
    with set_up(tmp_path) as (file, port), attending(study, file):
        robot = Robot(port)
        robot.first = -1.0
        robot.thread.start()
        failed = None
        while failed is None:  # until it is the turn of the one that fails
            trial, before = take(study).trial, len(ended(study))
            study.start(trial, station="left")
            eventually(partial(after, study, before))
            if policy_of(study, trial) == "old":
                failed = ended(study)[-1]
            study.record(trial, False, station="left")
        robot.over.set()
    assert failed.outcome == "failed"
    assert any("the policy could not answer" in str(told) for told in robot.told)
    log = tmp_path / "logs" / "router.log"
    assert "I am the old one" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_an_episode_that_is_over_is_answered_no_more(study: sw.Study, tmp_path: Path) -> None:
    """By a score of the operator or by the time limit; the robot that stays on is sent away."""
    with set_up(tmp_path, time_limit=0.5) as (file, port), attending(study, file):
        outcomes: list[str] = []
        for score_early in (True, False):
            trial = take(study).trial
            study.start(trial, station="left")
            robot = WebsocketClientPolicy("127.0.0.1", port)
            robot.infer({"state": np.zeros(1)})
            if score_early:
                study.record(trial, True, station="left")
            before = len(outcomes)
            eventually(partial(after, study, before))
            outcomes.append(ended(study)[-1].outcome)
            with pytest.raises(RuntimeError, match="nobody's turn now: connect again"):
                robot.infer({"state": np.zeros(1)})
            robot._ws.close()
        assert outcomes == ["stopped", "timed out"]


def test_the_runner_starts_the_robots_own_program(study: sw.Study, tmp_path: Path) -> None:
    script = tmp_path / "robot.py"
    script.write_text(SCRIPT)
    with set_up(tmp_path) as (file, port):
        content = file.read_text() + f"\nrobot: {sys.executable} {script} {port}\n"
        file.write_text(content)
        with attending(study, file):
            for number in (1, 2):
                trial = take(study).trial
                study.start(trial, station="left")
                eventually(partial(after, study, number - 1))
                event = ended(study)[-1]
                assert event.outcome == "ended"
                printed = (tmp_path / "logs" / f"{event.episode}.log").read_text()
                assert float(printed) == {"old": 7.0, "new": 1.0}[policy_of(study, trial)]
                study.record(trial, True, station="left")


def test_servers_that_are_away_are_found_before_the_first_trial(
    study: sw.Study, tmp_path: Path
) -> None:
    file = written(tmp_path / "runner.yaml", dict.fromkeys(("old", "new"), "ws://127.0.0.1:1"))
    with pytest.raises(sw.StopwiseError, match="no policy server answers at ws://127"):
        runner_module.Runner(study, "left", RunnerFile.read(file), tmp_path / "logs").run()
    assert study.journal()[-1].kind == "locked"
