"""A store that takes nothing: operator and owner read what is wrong, and nothing is lost."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import event

import stopwise as sw
from tests.browser.phone import DESKTOP, PHONE, code_of, joined
from tests.web.serving import CUPS, served


@contextmanager
def limited(study: sw.Study, pragma: str) -> Iterator[None]:
    """Let every connection to the store be full, or read-only."""

    def limit(connection: Any, _: object) -> None:
        connection.execute(pragma)

    engine = study.store.engine
    event.listen(engine, "connect", limit)
    engine.dispose()
    yield
    event.remove(engine, "connect", limit)
    engine.dispose()


FAULTS = {
    "full": (
        "PRAGMA max_page_count = 1",  # which means: no more than it has now
        "The study's disk is full: tell the owner to make room.",
    ),
    "read-only": (
        "PRAGMA query_only = 1",
        "The study's store cannot be written, only read: tell the owner.",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_people_read_what_is_wrong(browser: Browser, tmp_path: Path, fault: str) -> None:
    pragma, said = FAULTS[fault]
    with sw.Study.create(tmp_path / "cups", CUPS) as study, served(study) as url:
        study.lock()
        phone = joined(browser, url, study.create_token("operator", "arm 1"), PHONE)
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        phone.get_by_role("button", name="Next trial").click()
        code_of(phone)
        phone.get_by_text("Add a note").click()
        phone.get_by_label("Note").fill("x" * 2000)  # more than is left of the last page
        phone.get_by_role("button", name="None of these").click()
        with limited(study, pragma):
            with suppress(sw.StoreFailed):
                while True:
                    study.amend("y" * 2000)
            phone.locator("#save").click()
            expect(phone.locator("#connection")).to_have_text("server cannot store")
            expect(phone.locator("#saved-state")).to_contain_text(said)
            expect(owner.locator("#trouble")).to_have_text(said)
            form = owner.locator("section", has=owner.get_by_role("heading", name="Amend"))
            form.get_by_label("Reason").fill("z" * 2000)
            form.get_by_role("button", name="Log it").click()
            expect(form.get_by_role("status")).to_have_text(said)
        expect(phone.locator("#saved-state")).to_have_text("Stored.")
        expect(owner.locator("#trouble")).to_be_hidden()
        assert study.status().counted == 1
        for page in (phone, owner):
            page.context.close()
