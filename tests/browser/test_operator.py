"""The operator's page: every kind of rubric, and what a phone keeps when it is closed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import stopwise as sw
from stopwise.web.links import join_link
from tests.browser.phone import PHONE, code_of, joined, picture, ready, undo
from tests.study.live import Clock
from tests.study.runners import free_port
from tests.web.serving import served

LEVELS = {
    "kind": "levels",
    "levels": [{"name": "failed", "value": 0}, {"name": "done", "value": 2}],
}
NUMBER = {"kind": "number", "low": 0, "high": 30, "step": 0.5, "unit": "cm"}
WITHOUT_STEP = {"kind": "number", "low": 0, "high": 30, "unit": "cm"}
EVIL = "<img src=x onerror=alert(1)>"


def one_task(folder: Path, score: Any, clock: Clock | None = None) -> sw.Study:
    task = {"name": EVIL, "instructions": EVIL, "score": score}
    plan = {"name": EVIL, "policies": ["old", "new"], "tasks": [task]}
    study = sw.Study.create(folder, plan, clock=clock)
    study.lock()
    return study


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
    page.get_by_role("button", name="30 cm").click()
    expect(field).to_have_value("30")
    field.fill("10.0625")
    expect(page.get_by_label("Slider")).to_have_js_property("value", "10.2")  # its nearest step


Touch = Callable[[Page], None]
RUBRICS: list[tuple[Any, Touch, float]] = [
    ("binary", lambda page: page.get_by_role("button", name="Failure").click(), 0.0),
    (LEVELS, lambda page: page.get_by_role("button", name="done").click(), 2.0),
    (NUMBER, slide, 12.5),
    (WITHOUT_STEP, measure, 10.0625),
]


def test_each_rubric_is_stored_as_it_was_touched(browser: Browser, tmp_path: Path) -> None:
    """Names that are HTML are shown as text; the page would fail on the alert."""
    rubrics = {f"{EVIL}{number}": rubric for number, rubric in enumerate(RUBRICS)}
    tasks = [
        {"name": name, "instructions": EVIL, "score": score}
        for name, (score, _, _) in rubrics.items()
    ]
    plan = {"name": EVIL, "policies": ["old", "new"], "tasks": tasks}
    with sw.Study.create(tmp_path / "study", plan) as study, served(study) as url:
        study.lock()
        phone = joined(browser, url, study.create_token("operator", "arm 1"), PHONE)
        phone.on("dialog", lambda _: pytest.fail("a script of the plan ran"))
        expected: list[float] = []
        met: set[str] = set()
        while met != set(rubrics):
            phone.get_by_role("button", name="Next trial").click()
            expect(phone.locator("#trial-number")).to_have_text(f"trial {len(expected) + 1}")
            code_of(phone)
            task = phone.locator("#task").inner_text()
            _, touch, stored = rubrics[task]
            expect(phone.locator("#save")).to_be_disabled()
            touch(phone)
            phone.locator("#save").click()
            expected.append(stored)
            met.add(task)
            said = f"Trial {len(expected)} saved: score {stored:g}"
            expect(phone.locator("#saved-text")).to_have_text(said)
            expect(phone.locator("#saved-state")).to_have_text("Stored.")
        phone.context.close()
        assert [e.content["score"] for e in study.journal() if e.kind == "scored"] == expected


def test_two_trials_are_run_and_one_answer_is_given(browser: Browser, tmp_path: Path) -> None:
    plan = {
        "name": "Shirts",
        "policies": ["diffusion-v1", "flow-v2"],
        "tasks": [{"name": "fold", "score": "preference"}],
        "design": "blocks",
    }
    study = sw.Study.create(tmp_path / "study", plan)
    study.lock()
    with study, served(study) as url:
        phone = joined(browser, url, study.create_token("operator", "arm 1"), PHONE)
        phone.get_by_role("button", name="Next trial").click()
        first = code_of(phone)
        expect(phone.locator("#question")).to_have_text("First of two: watch how it goes.")
        expect(phone.locator("#save")).to_be_disabled()
        phone.get_by_role("button", name="It is over").click()
        phone.locator("#save").click()
        expect(phone.locator("#saved-text")).to_have_text(
            "Trial 1 saved: now run the second, to be compared with it"
        )
        expect(phone.locator("#saved-state")).to_have_text("Stored.")
        phone.get_by_role("button", name="Next trial").click()
        expect(phone.locator("#question")).to_have_text("Which of the two was better?")
        phone.reload()
        ready(phone)
        expect(phone.get_by_role("button", name="The first")).to_contain_text(first)
        picture(phone, "preference")
        phone.get_by_role("button", name="The first").click()
        phone.locator("#save").click()
        expect(phone.locator("#saved-text")).to_have_text("Trial 2 saved: the first was better")
        expect(phone.locator("#saved-state")).to_have_text("Stored.")
        assert not any(name in phone.content() for name in ("diffusion-v1", "flow-v2"))
        phone.context.close()
        assert study.records()["score"].to_list() == [1.0, 0.0]
        assert study.verdict().tasks[0].rows == 1


def score_without_connection(phone: Page) -> None:
    """Take a trial, lose the connection, and save a success, which waits."""
    phone.get_by_role("button", name="Next trial").click()
    code_of(phone)
    phone.context.set_offline(True)
    phone.get_by_role("button", name="Success").click()
    phone.locator("#save").click()
    expect(phone.locator("#connection")).to_have_text("waiting for connection")


@pytest.mark.parametrize("hold", [600.0], indirect=True)
def test_a_score_is_taken_back_before_it_is_sent(browser: Browser, tmp_path: Path) -> None:
    """Then nobody ever learns of it; what is sent is final, also for a phone that was closed."""
    with one_task(tmp_path / "study", "binary") as study, served(study) as url:
        phone = joined(browser, url, study.create_token("operator", "arm 1"), PHONE)
        phone.get_by_role("button", name="Next trial").click()
        code_of(phone)
        phone.get_by_text("Add a note").click()
        phone.get_by_label("Note").fill("wobbly")
        phone.get_by_role("button", name="Success").click()
        phone.locator("#save").click()
        expect(phone.locator("#connection")).to_have_text("kept here")
        undo(phone)
        expect(phone.locator("#save")).to_be_disabled()
        expect(phone.get_by_label("Note")).to_have_value("wobbly")
        phone.get_by_role("button", name="Failure").click()
        phone.locator("#save").click()
        context = phone.context
        phone.close()
        again = context.new_page()
        again.goto(f"{url}/operate")
        expect(again.locator("#undo")).to_be_visible()
        assert study.status().scored == 0
        context.set_offline(True)
        again.get_by_role("button", name="Next trial").click()
        expect(again.locator("#problem-text")).to_contain_text("is kept on this device")
        context.set_offline(False)
        expect(again.locator("#trial-number")).to_have_text("trial 2")
        scored = [entry.content for entry in study.journal() if entry.kind == "scored"]
        assert [(each["score"], each["note"]) for each in scored] == [(0.0, "wobbly")]
        assert "undone" not in [entry.kind for entry in study.journal()]
        context.close()


def test_what_was_not_sent_never_reaches_another_study(browser: Browser, tmp_path: Path) -> None:
    """A score queued for trial 1 of one study must not become that of trial 1 of the next."""
    port = free_port()  # or someone else may be given it meanwhile
    with one_task(tmp_path / "first", "binary") as study, served(study, port) as url:
        phone = joined(browser, url, study.create_token("operator", "arm 1"), PHONE)
        score_without_connection(phone)
    with one_task(tmp_path / "second", "binary") as other, served(other, port):
        other.next_trial("arm 1")
        phone.context.set_offline(False)
        phone.goto(join_link(url, other.create_token("operator", "arm 1")))
        expect(phone.locator("#stage")).to_have_attribute("data-section", "ready")
        phone.wait_for_timeout(1500)
        assert other.status().scored == 0
        phone.context.close()


def test_a_trial_is_kept_once_it_has_begun_and_needed_when_its_time_is_over(
    browser: Browser, tmp_path: Path
) -> None:
    """Kept also after the timer was stopped: another station must not be given it meanwhile."""
    clock = Clock()  # which waits for the page, however slow it is
    with one_task(tmp_path / "study", "binary", clock) as study, served(study) as url:
        study.amend("quick", {"lease_minutes": 1 / 60})
        phone = joined(browser, url, study.create_token("operator", "arm 1"), PHONE)
        phone.get_by_role("button", name="Next trial").click()
        code_of(phone)
        clock.time += 1.5
        assert study.holding("arm 1") is None
        with phone.expect_response(lambda answer: "whereabouts" in answer.url):
            study.create_token("viewer", "grace")  # so that the page looks again
        phone.get_by_role("button", name="Success").click()
        expect(phone.locator("#unneeded")).to_be_hidden()
        phone.locator("#save").click()
        expect(phone.locator("#saved-state")).to_have_text("Stored.")

        phone.get_by_role("button", name="Next trial").click()
        expect(phone.locator("#trial-number")).to_have_text("trial 2")
        phone.locator("#timer").click()
        phone.locator("#timer").click()
        while study.journal()[-1].kind != "started":
            phone.wait_for_timeout(10)
        for _ in range(3):
            clock.time += 0.7
            renewed = study.seq + 1
            while study.seq < renewed:
                phone.wait_for_timeout(10)
            assert study.holding("arm 1") is not None
        phone.context.close()


TWICE = "Is this station's link open in two places?"


def test_one_link_in_two_places(browser: Browser, tmp_path: Path) -> None:
    """What one phone does to their trial, the other says, and nothing counts twice."""
    with one_task(tmp_path / "study", "binary") as study, served(study) as url:
        token = study.create_token("operator", "arm 1")
        one, other = joined(browser, url, token, PHONE), joined(browser, url, token, PHONE)
        take(one, other)
        given_back_elsewhere(study, one, other)
        take(one, other)
        scored_elsewhere(study, one, other)
        take(one, other)
        scored_second(study, one, other)
        for phone in (one, other):
            phone.context.close()


def take(one: Page, other: Page) -> None:
    """Take a trial: the same on both."""
    for phone in (one, other):
        phone.get_by_role("button", name="Next trial").click()
    assert code_of(one) == code_of(other)


def given_back_elsewhere(study: sw.Study, one: Page, other: Page) -> None:
    one.locator("#timer").click()
    one.locator("#invalid summary").click()
    one.locator("#give-back").click()
    expect(one.locator("#problem-text")).to_have_text("Choose a reason, or say why in the note.")
    expect(one.locator("#given-back")).to_contain_text("counts as the worst score")
    one.get_by_role("button", name="robot or camera fault").click()
    one.locator("#more summary").click()
    one.locator("#note").fill("the gripper was stuck")
    one.locator("#give-back").click()
    said = f"Trial 1 was already given back elsewhere. {TWICE}"
    expect(other.locator("#gone")).to_contain_text(said)
    expect(one.locator("#problem")).to_be_hidden()
    row = study.records().row(0, named=True)
    assert (row["score"], row["reason"]) == (0.0, "robot or camera fault: the gripper was stuck")
    other.get_by_role("button", name="Dismiss").click()


def scored_elsewhere(study: sw.Study, one: Page, other: Page) -> None:
    """It is not called unneeded."""
    other.get_by_role("button", name="Failure").click()
    one.get_by_role("button", name="Success").click()
    one.locator("#save").click()
    expect(one.locator("#saved-state")).to_have_text("Stored.")
    gone = other.locator("#gone")
    expect(gone).to_contain_text(f"Trial 2 was already scored elsewhere. {TWICE}")
    expect(other.locator("#unneeded")).to_be_hidden()
    expect(other.locator("#save")).to_be_disabled()

    study.undo(2, reason="tapped wrongly")
    expect(gone).to_be_hidden()
    expect(other.locator("#save")).to_be_enabled()

    study.void(2, "the cup was missing")
    expect(gone).to_contain_text("The owner voided trial 2: it does not count.")
    other.get_by_role("button", name="Dismiss").click()
    expect(other.locator("#ready")).to_be_visible()


def scored_second(study: sw.Study, one: Page, other: Page) -> None:
    """It is not stored, and the phone says why."""
    other.context.set_offline(True)
    for phone, outcome in ((other, "Failure"), (one, "Success")):
        phone.get_by_role("button", name=outcome).click()
        phone.locator("#save").click()
    expect(one.locator("#saved-state")).to_have_text("Stored.")
    other.context.set_offline(False)
    expect(other.locator("#problem-text")).to_have_text(
        f"Not stored: Trial 3 was already scored elsewhere. {TWICE} "
        "You had entered for trial 3: failure."
    )
    scored = [entry.content for entry in study.journal() if entry.kind == "scored"]
    assert [each["score"] for each in scored if each["trial"] == 3] == [1.0]
