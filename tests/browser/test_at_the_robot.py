"""A phone at the robot: a pedal, a screen that stays on, a slow network, upright and across."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

import stopwise as sw
from stopwise.study.episodes import Attend
from tests.browser.phone import (
    PHONE,
    code_of,
    entries_of,
    expect_stored,
    expect_trial,
    phone_of,
    picture,
    ready,
    running,
    take,
    tap,
)
from tests.study.runners import eventually

ACROSS: ViewportSize = {"width": 667, "height": 331}  # what a small phone leaves to a page
LOCKS = """
    const ask = navigator.wakeLock.request.bind(navigator.wakeLock);
    window.locks = [];
    navigator.wakeLock.request = async (kind) => {
        const lock = await ask(kind);
        window.locks.push(lock);
        return lock;
    };
"""
SCROLLED = "() => document.querySelector('.side + .side').scrollTop"
HELD = "() => window.locks.filter((lock) => !lock.released).length"
# Pairs of what can be touched or read of which one lies over the other, by what is drawn on top.
COVERED = """() => [
    ...document.querySelectorAll("button, summary, input, #code, #clock, #task, .pill"),
]   .filter((one) => one.checkVisibility())
    .flatMap((one) => {
        one.scrollIntoView({ block: "center" });
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const points = [.1, .5, .9].flatMap((x) => [.2, .5, .8].map((y) => [x, y]));
        const over = points.map(([x, y]) =>
            document.elementFromPoint(left + x * (right - left), top + y * (bottom - top)));
        const other = over.find((found) => !found || !(one.contains(found) || found.contains(one)));
        return other === undefined ? [] : [`${one.id || one.textContent}: ${other?.id}`];
    })"""


def test_a_pedal_runs_a_whole_trial(browser: Browser, tmp_path: Path) -> None:
    """Forward takes and saves, back is the clock; wherever the focus is."""
    number = {"kind": "number", "low": 0, "high": 30, "unit": "cm"}
    with running(tmp_path, {"tasks": [{"name": "push", "score": number}]}) as (study, url):
        phone = phone_of(browser, study, url)
        press(phone, "PageDown")
        code_of(phone)
        press(phone, "PageUp")
        expect(phone.locator("#timer")).to_have_text("Stop")
        press(phone, "PageDown")  # nothing is chosen yet: nothing is saved
        slider = phone.get_by_label("Slider")
        slider.fill("12")
        slider.focus()
        press(phone, "PageUp")  # on a slider this would mean more
        expect(phone.locator("#timer")).to_have_text("Restart")
        press(phone, "PageDown")
        expect_stored(phone, "Trial 1: 12 cm")
        expect_trial(phone, 2)
        phone.get_by_text("Add a note").click()
        phone.get_by_label("Note").press("1")
        assert [each["score"] for each in entries_of(study, "scored")] == [12.0]


def test_two_pedals_or_two_keys_say_success_and_failure(browser: Browser, tmp_path: Path) -> None:
    """Either starts the clock; a foot that presses twice says one thing."""
    with running(tmp_path, {"tasks": [{"name": "wipe", "score": "binary"}]}) as (study, url):
        phone = phone_of(browser, study, url)
        take(phone)
        phone.wait_for_timeout(600)  # a new trial takes no answer at once
        press(phone, "PageUp")
        phone.keyboard.press("PageDown")
        assert entries_of(study, "scored") == []
        press(phone, "PageDown")
        expect_stored(phone, "Trial 1: success")
        expect_trial(phone, 2)
        phone.wait_for_timeout(600)
        press(phone, "1")
        expect_stored(phone, "Trial 2: failure")


def press(page: Page, key: str) -> None:
    """Press a pedal, a while after the last time."""
    page.wait_for_timeout(350)
    page.keyboard.press(key)


def test_the_screen_stays_on_during_a_trial_and_shows_the_next_from_its_top(
    browser: Browser, tmp_path: Path
) -> None:
    with running(tmp_path) as (study, url):
        phone = phone_of(browser, study, url)
        phone.context.add_init_script(LOCKS)
        phone.reload()
        ready(phone)
        take(phone)
        while phone.evaluate(HELD) != 1:
            phone.wait_for_timeout(20)
        phone.evaluate("() => window.locks[0].release()")  # as when the page is put aside
        phone.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
        while phone.evaluate(HELD) != 1:
            phone.wait_for_timeout(20)
        phone.set_viewport_size(ACROSS)
        tap(phone, "None of these")  # which is scrolled to
        assert phone.evaluate(SCROLLED) > 0
        phone.locator("#save").click()
        expect_trial(phone, 2)
        assert phone.evaluate(SCROLLED) == 0
        phone.once("dialog", lambda dialog: dialog.accept())
        phone.locator("#invalid summary").click()
        tap(phone, "wrong setup", "Give this trial back")
        while phone.evaluate(HELD) != 0:
            phone.wait_for_timeout(20)


def test_a_reason_is_kept_for_its_trial_alone_and_what_has_begun_has_begun(
    browser: Browser, tmp_path: Path
) -> None:
    """Also without connection, else a trial could be given back for how it went."""
    with running(tmp_path) as (study, url):
        phone = phone_of(browser, study, url)
        take(phone)
        phone.locator("#invalid summary").click()
        reason = phone.get_by_role("button", name="someone interfered")
        reason.click()
        phone.reload()
        expect(reason).to_have_attribute("aria-pressed", "true")
        phone.once("dialog", lambda dialog: dialog.accept())
        tap(phone, "Give this trial back", "Next trial")
        expect_trial(phone, 2)
        phone.locator("#invalid summary").click()
        expect(reason).to_have_attribute("aria-pressed", "false")
        assert [each["reason"] for each in entries_of(study, "released")] == ["someone interfered"]

        phone.context.set_offline(True)
        phone.locator("#timer").click()
        expect(phone.locator("#connection")).to_have_text("no connection")
        phone.context.set_offline(False)
        eventually(lambda: started(study, 2))


OTHER = pytest.mark.slow("walks through a whole trial; adds the other colours, which cover alike")


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (PHONE, "light"),
        (ACROSS, "dark"),
        pytest.param(PHONE, "dark", marks=OTHER),
        pytest.param(ACROSS, "light", marks=OTHER),
    ],
)
def test_nothing_lies_over_anything(
    browser: Browser, tmp_path: Path, size: ViewportSize, scheme: Literal["light", "dark"]
) -> None:
    """Whatever can be touched or read can be brought into sight, and nothing covers it."""
    name = {"name": "A study of which the name is far too long for a phone", "checks": ["light"]}
    with running(tmp_path, name) as (study, url):
        phone = phone_of(browser, study, url, size)
        phone.emulate_media(color_scheme=scheme)
        shot = f"phone-{'across' if size is ACROSS else 'upright'}-{scheme}"
        assert phone.evaluate(COVERED) == []
        phone.get_by_role("button", name="Next trial").click()
        expect(phone.locator("#checks")).to_be_visible()
        assert phone.evaluate(COVERED) == []
        phone.get_by_role("button", name="light").click()
        phone.get_by_role("button", name="Checked").click()
        code_of(phone)
        phone.get_by_role("button", name="cup reached").click()
        picture(phone, shot)
        start, save = phone.locator("#timer"), phone.locator("#save")
        for button in (start, save):
            expect(button).to_be_in_viewport(ratio=1)
        ground = "one => getComputedStyle(one).backgroundColor"
        assert start.evaluate(ground) == save.evaluate(ground)
        tap(phone, "Start", "Stop")
        expect(start).to_have_text("Restart")
        assert start.evaluate(ground) != save.evaluate(ground)
        phone.get_by_text("Add a note").click()
        phone.locator("#invalid summary").click()
        assert phone.evaluate(COVERED) == []
        assert phone.evaluate("() => document.documentElement.scrollWidth") <= size["width"]
        phone.context.set_offline(True)
        expect(phone.locator("#connection")).to_have_text("no connection")
        phone.locator("#save").click()
        expect(phone.locator("#connection")).to_have_text("waiting for connection")
        expect(phone.locator("#problem")).to_be_visible()
        assert phone.evaluate(COVERED) == []


def test_a_start_that_did_not_arrive_is_told_and_no_robot_moves_later(
    browser: Browser, tmp_path: Path
) -> None:
    """Else the page waits for a runner that knows of nothing."""
    with running(tmp_path) as (study, url):
        study.do(Attend(station="arm 1"))
        phone = phone_of(browser, study, url)
        take(phone)
        phone.context.set_offline(True)
        phone.get_by_role("button", name="Start").click()
        expect(phone.locator("#problem")).to_contain_text("tap Start again")
        phone.context.set_offline(False)
        expect(phone.locator("#connection")).to_have_text("connected")
        assert not started(study)
        phone.get_by_role("button", name="Start").click()
        expect(phone.locator("#robot")).to_contain_text("Starting…")
        phone.set_viewport_size(ACROSS)
        expect(phone.locator("#robot")).to_be_in_viewport(ratio=1)
        eventually(lambda: started(study))


def started(study: sw.Study, trial: int = 1) -> bool:
    """Whether the study knows that the trial has begun."""
    return study.whereabouts(trial, station="arm 1").started
