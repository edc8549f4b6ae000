"""A phone at the robot: joining, scoring, pictures."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from stopwise.web.links import join_link

PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
# To renew the pictures of the docs: STOPWISE_SCREENSHOTS=docs/images pytest tests/browser
SCREENSHOTS = os.environ.get("STOPWISE_SCREENSHOTS")


def picture(page: Page, name: str, *, full_page: bool = False) -> None:
    """Keep what the page looks like, if pictures are wanted."""
    if SCREENSHOTS:
        page.evaluate("() => scrollTo(0, 0)")
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", full_page=full_page)


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


def tab(context: BrowserContext, url: str) -> Page:
    """Open the operator's page once more."""
    page = context.new_page()
    page.goto(f"{url}/operate")
    ready(page)
    return page


def ready(page: Page) -> None:
    """Wait until the page listens to taps."""
    expect(page.locator("html[data-ready]")).to_have_count(1)


def undo(page: Page) -> None:
    """Take back the last score, which was not sent yet."""
    page.get_by_role("button", name="Undo").click()


def code_of(page: Page) -> str:
    """Return the code that is shown."""
    expect(page.locator("#trial")).to_be_visible()
    return page.locator("#code").inner_text()
