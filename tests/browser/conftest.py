"""Real headless Chromium, Debian's own: one for all tests, a context for each page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from stopwise.web import site
from tests.web.conftest import analysed_here

__all__ = ["analysed_here"]
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# A page on a busy machine takes its time: what is expected is awaited, however long it takes.
expect.set_options(timeout=120_000)


@pytest.fixture(autouse=True)
def hold(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Send scores at once, unless the test says for how many seconds they are held."""
    monkeypatch.setattr(site, "UNDO_SECONDS", getattr(request, "param", 0.0))


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """Drive browsers; only in this package, for its event loop stands in the way of others."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    with launched(playwright) as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """Chromium, which keeps nothing from one test to the next."""
    yield chromium
    for context in chromium.contexts:
        context.close()


@contextmanager
def launched(playwright: Playwright, *switches: str) -> Iterator[Browser]:
    """Start the browser, with further switches."""
    program = shutil.which("chromium")
    if program is None:
        raise FileNotFoundError("chromium is not installed: run `make test`, which installs it")
    browser = playwright.chromium.launch(executable_path=program, args=[*SWITCHES, *switches])
    yield browser
    browser.close()
