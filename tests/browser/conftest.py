"""Real headless Chromium, Debian's own; one per test, for its event loop stands in others' way."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from stopwise.web import site

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


@pytest.fixture
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@contextmanager
def launched(*switches: str) -> Iterator[Browser]:
    """Start the browser, with further switches."""
    program = shutil.which("chromium")
    if program is None:
        raise FileNotFoundError("chromium is not installed: run `make test`, which installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*SWITCHES, *switches])
        yield browser
        browser.close()
