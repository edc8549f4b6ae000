"""A phone at the robot: a pedal, a screen that stays on, a slow network, upright and across."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, ViewportSize, expect

import stopwise as sw
from tests.browser.phone import PHONE, code_of, joined, picture, ready
from tests.study.runners import eventually
from tests.web.serving import CUPS, served

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


@contextmanager
def cups(folder: Path, plan: Mapping[str, object] | None = None) -> Iterator[tuple[sw.Study, str]]:
    study = sw.Study.create(folder / "cups", {**CUPS, **(plan or {})})
    study.lock()
    with study, served(study) as url:
        yield study, url


def phone_of(browser: Browser, study: sw.Study, url: str, size: ViewportSize = PHONE) -> Page:
    return joined(browser, url, study.create_token("operator", "arm 1"), size)


def test_a_pedal_runs_a_whole_trial(browser: Browser, tmp_path: Path) -> None:
    """Forward takes, saves and goes on, back is the clock; wherever the focus is."""
    number = {"kind": "number", "low": 0, "high": 30, "unit": "cm"}
    with cups(tmp_path, {"tasks": [{"name": "push", "score": number}]}) as (study, url):
        phone = phone_of(browser, study, url)
        phone.keyboard.press("PageDown")
        code_of(phone)
        phone.keyboard.press("PageUp")
        expect(phone.locator("#timer")).to_have_text("Stop")
        phone.keyboard.press("PageDown")  # nothing is chosen yet: nothing is saved
        slider = phone.get_by_label("Slider")
        slider.fill("12")
        slider.focus()
        phone.keyboard.press("PageUp")  # on a slider this would mean more
        expect(phone.locator("#timer")).to_have_text("Restart")
        phone.keyboard.press("PageDown")
        expect(phone.locator("#saved-state")).to_have_text("Stored.")
        phone.keyboard.press("PageDown")
        expect(phone.locator("#trial-number")).to_have_text("trial 2")
        phone.get_by_text("Add a note").click()
        phone.get_by_label("Note").press("a")
        assert [e.content["score"] for e in study.journal() if e.kind == "scored"] == [12.0]
        phone.context.close()


def test_the_screen_stays_on_during_a_trial_and_shows_the_next_from_its_top(
    browser: Browser, tmp_path: Path
) -> None:
    with cups(tmp_path) as (study, url):
        phone = phone_of(browser, study, url)
        phone.context.add_init_script(LOCKS)
        phone.reload()
        ready(phone)
        phone.get_by_role("button", name="Next trial").click()
        code_of(phone)
        phone.get_by_role("button", name="None of these").click()
        while phone.evaluate(HELD) != 1:
            phone.wait_for_timeout(20)
        phone.evaluate("() => window.locks[0].release()")  # as when the page is put aside
        phone.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
        while phone.evaluate(HELD) != 1:
            phone.wait_for_timeout(20)
        phone.locator("#save").click()
        while phone.evaluate(HELD) != 0:
            phone.wait_for_timeout(20)
        phone.set_viewport_size(ACROSS)
        phone.get_by_role("button", name="Next trial").click()
        phone.get_by_role("button", name="None of these").click()  # which is scrolled to
        assert phone.evaluate(SCROLLED) > 0
        phone.locator("#save").click()
        phone.get_by_role("button", name="Next trial").click()
        expect(phone.locator("#trial-number")).to_have_text("trial 3")
        assert phone.evaluate(SCROLLED) == 0
        phone.context.close()


def test_a_slow_network_is_answered_at_once(browser: Browser, tmp_path: Path) -> None:
    """Every tap shows what it did while the server has not even been asked."""
    with cups(tmp_path, {"checks": ["light"]}) as (study, url):
        phone = phone_of(browser, study, url)
        slow: list[Route] = []

        def hold(route: Route) -> None:
            slow.append(route)

        def arrive() -> None:
            while not slow:
                phone.wait_for_timeout(10)
            while slow:
                slow.pop(0).continue_()

        phone.route(re.compile("/api/(trials|stations)/"), hold)
        phone.get_by_role("button", name="Next trial").click()
        expect(phone.locator("#stage.busy #take")).to_be_visible()
        arrive()
        phone.get_by_role("button", name="light").click()
        phone.keyboard.press("PageDown")
        expect(phone.locator("#stage.busy #checked")).to_be_visible()
        arrive()  # the list, then the trial
        arrive()
        code_of(phone)
        before = study.seq
        phone.locator("#timer").click()
        expect(phone.locator("#timer")).to_have_text("Stop")
        phone.get_by_role("button", name="None of these").click()
        phone.locator("#save").click()
        expect(phone.locator("#saved-text")).to_have_text("Trial 1 is kept on this device")
        expect(phone.locator("#saved-state")).to_have_text("Sending…")
        phone.get_by_role("button", name="Next trial").click()
        expect(phone.locator("#stage.busy #next")).to_be_visible()
        assert study.seq == before
        while phone.locator("#trial-number").inner_text() != "trial 2":
            arrive()
        phone.locator("#invalid summary").click()
        phone.get_by_role("button", name="wrong setup").click()
        phone.locator("#give-back").click()
        expect(phone.locator("#ready")).to_be_visible()
        phone.context.close()


def test_a_reason_is_kept_for_its_trial_alone_and_what_has_begun_has_begun(
    browser: Browser, tmp_path: Path
) -> None:
    """Also without connection, else a trial could be given back for how it went."""
    with cups(tmp_path) as (study, url):
        phone = phone_of(browser, study, url)
        phone.get_by_role("button", name="Next trial").click()
        code_of(phone)
        phone.locator("#invalid summary").click()
        reason = phone.get_by_role("button", name="someone interfered")
        reason.click()
        phone.reload()
        expect(reason).to_have_attribute("aria-pressed", "true")
        phone.locator("#give-back").click()
        phone.get_by_role("button", name="Next trial").click()
        expect(phone.locator("#trial-number")).to_have_text("trial 2")
        phone.locator("#invalid summary").click()
        expect(reason).to_have_attribute("aria-pressed", "false")
        released = [e.content["reason"] for e in study.journal() if e.kind == "released"]
        assert released == ["someone interfered"]

        phone.context.set_offline(True)
        phone.locator("#timer").click()
        expect(phone.locator("#connection")).to_have_text("no connection")
        phone.context.set_offline(False)
        eventually(lambda: started(study, 2))
        phone.context.close()


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
    with cups(tmp_path, name) as (study, url):
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
        start, save, station = (phone.locator(one) for one in ("#timer", "#save", "#station"))
        for button in (start, save):
            expect(button).to_be_in_viewport(ratio=1)
        look = "one => ['backgroundColor', 'fontSize', 'height'].map(k => getComputedStyle(one)[k])"
        assert start.evaluate(look) == save.evaluate(look)
        assert station.evaluate("one => one.offsetHeight") >= 44  # a thumb
        phone.get_by_text("Add a note").click()
        phone.locator("#invalid summary").click()
        assert phone.evaluate(COVERED) == []
        assert phone.evaluate("() => document.documentElement.scrollWidth") <= size["width"]
        phone.context.set_offline(True)
        expect(phone.locator("#connection")).to_have_text("no connection")
        phone.locator("#save").click()
        expect(phone.locator("#connection")).to_have_text("waiting for connection")
        phone.get_by_role("button", name="Next trial").click()
        expect(phone.locator("#problem")).to_be_visible()
        assert phone.evaluate(COVERED) == []
        phone.context.close()


def test_a_start_that_did_not_arrive_is_told_and_no_robot_moves_later(
    browser: Browser, tmp_path: Path
) -> None:
    """Else the page waits for a runner that knows of nothing."""
    with cups(tmp_path) as (study, url):
        study.attend("arm 1")
        phone = phone_of(browser, study, url)
        phone.get_by_role("button", name="Next trial").click()
        code_of(phone)
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
        phone.context.close()


def test_an_answer_from_before_a_start_takes_none_back(browser: Browser, tmp_path: Path) -> None:
    """The page asked how its trial stands while Start was on its way."""
    with cups(tmp_path) as (study, url):
        study.attend("arm 1")
        phone = phone_of(browser, study, url)
        phone.get_by_role("button", name="Next trial").click()
        code_of(phone)
        starts: list[Route] = []
        answers: list[tuple[Route, APIResponse]] = []
        phone.route("**/start", lambda route: starts.extend([route]))
        phone.get_by_role("button", name="Start").click()
        while not starts:
            phone.wait_for_timeout(10)
        phone.route("**/whereabouts*", lambda route: answers.append((route, route.fetch())))
        phone.evaluate("dispatchEvent(new Event('online'))")
        while not answers:
            phone.wait_for_timeout(10)
        with phone.expect_response("**/start"):
            starts.pop().continue_()
        assert started(study)
        phone.unroute("**/whereabouts*")
        for route, answer in answers:
            route.fulfill(response=answer)
        phone.wait_for_timeout(200)
        expect(phone.locator("#robot")).to_contain_text("Starting…")
        expect(phone.locator("#problem")).to_be_hidden()
        phone.context.close()


def started(study: sw.Study, trial: int = 1) -> bool:
    """Whether the study knows that the trial has begun."""
    return study.whereabouts(trial, station="arm 1").started
