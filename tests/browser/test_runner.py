"""A whole study in which nobody knows: two phones, an owner, and runners that start policies."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import stopwise as sw
from stopwise.study import runner as runner_module
from stopwise.study.episodes import Attend, BeginEpisode, EndEpisode
from stopwise.web.client import StudyClient
from tests.browser.phone import DESKTOP, PHONE, joined, phone_of, picture, running, take, tap
from tests.policies.served import served as policy_served
from tests.study.live import Clock
from tests.study.runners import attending, eventually, free_port, written
from tests.web.serving import CUPS, served

STATIONS = ("arm 1", "arm 2")
MILESTONES = [step["name"] for step in CUPS["tasks"][0]["score"]["milestones"]]
# A policy: it moves cups in a small world of files, and tells its name to whoever listens.
POLICY = """
echo "I am $STOPWISE_POLICY"
case $STOPWISE_POLICY in flow-v2) reached=4;; *) reached=1;; esac
echo $reached > "$1/$STOPWISE_CODE"
"""
# A robot: it asks one address what to do, and does not know who answers.
ROBOT = """
import os, pathlib, sys
import numpy as np
from openpi_client.websocket_client_policy import WebsocketClientPolicy
robot = WebsocketClientPolicy("127.0.0.1", int(sys.argv[1]))
reached = robot.infer({"state": np.zeros(1)})["actions"][0, 0]
(pathlib.Path(sys.argv[2]) / os.environ["STOPWISE_CODE"]).write_text(str(int(reached)))
"""


class Flow:
    """A policy of the runner's own process."""

    def __call__(self, observation: dict[str, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(observation["state"] + 4)


def commands(folder: Path, world: Path) -> Path:
    """Return the file of a runner that starts each policy by a command."""
    (folder / "play.sh").write_text(POLICY)
    command = f"sh {folder}/play.sh {world}"
    return written(folder / "runner.yaml", dict.fromkeys(["diffusion-v1", "flow-v2"], command))


def routed(folder: Path, world: Path, diffusion: str) -> Path:
    """Return the file of a runner whose robot asks a router: a server, or this process."""
    port = free_port()
    (folder / "robot.py").write_text(ROBOT)
    return written(
        folder / "routed.yaml",
        {"diffusion-v1": diffusion, "flow-v2": {"policy": f"{__name__}:Flow"}},
        robot=f"{sys.executable} {folder}/robot.py {port} {world}",
        router={"port": port},
    )


def through(browser: Browser, url: str, study: sw.Study, world: Path) -> Page:
    """Run all trials on the phones, unblind, and return the owner's page.

    Robots leave what they reached in a folder, in a file named by the code of the trial.
    """
    owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
    phones = [
        joined(browser, url, study.create_token("operator", name), PHONE) for name in STATIONS
    ]
    for phone in phones:
        phone.get_by_role("button", name="Next trial").click()
        expect(phone.locator("#trial")).to_be_visible()
    while not study.finished:
        for phone in phones:
            if not study.finished and phone.locator("#trial").is_visible():
                one_trial(phone, world)
    for phone in phones:
        expect(phone.locator("#done")).to_be_visible()
    expect(owner.locator("#live-evidence")).to_contain_text("Finished")  # or it changes meanwhile
    owner.once("dialog", lambda dialog: dialog.accept())
    owner.get_by_role("button", name="Unblind").press("Enter")  # the page may move
    return owner


def one_trial(phone: Page, world: Path) -> None:
    """Start the trial, wait for the robot, and score what it did."""
    expect(phone.locator("#code-text")).to_have_text("The policy starts with Start")
    code = phone.locator("#code").inner_text()
    assert not (world / code).exists()
    phone.get_by_role("button", name="Start").click()
    expect(phone.locator("#robot")).to_contain_text("The robot has stopped: score what you saw.")
    picture(phone, "study-runner")
    reached = int((world / code).read_text())
    phone.get_by_role("button", name=MILESTONES[reached - 1]).click()
    phone.locator("#save").click()
    expect(phone.locator("#last-state")).to_have_text("Stored.")


def test_two_phones_and_an_owner_and_nobody_knows(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "PAUSE", 0.05)
    world = tmp_path / "world"
    world.mkdir()
    study = sw.Study.create(tmp_path / "cups", {**CUPS, "alpha": 0.5})  # over after few trials
    study.lock()
    with ExitStack() as stack:
        url = stack.enter_context(served(study))
        robot = StudyClient(url, study.create_token("runner", "robot"))
        stack.enter_context(robot)
        diffusion = stack.enter_context(policy_served(lambda _: {"actions": np.ones((1, 1))}))
        by_command, by_router = commands(tmp_path, world), routed(tmp_path, world, diffusion)
        said = [
            stack.enter_context(attending(study, by_command, desk=robot, station=STATIONS[0])),
            stack.enter_context(attending(study, by_router, station=STATIONS[1])),
        ]
        owner = through(browser, url, study, world)
        assert not any(
            name in line for lines in said for line in lines for name in ("flow", "diff")
        )
        expect(owner.locator("#live-evidence")).to_contain_text("flow-v2 > diffusion-v1")
        owner.get_by_role("link", name="Report").click()
        expect(owner.locator("body")).to_contain_text("started by a runner")
    records = study.records()
    assert records["episode"].n_unique() == len(records)
    assert study.verify().sound


def test_a_phone_stops_the_robot_and_tells_of_a_runner_that_is_gone(
    browser: Browser, tmp_path: Path
) -> None:
    clock = Clock()
    with running(tmp_path, clock=clock) as (study, url):
        study.do(Attend(station="arm 1"))
        phone = phone_of(browser, study, url)
        said, stop = phone.locator("#robot-text"), phone.get_by_role("button", name="Stop")
        take(phone)
        expect(stop).to_be_hidden()
        tap(phone, "Start")
        eventually(lambda: study.whereabouts(1, station="arm 1").started)
        study.do(BeginEpisode(trial=1, episode="one"))
        expect(said).to_have_text("The robot is running.")
        picture(phone, "study-running")
        clock.time += 11  # and no sign of life
        expect(said).to_contain_text("The runner does not answer: stop the robot by hand")
        study.hear("arm 1")
        expect(said).to_have_text("The robot is running.")
        stop.click()
        expect(said).to_have_text("Stopping…")
        assert study.whereabouts(1, station="arm 1").stopping
        study.do(EndEpisode(trial=1, episode="one", outcome="stopped", seconds=3.0))
        expect(said).to_have_text("The robot has stopped: score what you saw.")
        expect(stop).to_be_hidden()
        study.unblind(reason="too early")
        expect(phone.locator("#names-out")).to_be_visible()
