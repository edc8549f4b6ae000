"""Real headless Chromium, Debian's own; one per test, for its event loop stands in others' way."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

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


@pytest.fixture
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        raise FileNotFoundError("chromium is not installed: run `make test`, which installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield browser
        browser.close()
