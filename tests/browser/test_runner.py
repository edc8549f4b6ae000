"""A whole study in which nobody knows: two phones, an owner, and runners that start policies."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import stopwise as sw
from stopwise.study import runner as runner_module
from tests.browser.phone import DESKTOP, PHONE, joined, picture
from tests.study.runners import attending, written
from tests.web.serving import CUPS, served

# A policy: it moves cups in a small world of files, and tells its name to whoever listens.
POLICY = """
echo "I am $STOPWISE_POLICY"
case $STOPWISE_POLICY in flow-v2) reached=4;; *) reached=1;; esac
echo $reached > "$1/$STOPWISE_CODE"
"""
STATIONS = ("arm 1", "arm 2")


def test_two_phones_and_an_owner_with_commands(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "PAUSE", 0.1)
    world = tmp_path / "world"
    world.mkdir()
    (tmp_path / "play.sh").write_text(POLICY)
    command = f"sh {tmp_path}/play.sh {world}"
    file = written(tmp_path / "runner.yaml", dict.fromkeys(["diffusion-v1", "flow-v2"], command))
    study = sw.Study.create(tmp_path / "cups", CUPS)
    study.lock()
    with ExitStack() as stack:
        url = stack.enter_context(served(study))
        robot = sw.StudyClient(url, study.create_token("runner", "robot"))
        stack.enter_context(robot)
        said = [
            line
            for station, desk in zip(STATIONS, (robot, None), strict=True)
            for line in [stack.enter_context(attending(study, file, desk=desk, station=station))]
        ]
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        phones = [
            joined(browser, url, study.create_token("operator", name), PHONE) for name in STATIONS
        ]
        for phone in phones:
            phone.get_by_role("button", name="Next trial").click()
        while not study.finished:
            for phone in phones:
                one_trial(study, phone, world)
        for phone in phones:
            expect(phone.locator("#done")).to_be_visible()
        assert not any(
            name in line for lines in said for line in lines for name in ("flow", "diff")
        )
        owner.once("dialog", lambda dialog: dialog.accept())
        owner.get_by_role("button", name="Unblind").click()
        expect(owner.locator("#live-evidence")).to_contain_text("flow-v2 > diffusion-v1")
        owner.get_by_role("link", name="Report").click()
        expect(owner.locator("body")).to_contain_text("started by a runner")
    records = study.records()
    assert records["episode"].n_unique() == len(records)
    assert study.verify().sound


def one_trial(study: sw.Study, phone: Page, world: Path) -> None:
    """Start the trial on a phone, wait for the robot, and score what it did."""
    if study.finished:
        return
    if phone.locator("#next").is_visible():
        phone.locator("#next").click()
        expect(phone.locator("#saved")).to_be_hidden()
    if not phone.locator("#trial").is_visible():
        return
    expect(phone.locator("#code-text")).to_have_text("Start starts the policy")
    code = phone.locator("#code").inner_text()
    assert not (world / code).exists()
    phone.get_by_role("button", name="Start").click()
    expect(phone.locator("#robot")).to_contain_text("The robot has stopped: score what you saw.")
    picture(phone, "study-runner")
    reached = int((world / code).read_text())
    for step in CUPS["tasks"][0]["score"]["milestones"][:reached]:
        phone.get_by_role("button", name=step["name"]).click()
    phone.locator("#save").click()
    expect(phone.locator("#saved-state")).to_have_text("Stored.")
