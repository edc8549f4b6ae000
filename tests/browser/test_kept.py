"""Nothing that a person entered is lost: two tabs, a reload, a crash, a start without a server."""

import base64
import hashlib
import subprocess
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect
from playwright.sync_api import Error as PlaywrightError

import stopwise as sw
from stopwise.web.links import join_link
from stopwise.web.server import Tls
from tests.browser.conftest import launched
from tests.browser.phone import (
    PHONE,
    entries_of,
    expect_stored,
    expect_trial,
    joined,
    phone_of,
    ready,
    running,
    tab,
    take,
    tap,
)
from tests.study.runners import free_port
from tests.web.serving import CUPS, certified, served

ENTERED = "Trial 1: cup reached, cup lifted, 0.333"
STORED = [(1, ["cup reached", "cup lifted"], "the left cup wobbled")]
FULL = """() => {
  let ballast = "";
  for (let size = 2 ** 23; size >= 1; size /= 2) {
    try {
      localStorage.ballast = ballast + "x".repeat(size);
      ballast = localStorage.ballast;
    } catch {
      // half as much may do
    }
  }
}"""
# A tab in the background is told late what others did: this one never is.
FROZEN = "addEventListener('storage', (event) => event.stopImmediatePropagation(), true)"


def enter(page: Page, note: str = "the left cup wobbled") -> None:
    """Enter half a score, which is not saved."""
    page.locator("#timer").click()
    tap(page, "cup lifted", "cup grasped", "dropped")  # all up to the third, but the second
    page.get_by_text("Add a note").click()
    page.get_by_label("Note").fill(note)


def expect_entered(page: Page, note: str = "the left cup wobbled") -> None:
    for name in ("cup reached", "cup lifted", "dropped"):
        button = page.get_by_role("button", name=name)
        expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="cup grasped")).to_have_attribute(
        "aria-pressed", "false"
    )
    expect(page.get_by_label("Note")).to_have_value(note)
    expect(page.locator("#timer")).to_have_text("Stop")
    expect(page.locator("#save")).to_be_enabled()


def stored(study: sw.Study) -> list[tuple[int, object, str]]:
    return [(each["trial"], each["answer"], each["note"]) for each in entries_of(study, "scored")]


def test_two_tabs_a_reload_and_a_crash_keep_what_was_ticked_and_typed(
    browser: Browser, tmp_path: Path
) -> None:
    with running(tmp_path) as (study, url):
        one = phone_of(browser, study, url)
        context = one.context
        other = tab(context, url)
        take(one)
        expect(other.locator("#trial")).to_be_visible()
        enter(one)
        expect_entered(other)
        one.reload()
        expect_entered(one)

        with one.expect_event("crash"), suppress(PlaywrightError):
            one.goto("chrome://crash")  # as a phone ends a tab when it needs the memory
        again = tab(context, url)
        expect_entered(again)
        again.locator("#save").click()
        for page in (again, other):
            expect_stored(page, ENTERED)
            expect_trial(page, 2)
        assert stored(study) == STORED


def test_two_tabs_without_connection_keep_both_scores(browser: Browser, tmp_path: Path) -> None:
    """Each tab saves another score, and neither knows of the other's: one counts, one is shown."""
    with running(tmp_path) as (study, url):
        one = phone_of(browser, study, url)
        take(one)
        context = one.context
        context.add_init_script(FROZEN)
        other = tab(context, url)
        one.reload()
        ready(one)
        context.set_offline(True)
        enter(one)
        one.locator("#save").click()
        other.get_by_role("button", name="None of these").click()
        other.get_by_text("Add a note").click()
        other.get_by_label("Note").fill("from the other tab")
        other.locator("#save").click()
        for page in (one, other):
            expect(page.locator("#connection")).to_have_text("waiting for connection")
        count = "Object.keys(localStorage).filter((name) => name.includes(':queue:')).length"
        for page in (one, other):  # a tab hears of what the other wrote a little later
            while page.evaluate(count) != 2:
                page.wait_for_timeout(20)
        one.close()
        other.close()
        context.set_offline(False)
        again = tab(context, url)
        refused = again.locator("#problem-text")
        expect(refused).to_contain_text("already scored elsewhere")
        expect(refused).to_contain_text("none of the steps, 0, “from the other tab”")
        again.reload()
        expect(refused).to_contain_text("from the other tab")  # until it is closed
        again.get_by_role("button", name="Close").click()
        expect(again.locator("#problem")).to_be_hidden()
        assert stored(study) == STORED
        assert again.evaluate(count) == 0


def without_server(page: Page) -> None:
    """Open the page although nobody serves it, and save what was entered before."""
    page.reload()
    expect_entered(page)
    page.locator("#save").click()
    expect(page.locator("#connection")).to_have_text("waiting for connection")
    page.reload()
    expect(page.locator("#last-text")).to_have_text(ENTERED)


LAB = "lab.example"


def trusting(tls: Tls) -> list[str]:
    """Return the switches by which Chromium finds the lab's server and trusts its key."""
    command = ["openssl", "pkey", "-in", str(tls.key), "-pubout", "-outform", "DER"]
    public = subprocess.run(command, capture_output=True, check=True).stdout
    digest = base64.b64encode(hashlib.sha256(public).digest()).decode()
    return [
        f"--ignore-certificate-errors-spki-list={digest}",
        f"--host-resolver-rules=MAP {LAB} 127.0.0.1",
    ]


TLS = pytest.mark.slow("starts a browser that trusts a key; adds TLS to the walk by localhost")


@pytest.mark.parametrize("secure", [False, pytest.param(True, marks=TLS)], ids=["localhost", "tls"])
def test_a_page_opens_without_a_server(
    playwright: Playwright, tmp_path: Path, *, secure: bool
) -> None:
    """The server is gone, not only the network; what was entered is stored when it is back.

    Browsers allow that, and a lock on the screen, on the machine itself and over TLS.
    """
    tls = certified(tmp_path, LAB) if secure else None
    switches = [] if tls is None else trusting(tls)
    study = sw.Study.create(tmp_path / "cups", CUPS)
    study.lock()
    with study, launched(playwright, *switches) as browser:
        token = study.create_token("operator", "arm 1")
        port = free_port()  # or someone else may be given it meanwhile
        with served(study, port, tls=tls) as url:
            phone = joined(browser, url.replace("127.0.0.1", LAB) if tls else url, token, PHONE)
            while not phone.evaluate("navigator.serviceWorker.controller !== null"):
                phone.wait_for_timeout(50)  # the page's own policy forbids to wait by a text
            lock = "navigator.wakeLock.request('screen').then((lock) => !lock.released)"
            assert phone.evaluate(lock)
            take(phone)
            enter(phone)
        without_server(phone)
        with served(study, port, tls=tls):
            expect_stored(phone, ENTERED)
            expect_trial(phone, 2)  # by itself
        assert stored(study) == STORED


def test_a_score_waits_for_its_own_study(browser: Browser, tmp_path: Path) -> None:
    """Another study is served at the same address meanwhile, and the phone joins it, too."""
    first, other = (sw.Study.create(tmp_path / name, CUPS) for name in ("first", "other"))
    port = free_port()
    with first, other:
        for study in (first, other):
            study.lock()
        with served(first, port) as url:
            phone = phone_of(browser, first, url)
            take(phone)
            enter(phone)
        phone.locator("#save").click()
        expect(phone.locator("#connection")).to_have_text("waiting for connection")
        with served(other, port):
            again = phone.context.new_page()
            again.goto(join_link(url, other.create_token("operator", "arm 1")))
            again.wait_for_url("**/operate")
            ready(again)
            expect(phone.locator("#problem-text")).to_contain_text("kept on this device")
            take(again)
            tap(again, "None of these", "Save")
            expect_stored(again, "Trial 1: none of the steps, 0")
            assert stored(other) == [(1, [], "")]
        with served(first, port):
            phone.reload()
            expect_stored(phone, ENTERED)
            assert stored(first) == STORED


def test_a_slow_network_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    """Each request takes 2 s, also that of a page which is reloaded."""
    with running(tmp_path) as (study, url):
        phone = phone_of(browser, study, url)
        slow = {"offline": False, "latency": 2000, "downloadThroughput": -1, "uploadThroughput": -1}
        phone.context.new_cdp_session(phone).send("Network.emulateNetworkConditions", slow)
        take(phone)
        enter(phone)
        phone.locator("#save").click()
        phone.reload()
        expect_trial(phone, 2)
        tap(phone, "None of these", "Save")
        expect_trial(phone, 3)
        expect_stored(phone, "Trial 2: none of the steps, 0")
        assert stored(study) == [*STORED, (2, [], "")]


def test_a_browser_without_room_says_so_and_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    with running(tmp_path) as (study, url):
        phone = phone_of(browser, study, url)
        phone.evaluate(FULL)
        take(phone)
        expect(phone.locator("#forgetful")).to_contain_text("keep this page open")
        enter(phone)
        phone.locator("#save").click()
        expect_trial(phone, 2)
        expect_stored(phone, ENTERED)
        assert stored(study) == STORED
        phone.evaluate("() => localStorage.removeItem('ballast')")
        tap(phone, "None of these", "Save")
        expect(phone.locator("#forgetful")).to_be_hidden()


def test_a_check_list_is_kept_for_its_day(browser: Browser, tmp_path: Path) -> None:
    with running(tmp_path, {"checks": ["lights on", "lens clean"]}) as (study, url):
        phone = phone_of(browser, study, url)
        lights, note = phone.get_by_role("button", name="lights on"), phone.locator("#check-note")
        tap(phone, "Next trial", "lights on")
        note.fill("scratched")
        phone.reload()
        expect(lights).to_have_attribute("aria-pressed", "true")
        expect(note).to_have_value("scratched")
        phone.clock.set_fixed_time(datetime.now() + timedelta(days=1))
        phone.reload()
        ready(phone)
        tap(phone, "Next trial")
        expect(lights).to_have_attribute("aria-pressed", "false")
        expect(note).to_have_value("")
        assert not entries_of(study, "checked")


def test_a_clock_that_is_set_refuses_and_holds_nothing(browser: Browser, tmp_path: Path) -> None:
    """A phone's clock may be set by hand or by its network, while a trial runs or is held."""
    now = datetime.now()
    with running(tmp_path) as (study, url):
        phone = phone_of(browser, study, url)
        take(phone)
        tap(phone, "Start")
        phone.clock.set_fixed_time(now - timedelta(hours=1))
        tap(phone, "None of these", "Save")
        expect_stored(phone, "Trial 1: none of the steps, 0")
        expect_trial(phone, 2)
        tap(phone, "Start")
        phone.clock.set_fixed_time(now - timedelta(hours=3))
        phone.reload()
        ready(phone)
        tap(phone, "None of these", "Save")
        expect_stored(phone, "Trial 2: none of the steps, 0")
        expect_trial(phone, 3)
        tap(phone, "Start")
        phone.clock.set_fixed_time(now + timedelta(days=400))
        tap(phone, "None of these", "Save")
        expect_stored(phone, "Trial 3: none of the steps, 0")
        assert all(0 <= each["seconds"] < 60 for each in entries_of(study, "scored"))
