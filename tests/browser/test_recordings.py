"""A photo from the phone, a second rating by someone else, and both in the report."""

import io
from pathlib import Path

from playwright.sync_api import Browser, FilePayload, expect

import stopwise as sw
from tests.browser.phone import DESKTOP, PHONE, joined, picture
from tests.web.serving import served


def drawn() -> bytes:
    """Return a photo that a browser can show."""
    import matplotlib.image
    import numpy as np

    file = io.BytesIO()
    matplotlib.image.imsave(file, np.linspace(0, 1, 64).reshape(8, 8), format="png")
    return file.getvalue()


def test_a_photo_is_rated_by_another_and_shown_after_unblinding(
    browser: Browser, tmp_path: Path
) -> None:
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
        phone.get_by_role("button", name="lights on").click()
        phone.get_by_role("button", name="Checked").click()
        expect(phone.locator("#problem-text")).to_contain_text("lens clean: not ticked")
        picture(phone, "study-checks")
        phone.get_by_role("button", name="lens clean").click()
        phone.get_by_role("button", name="Checked").click()
        expect(phone.locator("#trial")).to_be_visible()
        phone.get_by_text("Add a note").click()
        page: FilePayload = {"name": "x.jpg", "mimeType": "image/jpeg", "buffer": b"<html>"}
        phone.locator("#film").set_input_files([page])
        expect(phone.locator("#film-state")).to_contain_text("Not stored: a recording must be one")
        phone.locator("#film").set_input_files([page | {"buffer": drawn()}])
        expect(phone.locator("#film-state")).to_have_text("Stored with trial 1.")
        phone.get_by_role("button", name="Success").click()
        phone.locator("#save").click()
        expect(phone.locator("#saved-state")).to_have_text("Stored.")
        second = study.next_trial("arm 1", who="arm 1")
        assert second is not None
        study.record(second.trial, False, station="arm 1", who="arm 1")

        other = joined(browser, url, study.create_token("operator", "eva"), PHONE)
        other.get_by_role("link", name="Rate recordings").click()
        expect(other.get_by_alt_text("Photo of the trial")).to_be_visible()
        width = other.locator("#recordings img").evaluate("image => image.naturalWidth")
        assert width == 8
        picture(other, "study-rate")
        other.get_by_role("button", name="Success").click()
        other.locator("#save").click()
        expect(other.locator("#nothing")).to_be_visible()

        study.unblind()
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        owner.get_by_role("link", name="Report").click()
        expect(owner.locator("body")).to_contain_text("Second rating")
        owner.get_by_role("link", name="png").click()
        expect(owner.locator("img")).to_be_visible()
    assert len([entry for entry in study.journal() if entry.kind == "rated"]) == 1
