"""Two phones, an owner, and policies of LeRobot that a runner starts: ``make test-lerobot``."""

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

import stopwise as sw
from stopwise.study import runner as runner_module
from stopwise.web import site
from stopwise.web.client import StudyClient
from tests.browser.attended import STATIONS, through
from tests.browser.conftest import launched
from tests.lerobot import saved
from tests.study.runners import attending, free_port, written
from tests.web.serving import served

# A robot: it asks one address what to do, goes through one episode of PushT, and ends.
ROBOT = f"""
import os, pathlib, sys
import gym_pusht, gymnasium
from stopwise.policies.openpi import ServedPolicy
policy = ServedPolicy(f"ws://127.0.0.1:{{sys.argv[1]}}")
world = gymnasium.make("gym_pusht/PushT-v0", obs_type="environment_state_agent_pos",
                       max_episode_steps={saved.STEPS})
seen, over = world.reset(seed=int(os.environ["STOPWISE_TRIAL"]))[0], False
while not over:
    seen, _, ended, cut, info = world.step(policy(seen))
    over = ended or cut
reached = 1 - abs(info["pos_agent"] - 256).max() / 256
(pathlib.Path(sys.argv[2]) / os.environ["STOPWISE_CODE"]).write_text(f"{{reached:.3f}}")
"""
PLAN = {
    "name": "PushT",
    "policies": ["corner", "middle"],
    "tasks": [{"name": "centre", "score": {"kind": "number", "low": 0, "high": 1}}],
    "n_max": 12,
}


def routed(folder: Path, paths: dict[str, str], world: Path) -> Path:
    """Return the file of a runner that has the policies in its own process."""
    port, robot = free_port(), folder / "robot.py"
    robot.write_text(ROBOT)
    return written(
        folder / f"runner-{port}.yaml",
        {name: {"policy": path} for name, path in paths.items()},
        robot=f"{sys.executable} {robot} {port} {world}",
        router={"port": port},
    )


def measure(phone: Page, reached: str) -> None:
    """Enter what was measured."""
    phone.get_by_label("Score from 0 to 1").fill(reached)


def test_two_phones_and_an_owner_with_policies_of_lerobot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "PAUSE", 0.1)
    monkeypatch.setattr(site, "UNDO_SECONDS", 0.0)
    centres = {"corner": 80.0, "middle": 256.0}
    paths = {name: saved.save(tmp_path / name, centre) for name, centre in centres.items()}
    world = tmp_path / "world"
    world.mkdir()
    with sw.Study.create(tmp_path / "study", PLAN) as study, ExitStack() as stack:
        study.lock()
        browser = stack.enter_context(launched(stack.enter_context(sync_playwright())))
        url = stack.enter_context(served(study))
        client = StudyClient(url, study.create_token("runner", "robot"))
        stack.enter_context(client)
        said = [
            stack.enter_context(attending(study, routed(tmp_path, paths, world), desk, station))
            for station, desk in zip(STATIONS, (client, None), strict=True)
        ]
        owner = through(browser, url, study, world, measure)
        assert not any(name in line for lines in said for line in lines for name in centres)
        expect(owner.locator("#live-evidence")).to_contain_text("middle > corner")
        owner.get_by_role("link", name="Report").click()
        expect(owner.locator("body")).to_contain_text("started by a runner")

        records = study.records()
        assert records["episode"].n_unique() == len(records)
        assert {record["station"] for record in records.to_dicts()} == set(STATIONS)
        assert study.verify().sound
