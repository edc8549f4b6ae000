"""A whole study in which a runner lets policies of LeRobot drive PushT: ``make test-lerobot``."""

import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.core.seeds import policy_seed
from stopwise.errors import StopwiseError
from stopwise.policies.lerobot import LeRobotPolicy
from stopwise.policies.openpi import ServedPolicy
from stopwise.study import runner as runner_module
from tests.lerobot import saved
from tests.study.live import locked, policy_of, take
from tests.study.runners import attending, eventually, free_port, written

CENTRES = {"old": 80.0, "new": 256.0}
NEAR = {"name": "centre", "score": {"kind": "number", "low": 0, "high": 1}}


class Robot:
    """A robot that goes from episode to episode, asks one address, and cannot tell who answers."""

    def __init__(self, port: int) -> None:
        self.address = f"ws://127.0.0.1:{port}"
        self.reached: list[float] = []
        self.first: list[Any] = []  # of each episode, what was seen and done first
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        while True:
            try:
                policy = ServedPolicy(self.address)
            except StopwiseError:
                return  # the runner has left
            world = saved.pusht()
            seen, over = world.reset(seed=len(self.reached))[0], False
            self.first.append((seen, policy(seen)))
            action = self.first[-1][1]
            while not over:
                seen, _, ended, cut, info = world.step(action)
                over = ended or cut
                action = action if over else policy(seen)
            self.reached.append(saved.nearness({"info": info}))
            policy.close()


def ended(study: sw.Study, episodes: int) -> bool:
    return sum(entry.kind == "episode ended" for entry in study.journal()) == episodes


def test_a_whole_study_with_policies_in_the_runners_own_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "PAUSE", 0.02)
    folders = {name: saved.save(tmp_path / name, centre) for name, centre in CENTRES.items()}
    port = free_port()
    file = written(
        tmp_path / "runner.yaml",
        {name: {"policy": folder} for name, folder in folders.items()},
        router={"port": port},
        time_limit=60,
    )
    with locked(str(tmp_path / "study"), tasks=[NEAR], n_max=12) as study:
        run: dict[int, str] = {}
        with attending(study, file) as said:
            robot = Robot(port)
            while not study.finished:
                trial = take(study).trial
                assert len(robot.reached) == len(run)  # nothing moves before the operator starts
                study.start(trial, station="left")
                eventually(partial(ended, study, len(run) + 1))
                run[trial] = policy_of(study, trial)
                study.record(trial, robot.reached[-1], station="left")
        robot.thread.join()

        assert not any(name in line for line in said for name in CENTRES)
        study.unblind()
        frame = study.records()
        assert dict(zip(frame["trial"], frame["policy"], strict=True)) == run
        assert frame["score"].to_list() == pytest.approx(robot.reached)
        assert study.verdict().best == "new" or study.verdict().sentence.startswith("new > old")
        assert study.verify().sound

    # What answered is what LeRobot itself does, from the seed of the trial.
    for (trial, name), (seen, action) in zip(run.items(), robot.first, strict=True):
        policy = LeRobotPolicy(folders[name])
        policy.reset(seed=policy_seed(trial))
        assert action == pytest.approx(policy(seen).numpy(), abs=1e-5)
