"""The operator's page: every kind of rubric, undo, and one link in two places."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import stopwise as sw
from tests.browser.phone import (
    PHONE,
    answer_next,
    code_of,
    entries_of,
    expect_stored,
    expect_trial,
    joined,
    phone_of,
    picture,
    ready,
    running,
    take,
    tap,
    undo,
)
from tests.study.live import Clock
from tests.web.serving import CUPS

LEVELS = {
    "kind": "levels",
    "levels": [{"name": "failed", "value": 0}, {"name": "done", "value": 2}],
}
NUMBER = {"kind": "number", "low": 0, "high": 30, "step": 0.5, "unit": "cm"}
WITHOUT_STEP = {"kind": "number", "low": 0, "high": 30, "unit": "cm"}
STEPS = CUPS["tasks"][0]["score"]
EVIL = "<img src=x onerror=alert(1)>"
BINARY = {"name": EVIL, "tasks": [{"name": EVIL, "instructions": EVIL, "score": "binary"}]}
ONE = {**BINARY, "design": "independent"}


def slide(page: Page) -> None:
    page.get_by_label("Slider").fill("12.5")
    expect(page.get_by_label("Score from 0 to 30 cm")).to_have_value("12.5")


def measure(page: Page) -> None:
    """Type what the steps of the slider leave out, after what cannot be."""
    field, save = page.get_by_label("Score from 0 to 30 cm"), page.locator("#save")
    for wrong in ("31", ""):
        page.get_by_label("Slider").fill("9.9")
        expect(field).to_have_value("9.9")
        expect(save).to_be_enabled()
        field.fill(wrong)
        expect(save).to_be_disabled()
    tap(page, "30 cm")
    expect(field).to_have_value("30")
    field.fill("10.0625")
    expect(page.get_by_label("Slider")).to_have_js_property("value", "10.2")  # its nearest step


def tick(page: Page) -> None:
    """Reach the third step, which takes those before it along; and leave out one of them."""
    tap(page, "cup lifted")
    expect(page.locator("#rubric [aria-pressed=true]")).to_have_count(3)
    tap(page, "cup grasped")


Touch = Callable[[Page], None]
RUBRICS: list[tuple[Any, Touch, str, float]] = [
    ("binary", lambda page: tap(page, "Failure"), "failure", 0.0),
    (LEVELS, lambda page: tap(page, "done"), "done, 2", 2.0),
    (STEPS, tick, "cup reached, cup lifted, 0.333", 1 / 3),
    (NUMBER, slide, "12.5 cm", 12.5),
    (WITHOUT_STEP, measure, "10.0625 cm", 10.0625),
    ({"kind": "count", "of": 8}, lambda page: tap(page, "6"), "6 of 8", 0.75),
]


def test_each_rubric_is_stored_as_it_was_touched(browser: Browser, tmp_path: Path) -> None:
    """The task is chosen on the phone; names that are HTML are text, or the page would alert."""
    tasks = [
        {"name": f"{EVIL}{number}", "instructions": EVIL, "score": score}
        for number, (score, *_) in enumerate(RUBRICS)
    ]
    with running(tmp_path, {**ONE, "tasks": tasks}) as (study, url):
        phone = phone_of(browser, study, url)
        phone.on("dialog", lambda _: pytest.fail("a script of the plan ran"))
        phone.get_by_label("Task of the next trial").select_option(tasks[0]["name"])
        take(phone)
        for number, (_, touch, said, _) in enumerate(RUBRICS, start=1):
            expect_trial(phone, number)
            expect(phone.locator("#task")).to_have_text(tasks[number - 1]["name"])
            following = tasks[number % len(tasks)]["name"]
            phone.get_by_label("Task of the next trial").select_option(following)
            touch(phone)
            if phone.locator("#save").is_visible():
                phone.locator("#save").click()
            expect_stored(phone, f"Trial {number}: {said}")
        expect(phone.locator("#task")).to_have_text(tasks[0]["name"])
        scores = [each["score"] for each in entries_of(study, "scored")]
        assert scores == pytest.approx([score for *_, score in RUBRICS])


def test_two_trials_are_run_and_one_answer_is_given(browser: Browser, tmp_path: Path) -> None:
    with running(tmp_path, {"tasks": [{"name": "fold", "score": "preference"}]}) as (study, url):
        phone = phone_of(browser, study, url)
        first = take(phone)
        expect(phone.locator("#question")).to_have_text("First of two: watch how it goes.")
        tap(phone, "It is over")
        expect_trial(phone, 2)
        expect(phone.locator("#question")).to_have_text("Which of the two was better?")
        phone.reload()
        ready(phone)
        expect(phone.get_by_role("button", name="The first")).to_contain_text(first)
        picture(phone, "preference")
        tap(phone, "The first")
        expect_stored(phone, "Trial 2: the first was better")
        assert not any(name in phone.content() for name in ("diffusion-v1", "flow-v2"))
        assert study.records()["score"].to_list()[:2] == [1.0, 0.0]
        assert study.verdict().tasks[0].rows == 1


@pytest.mark.parametrize("hold", [600.0], indirect=True)
def test_a_score_is_taken_back_while_the_next_trial_is_shown(
    browser: Browser, tmp_path: Path
) -> None:
    """Nobody learns of it; what was entered comes back to be changed, also on a closed phone."""
    with running(tmp_path) as (study, url):
        phone = phone_of(browser, study, url)
        code = take(phone)
        tap(phone, "cup grasped")
        phone.get_by_text("Add a note").click()
        phone.get_by_label("Note").fill("wobbly")
        tap(phone, "Start", "Save")
        expect_trial(phone, 2)
        expect(phone.locator("#last-text")).to_have_text("Trial 1: cup grasped, 0.333")
        expect(phone.locator("#connection")).to_have_text("kept here")
        context = phone.context
        phone.close()
        again = context.new_page()
        again.goto(f"{url}/operate")
        expect_trial(again, 2)
        undo(again)
        expect(again.locator("#code")).to_have_text(code)
        expect(again.locator("#timer")).to_have_text("Restart")
        expect(again.get_by_label("Note")).to_have_value("wobbly")
        expect(again.locator("#rubric [aria-pressed=true]")).to_have_count(2)
        tap(again, "cup lifted", "Save")
        expect_trial(again, 2)
        assert study.status().scored == 0
        tap(again, "Start")  # what is at the next trial does not take the last one back
        expect_stored(again, "Trial 1: cup lifted, 0.5")
        expect(again.get_by_role("button", name="Undo")).to_be_hidden()
        (scored,) = entries_of(study, "scored")
        assert (scored["answer"][-1], scored["note"]) == ("cup lifted", "wobbly")
        assert entries_of(study, "corrected") == []


# From the second on, an answer to whoever asks for a trial comes late.
SLOW_SECOND_ANSWER = """() => {
  const quick = window.fetch;
  let asked = 0;
  window.fetch = async (path, ...rest) => {
    const late = path === "/api/trials/next" && ++asked === 2;
    const answer = await quick(path, ...rest);
    if (late) await new Promise((done) => setTimeout(done, 3000));
    if (late) window.lateAnswerCame = true;
    return answer;
  };
}"""


def test_a_late_answer_brings_no_saved_trial_back(browser: Browser, tmp_path: Path) -> None:
    """The page may ask twice: when its own timer and the server's news come at once."""
    with running(tmp_path, {"tasks": [{"name": "cups", "score": "binary"}]}) as (study, url):
        phone = phone_of(browser, study, url)
        phone.evaluate(SLOW_SECOND_ANSWER)
        phone.evaluate("() => [1, 2].forEach(() => document.getElementById('take').click())")
        first = code_of(phone)
        tap(phone, "Start", "Success")
        expect(phone.locator("#code")).not_to_have_text(first)
        phone.wait_for_function("() => window.lateAnswerCame")
        phone.wait_for_timeout(300)

        assert code_of(phone) != first


@pytest.mark.parametrize("hold", [600.0], indirect=True)
def test_a_late_answer_hides_no_trial_that_was_taken_back(browser: Browser, tmp_path: Path) -> None:
    with running(tmp_path, {"tasks": [{"name": "cups", "score": "binary"}]}) as (study, url):
        phone = phone_of(browser, study, url)
        phone.evaluate(SLOW_SECOND_ANSWER)
        first = take(phone)
        tap(phone, "Start", "Success", "Undo")
        phone.wait_for_function("() => window.lateAnswerCame")
        phone.wait_for_timeout(300)

        assert code_of(phone) == first


def test_a_trial_is_kept_once_it_has_begun_and_needed_when_its_time_is_over(
    browser: Browser, tmp_path: Path
) -> None:
    """Kept also after the timer was stopped: another station must not be given it meanwhile."""
    clock = Clock()  # which waits for the page, however slow it is
    with running(tmp_path, ONE, clock=clock) as (study, url):
        study.amend("quick", {"lease_minutes": 1 / 60})
        phone = phone_of(browser, study, url)
        take(phone)
        clock.time += 1.5
        assert study.holding("arm 1") is None
        with phone.expect_response(lambda answer: "whereabouts" in answer.url):
            study.create_token("viewer", "grace")  # so that the page looks again
        expect(phone.locator("#unneeded")).to_be_hidden()
        tap(phone, "Success")
        expect_trial(phone, 2)
        tap(phone, "Start", "Stop")
        while study.journal()[-1].kind != "started":
            phone.wait_for_timeout(10)
        for _ in range(3):
            clock.time += 0.7
            renewed = study.seq + 1
            while study.seq < renewed:
                phone.wait_for_timeout(10)
            assert study.holding("arm 1") is not None


def test_what_the_server_refuses_is_said_in_its_words(browser: Browser, tmp_path: Path) -> None:
    with running(tmp_path, ONE) as (study, url):
        study.next_trial("arm 1", who="ben")
        phone = phone_of(browser, study, url)
        tap(phone, "Next trial")
        said = "station 'arm 1' is in use: ben holds its trial"
        expect(phone.locator("#problem-text")).to_have_text(said)
        expect(phone.locator("#ready")).to_be_visible()


TWICE = "Is this station's link open in two places?"


def test_one_link_in_two_places(browser: Browser, tmp_path: Path) -> None:
    """What one phone does to their trial, the other says, and nothing counts twice."""
    with running(tmp_path, ONE) as (study, url):
        token = study.create_token("operator", "arm 1")
        one, other = (joined(browser, url, token, PHONE) for _ in range(2))
        take(one)
        take(other)
        given_back_elsewhere(study, one, other)
        take(one)
        take(other)
        scored_elsewhere(study, one, other)
        tap(other, "Next trial")
        expect_trial(other, 3)
        assert code_of(one) == code_of(other)
        scored_second(study, one, other)


def given_back_elsewhere(study: sw.Study, one: Page, other: Page) -> None:
    """It asks, says what it costs, and has a reason of its own."""
    tap(one, "Start")
    one.locator("#more summary").click()
    one.locator("#note").fill("a note is no reason")
    one.locator("#invalid summary").click()
    tap(one, "Give this trial back")
    expect(one.locator("#problem-text")).to_have_text("Choose a reason, or write one.")
    tap(one, "robot or camera fault")
    one.get_by_label("Reason").fill("the gripper was stuck")
    asked = answer_next(one, yes=False)
    tap(one, "Give this trial back")
    assert asked == [
        "Give trial 1 back? It has begun: unless the owner voids it, it counts as the worst "
        "score, 0."
    ]
    assert entries_of(study, "released") == []
    answer_next(one)
    tap(one, "Give this trial back")
    said = f"Trial 1 was already given back elsewhere. {TWICE}"
    expect(other.locator("#gone")).to_contain_text(said)
    expect(one.locator("#problem")).to_be_hidden()
    row = study.records().row(0, named=True)
    assert (row["score"], row["reason"]) == (0.0, "robot or camera fault: the gripper was stuck")
    tap(other, "Dismiss")


def scored_elsewhere(study: sw.Study, one: Page, other: Page) -> None:
    """It is not called unneeded."""
    tap(one, "Success")
    expect_stored(one, "Trial 2: success")
    gone = other.locator("#gone")
    expect(gone).to_contain_text(f"Trial 2 was already scored elsewhere. {TWICE}")
    expect(other.locator("#unneeded")).to_be_hidden()
    other.get_by_role("button", name="Failure").click(force=True)
    assert len(entries_of(study, "scored")) == 1

    study.void(2, "the cup was missing")
    expect(gone).to_contain_text("Trial 2 was voided")
    tap(other, "Dismiss")
    expect(other.locator("#ready")).to_be_visible()


def scored_second(study: sw.Study, one: Page, other: Page) -> None:
    """It is not stored, and the phone says why."""
    other.context.set_offline(True)
    tap(other, "Failure")
    tap(one, "Success")
    expect_stored(one, "Trial 3: success")
    other.context.set_offline(False)
    expect(other.locator("#problem-text")).to_have_text(
        f"Not stored: Trial 3 was already scored elsewhere. {TWICE} "
        "You had entered for trial 3: failure."
    )
    scores = [each["score"] for each in entries_of(study, "scored") if each["trial"] == 3]
    assert scores == [1.0]
