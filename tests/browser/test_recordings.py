"""Photos from the phone, and in the report."""

import io
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, expect

import stopwise as sw
from tests.browser.phone import DESKTOP, PHONE, joined, picture, tab, take
from tests.study import live
from tests.study.runners import eventually
from tests.web.serving import CUPS, served

PAGE: FilePayload = {"name": "x.jpg", "mimeType": "image/jpeg", "buffer": b"<html>"}


def drawn() -> bytes:
    """Return a photo of 8 x 8 points that a browser can show."""
    import matplotlib.image
    import numpy as np

    file = io.BytesIO()
    matplotlib.image.imsave(file, np.linspace(0, 1, 64).reshape(8, 8), format="png")
    return file.getvalue()


def go_through_checks(phone: Page) -> None:
    phone.get_by_role("button", name="lights on").click()
    phone.get_by_role("button", name="Checked").click()
    expect(phone.locator("#problem-text")).to_contain_text("lens clean: not ticked")
    phone.get_by_role("button", name="lens clean", exact=True).click()
    picture(phone, "study-checks")
    phone.get_by_role("button", name="Checked").click()


def test_a_photo_is_shown_after_unblinding(browser: Browser, tmp_path: Path) -> None:
    plan = {
        "name": "Cups",
        "policies": ["old", "new"],
        "tasks": ["stack"],
        "n_max": 1,
        "checks": ["lights on", "lens clean"],
    }
    study = sw.Study.create(tmp_path / "cups", plan)
    study.lock()
    with served(study) as url:
        phone = joined(browser, url, study.create_token("operator", "arm 1"), PHONE)
        phone.get_by_role("button", name="Next trial").click()
        go_through_checks(phone)
        expect(phone.locator("#trial")).to_be_visible()
        phone.get_by_text("Add a note").click()
        phone.locator("#film").set_input_files([PAGE])
        expect(phone.locator("#film-state")).to_contain_text("Not stored: a recording must be one")
        phone.locator("#film").set_input_files([PAGE | {"buffer": drawn()}])
        expect(phone.locator("#film-state")).to_have_text("Stored with trial 1.")
        phone.get_by_role("button", name="Success").click()
        expect(phone.locator("#last-state")).to_have_text("Stored.")
        second = live.take(study, "arm 1", who="arm 1")
        study.record(second.trial, False, station="arm 1", who="arm 1")

        study.unblind()
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        owner.get_by_role("link", name="Report").click()
        seen = owner.get_by_alt_text("trial 1")
        seen.evaluate("image => image.scrollIntoView()")  # it is loaded when it is looked at
        expect(seen).to_have_js_property("naturalWidth", 8)
        expect(seen).to_be_visible()
        owner.get_by_role("link", name="trial 1").click()
        expect(owner.locator("img")).to_be_visible()


FULL = pytest.mark.slow("runs the same walk; adds a disk that is full to a lost connection")


@pytest.mark.parametrize("fault", ["offline", pytest.param("full", marks=FULL)])
def test_a_photo_waits_for_the_server(browser: Browser, tmp_path: Path, fault: str) -> None:
    """Taken in two tabs, one of them closed: each is stored once, whatever tab comes next."""
    study = sw.Study.create(tmp_path / "cups", CUPS)
    study.lock()
    with served(study) as url:
        phone = joined(browser, url, study.create_token("operator", "arm 1"), PHONE)
        take(phone)
        other = tab(phone.context, url)
        with no_way(phone.context, fault) as said:
            for page, content in ((phone, b"one"), (other, b"two")):
                page.get_by_text("Add a note").click()
                page.locator("#film").set_input_files([PAGE | {"buffer": drawn() + content}])
                expect(page.locator("#film-state")).to_contain_text(said)
            phone.close()
            other.get_by_role("button", name="None of these").click()
            other.locator("#save").click()
            expect(other.locator("footer")).to_contain_text(said)
        tab(other.context, url)
        expect(other.locator("footer")).to_contain_text("Everything kept here has been sent")
        expect(other.locator("#last-state")).to_have_text("Stored.")
        eventually(lambda: kept(other) == 0)
    filmed = [entry.content for entry in study.journal() if entry.kind == "filmed"]
    assert len(filmed) == len({each["digest"] for each in filmed}) == 2
    assert study.lost_recordings() == []


@contextmanager
def no_way(context: BrowserContext, fault: str) -> Iterator[str]:
    """Cut the connection, or let no file grow; yield what the operator reads."""
    if fault == "offline":
        context.set_offline(True)
        yield "Kept on this device: it will be sent when the connection is back"
        context.set_offline(False)
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        yield "Kept on this device: The study's disk is full"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def kept(page: Page) -> int:
    """Number of photos that the browser still keeps."""
    count = """() => new Promise((resolve) => {
        const request = indexedDB.open(document.getElementById("stage").dataset.study);
        request.onsuccess = () => {
            const films = request.result.transaction("films").objectStore("films").count();
            films.onsuccess = () => { request.result.close(); resolve(films.result); };
        };
    })"""
    return int(page.evaluate(count))
