"""A phone at the robot: joining, taking a trial, scoring it, pictures."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, ViewportSize, expect

import stopwise as sw
from stopwise.web.links import join_link
from tests.web.serving import CUPS, served

PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
# To renew the pictures of the docs: STOPWISE_SCREENSHOTS=docs/images pytest tests/browser
SCREENSHOTS = os.environ.get("STOPWISE_SCREENSHOTS")


def picture(page: Page, name: str, *, full_page: bool = False) -> None:
    """Keep what the page looks like, if pictures are wanted."""
    if SCREENSHOTS:
        page.evaluate("() => scrollTo(0, 0)")
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", full_page=full_page)


@contextmanager
def running(
    folder: Path, plan: Mapping[str, object] | None = None, **settings: Any
) -> Iterator[tuple[sw.Study, str]]:
    """Serve a study of cups that is locked, with other settings of its plan."""
    study = sw.Study.create(folder / "cups", {**CUPS, **(plan or {})}, **settings)
    study.lock()
    with study, served(study) as url:
        yield study, url


def joined(browser: Browser, url: str, token: str, viewport: ViewportSize, **settings: Any) -> Page:
    """Follow a join link; any error of a script fails the test."""
    context = browser.new_context(viewport=viewport, **settings)
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"script: {error}"))
    page.goto(join_link(url, token))
    page.wait_for_url(lambda address: "join" not in address)
    assert token not in page.url
    ready(page)
    return page


def phone_of(
    browser: Browser, study: sw.Study, url: str, size: ViewportSize = PHONE, name: str = "arm 1"
) -> Page:
    """Return the page of an operator with a new link."""
    return joined(browser, url, study.create_token("operator", name), size)


def tab(context: BrowserContext, url: str) -> Page:
    """Open the operator's page once more."""
    page = context.new_page()
    page.goto(f"{url}/operate")
    ready(page)
    return page


def ready(page: Page) -> None:
    """Wait until the page listens to taps."""
    expect(page.locator("html[data-ready]")).to_have_count(1)


def tap(page: Page, *names: str) -> None:
    """Tap buttons, by what they say."""
    for name in names:
        page.get_by_role("button", name=name).click()


def turn_to(page: Page, tab: str) -> None:
    """Show one of the tabs of the owner's page."""
    page.get_by_role("tab", name=tab).click()


def take(page: Page) -> str:
    """Take a trial; return its code."""
    tap(page, "Next trial")
    return code_of(page)


def undo(page: Page) -> None:
    """Take back the last score, which was not sent yet."""
    tap(page, "Undo")


def answer_next(page: Page, *, yes: bool = True) -> list[str]:
    """Answer the next question of the page; return where it will stand."""
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        (dialog.accept if yes else dialog.dismiss)()

    page.once("dialog", answer)
    return asked


def code_of(page: Page) -> str:
    """Return the code that is shown."""
    expect(page.locator("#trial")).to_be_visible()
    return page.locator("#code").inner_text()


def expect_stored(page: Page, said: str) -> None:
    """Wait until the server has what was entered last."""
    expect(page.locator("#last-text")).to_have_text(said)
    expect(page.locator("#last-state")).to_have_text("Stored.")


def expect_trial(page: Page, number: int) -> None:
    """Wait until this trial is shown."""
    expect(page.locator("#trial-number")).to_have_text(f"trial {number}")


def entries_of(study: sw.Study, kind: str) -> list[dict[str, Any]]:
    """Contents of all events of a kind."""
    return [entry.content for entry in study.journal() if entry.kind == kind]
