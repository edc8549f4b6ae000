"""Two phones and an owner through a study in which runners start the policies."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

import stopwise as sw
from tests.browser.phone import DESKTOP, PHONE, joined, picture

STATIONS = ("arm 1", "arm 2")


def through(
    browser: Browser, url: str, study: sw.Study, world: Path, enter: Callable[[Page, str], None]
) -> Page:
    """Run all trials on the phones, unblind, and return the owner's page.

    Robots leave what they reached in a folder, in a file named by the code of the trial; ``enter``
    scores it on a phone.
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
                _one_trial(phone, world, enter)
    for phone in phones:
        expect(phone.locator("#done")).to_be_visible()
    expect(owner.locator("#live-evidence")).to_contain_text("Finished")  # or it changes meanwhile
    owner.once("dialog", lambda dialog: dialog.accept())
    owner.get_by_role("button", name="Unblind").press("Enter")  # the page may move
    return owner


def _one_trial(phone: Page, world: Path, enter: Callable[[Page, str], None]) -> None:
    """Start the trial, wait for the robot, and score what it did."""
    expect(phone.locator("#code-text")).to_have_text("The policy starts with Start")
    code = phone.locator("#code").inner_text()
    assert not (world / code).exists()
    phone.get_by_role("button", name="Start").click()
    expect(phone.locator("#robot")).to_contain_text("The robot has stopped: score what you saw.")
    picture(phone, "study-runner")
    enter(phone, (world / code).read_text())
    phone.locator("#save").click()
    expect(phone.locator("#last-state")).to_have_text("Stored.")
