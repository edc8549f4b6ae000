"""The owner's page: the end first, wrong scores put right, the names at last; and the wall."""

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Route, ViewportSize, expect

import stopwise as sw
from stopwise.cli.demo import half_run
from tests.browser.phone import DESKTOP, PHONE, answer_next, entries_of, joined, picture, turn_to
from tests.browser.phone import take as take_trial
from tests.study.live import Clock, take
from tests.web.serving import CUPS, served

LEVELS = {
    "kind": "levels",
    "levels": [{"name": "failed", "value": 0}, {"name": "done", "value": 2}],
}
NUMBER = {"kind": "number", "low": 0, "high": 30, "step": 0.5, "unit": "cm"}
LAPTOP: ViewportSize = {"width": 1440, "height": 900}
SCREEN: ViewportSize = {"width": 1920, "height": 1080}
DARK = "rgb(11, 16, 20)"


Choose = Callable[[Locator], None]
# Of each task: its rubric, the answer that is wrong, how another is chosen, and that one.
RUBRICS: dict[str, tuple[Any, Any, Choose, Any]] = {
    "wipe": (
        "binary",
        True,
        lambda form: form.get_by_role("button", name="Failure").click(),
        False,
    ),
    "fold": (
        LEVELS,
        "failed",
        lambda form: form.get_by_role("button", name="done").click(),
        "done",
    ),
    "push": (NUMBER, 3.0, lambda form: form.get_by_role("spinbutton").fill("12.125"), 12.125),
}


def test_scores_are_corrected_and_trials_voided(browser: Browser, tmp_path: Path) -> None:
    """A trial is chosen from the list, which is live; what cannot be is said in one line."""
    tasks = [{"name": name, "score": score} for name, (score, *_) in RUBRICS.items()]
    plan = {"name": "s", "policies": ["old", "new"], "tasks": tasks}
    clock, japan = Clock(), {"timezone_id": "Asia/Tokyo", "locale": "en-GB"}
    with sw.Study.create(tmp_path / "study", plan, clock=clock) as study, served(study) as url:
        study.lock()
        scored: dict[str, int] = {}
        while set(scored) != set(RUBRICS):
            trial = take(study, "arm 1")
            scored[trial.task] = trial.trial
            study.record(trial.trial, RUBRICS[trial.task][1], station="arm 1")
        under_way = take(study, "arm 1")
        owner = joined(browser, url, study.create_token("owner", "ada"), PHONE, **japan)
        turn_to(owner, "Trials and journal")
        form = owner.locator("form[data-rubric]")
        said = form.locator(".form-state")
        expect(form.get_by_role("row").nth(2)).to_contain_text("15/11/2023, 07:13")
        what_is_refused(form, study, scored["push"], under_way.trial)
        for task, (_, _, choose, right) in RUBRICS.items():
            row = form.get_by_role("row").filter(
                has=owner.get_by_role("radio", name=f"Trial {scored[task]}, scored", exact=True)
            )
            row.get_by_role("cell", name="scored", exact=True).click()  # all of it can be tapped
            form.get_by_label("Reason").fill("mistaken")
            choose(form)
            form.get_by_role("button", name="Correct").dblclick()
            expect(said).to_have_text("Stored.")
            assert entries_of(study, "corrected")[-1]["answer"] == right
            again = form.get_by_role("radio", name=f"Trial {scored[task]}, scored, corrected")
            expect(again).to_be_disabled()
            expect(form.locator("input:checked, .choice")).to_have_count(0)
        assert len(entries_of(study, "corrected")) == len(RUBRICS)
        assert study.journal()[-1].who == "ada"
        journal = owner.locator("#live-journal")
        expect(journal).to_contain_text(f"trial {scored['wipe']} corrected: mistaken")
        what_is_voided(owner, form, study, under_way.trial)
        study.unblind(reason="done")
        owner.reload()
        expect(journal).to_be_visible()
        expect(form).to_have_count(0)


def what_is_refused(form: Locator, study: sw.Study, push: int, under_way: int) -> None:
    """A score out of range, a reason that is empty, and a trial that has no score."""
    button, said = form.get_by_role("button", name="Correct"), form.locator(".form-state")
    expect(button).to_be_disabled()
    form.get_by_role("radio", name=f"Trial {push}, scored").check()
    expect(form).to_contain_text(f"Trial {push} should have been")
    form.get_by_role("spinbutton").fill("31")
    expect(button).to_be_disabled()
    form.get_by_role("spinbutton").fill("3")
    button.click()  # without a reason the browser itself asks for one
    expect(said).to_be_empty()
    form.get_by_label("Reason").fill(" ")
    button.click()
    expect(said).to_have_text("correcting a score needs a reason")
    form.get_by_role("radio", name=f"Trial {under_way}, under way").check()
    expect(form.get_by_role("spinbutton")).to_have_count(0)
    expect(button).to_be_disabled()
    assert entries_of(study, "corrected") == []


def what_is_voided(owner: Page, form: Locator, study: sw.Study, trial: int) -> None:
    """The choice stays while the list changes; the place of the trial may stay empty."""
    form.get_by_role("radio", name=f"Trial {trial}, under way").check()
    task = study.trial_lines(1)[0].task
    study.record(trial, RUBRICS[task][1], station="arm 1")
    expect(form.get_by_role("radio", name=f"Trial {trial}, scored", exact=True)).to_be_checked()
    form.get_by_label("Reason").fill("camera was unplugged")
    for button, asked in (
        ("Void", f"Void trial {trial}? It will not count, and will be run again."),
        (
            "Void for good",
            f"Void trial {trial} for good? It will not count, and will not be run again: its "
            "place stays empty.",
        ),
    ):
        with owner.expect_event("dialog") as dialog:
            owner.once(
                "dialog", lambda one: one.accept() if "good" in one.message else one.dismiss()
            )
            form.get_by_role("button", name=button, exact=True).click()
        assert dialog.value.message == asked
    expect(form.get_by_role("radio", name=f"Trial {trial}, voided")).to_be_disabled()
    assert [(each["trial"], each["redraw"]) for each in entries_of(study, "voided")] == [
        (trial, False)
    ]


SIZES = """() => [...document.querySelectorAll("body *")]
    .filter((one) => one.checkVisibility() && [...one.childNodes].some(
        (part) => part.nodeType === 3 && part.textContent.trim()))
    .map((one) => {
        const size = parseFloat(getComputedStyle(one).fontSize);
        const scale = one.ownerSVGElement ? one.getScreenCTM().a : 1;
        return (size * scale) / innerHeight;
    })"""


def test_a_study_under_way(browser: Browser, tmp_path: Path) -> None:
    """The owner reads when it ends, a viewer and the wall see it grow, then the names come."""
    with half_run(tmp_path / "cups") as study, served(study) as url:
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        viewer = joined(browser, url, study.create_token("viewer", "grace"), PHONE)
        end = owner.locator("#live-evidence > :first-child")
        expect(end).to_contain_text(re.compile(r"About \d+ more trials, [\d.]+ (hours|minutes)"))
        expect(end).to_contain_text(re.compile(r"50 of about \d+ trials, \d+ at most"))
        expect(viewer.locator(".end")).to_contain_text("more trials")
        expect(viewer.locator(".numbers")).to_contain_text("50")
        older_trials_are_fetched(owner)
        picture(owner, "study-owner")
        picture(viewer, "study-viewer")
        held = study.holding("arm 2")
        assert held is not None
        study.record(held.trial, [], station="arm 2")
        expect(end).to_contain_text("51 of about")
        expect(owner.locator(f'.end[data-seq="{study.seq}"]')).to_have_count(1)
        one_more_by_a_phone(browser, study, url)
        for page in (owner, viewer):
            expect(page.locator(".numbers")).to_contain_text("52")
        expect(owner.locator("#live-people")).to_contain_text("arm 3")
        assert "vla-large" not in owner.content() + viewer.content()
        the_wall_is_read_from_afar(viewer, study)
        unblinding_leads_to_the_names(owner)


def older_trials_are_fetched(owner: Page) -> None:
    turn_to(owner, "Trials and journal")
    trials = owner.locator("form[data-rubric]").get_by_role("radio")
    expect(trials).to_have_count(50)
    owner.get_by_role("button", name="Older trials").click()
    expect(trials).to_have_count(52)
    expect(owner.get_by_role("button", name="Older trials")).to_have_count(0)
    turn_to(owner, "Progress")


def one_more_by_a_phone(browser: Browser, study: sw.Study, url: str) -> None:
    phone = joined(browser, url, study.create_token("operator", "arm 3"), PHONE)
    take_trial(phone)
    phone.get_by_role("button", name="cup reached").click()
    phone.get_by_role("button", name="dropped").click()
    phone.locator("#timer").click()
    picture(phone, "study-operator")
    phone.locator("#save").click()
    expect(phone.locator("#last-state")).to_have_text("Stored.")
    assert "vla-large" not in phone.content()
    phone.context.close()


def the_wall_is_read_from_afar(viewer: Page, study: sw.Study) -> None:
    viewer.get_by_role("link", name="Wall").click()
    for size in (LAPTOP, SCREEN):
        viewer.set_viewport_size(size)
        expect_readable(viewer, curves=3)
    trial = take(study, "arm 1")
    study.start(trial.trial, station="arm 1")
    expect(viewer.locator(".stations")).to_contain_text(f"arm 1 trial {trial.trial}, running")
    picture(viewer, "study-wall")
    study.record(trial.trial, [], station="arm 1")
    expect(viewer.locator(".end")).to_contain_text("53 of about")
    expect(viewer.locator(".stations")).to_have_text("arm 3 trial 54")
    assert "vla-large" not in viewer.content()


def unblinding_leads_to_the_names(owner: Page) -> None:
    """Its button is apart from the others."""
    owner.set_viewport_size(PHONE)
    unblind, log = (owner.get_by_role("button", name=name) for name in ("Unblind", "Amend"))
    ground = "element => getComputedStyle(element).backgroundColor"
    assert unblind.evaluate(ground) != log.evaluate(ground)
    gap = "(one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top"
    assert unblind.evaluate(gap, log.element_handle()) > 200
    expect(owner.locator("#progress > :last-child")).to_contain_text("Reveals the policy names")
    asked = answer_next(owner)
    unblind.press("Enter")
    assert asked == ["The study is not finished. Unblind it for good?"]
    names = owner.locator("#names")
    expect(names).to_be_focused()
    for name in ("diffusion-v1", "flow-v2", "vla-large"):
        expect(names.get_by_text(name)).to_be_in_viewport()
    expect(owner.locator(".verdict")).to_contain_text("flow-v2")
    expect(owner.locator(".verdict")).to_be_in_viewport()
    expect(names).to_be_focused()


def expect_readable(wall: Page, *, curves: int) -> None:
    """Expect large letters, light on dark, all on one screen and nothing to operate."""
    expect(wall.locator("html[data-ready]")).to_have_count(1)
    expect(wall.locator(".lead")).to_contain_text("more trials")
    expect(wall.locator(".verdict")).to_contain_text("pairs decided")
    expect(wall.locator("polyline")).to_have_count(curves)
    assert min(wall.evaluate(SIZES)) >= 1 / 30
    assert wall.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    expect(wall.locator(":is(button, input, select, a):visible")).to_have_count(0)
    assert wall.evaluate("() => getComputedStyle(document.body).backgroundColor") == DARK


def test_an_owner_is_told_before_it_is_too_late(browser: Browser, tmp_path: Path) -> None:
    """From the draft to the invitation: each page says what would otherwise be found out later."""
    with sw.Study.create(tmp_path / "cups", CUPS) as study, served(study) as url:
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        expect(owner.locator("#live-summary")).to_contain_text(
            "2 policies × 40 trials = at most 80 trials, about 4 hours"
        )
        a_draft_asks_before_it_is_left(owner)
        owner.once("dialog", lambda dialog: dialog.accept())
        owner.get_by_role("button", name="Save and lock").click()
        expect(owner.locator("#draft")).to_have_count(0)
        owner.get_by_text("Read it").click()
        expect(owner.locator("#plan pre")).to_contain_text("stack the cups")

        turn_to(owner, "People")
        expect(owner.get_by_role("row", name="ada yours")).to_have_count(1)
        owner.get_by_label("Name").fill("arm 1")
        owner.get_by_role("button", name="Make a link").click()
        notice = owner.locator(".new-token .notice")
        expect(notice).to_be_visible()
        expect(notice).to_contain_text("This link works on this computer only. For phones")
        token = owner.locator(".token-link").input_value().partition("#")[2]
        phone = joined(browser, url, token, PHONE)
        asked = answer_next(owner)
        owner.get_by_role("row", name="arm 1").get_by_role("button", name="revoke").click()
        expect(phone.locator("#problem-text")).to_contain_text("This link was revoked")
        assert asked == ["Revoke the link of arm 1 (operator)? It ends at once."]

        turn_to(owner, "Trials and journal")
        owner.get_by_role("button", name="Show the hash to write down").click()
        said = owner.get_by_role("status").filter(has_text="Write down")
        expect(said).to_be_visible()
        [shown] = re.findall("[0-9a-f]{32}", said.inner_text())
        assert shown in {entry.hash[:32] for entry in study.journal()}
        a_report_shows_that_it_is_on_its_way(owner)


def a_draft_asks_before_it_is_left(owner: Page) -> None:
    editor = owner.get_by_label("The text of study.yaml")
    kept = editor.input_value()
    editor.click()
    editor.press_sequentially(" ")
    with owner.expect_event("dialog") as dialog:
        owner.once("dialog", lambda one: one.accept())
        owner.reload()
    assert dialog.value.type == "beforeunload"
    expect(editor).to_have_value(kept)
    expect(owner.locator("html[data-ready]")).to_have_count(1)


def a_report_shows_that_it_is_on_its_way(owner: Page) -> None:
    let_go = threading.Event()

    def later(route: Route) -> None:
        expect(owner.locator("#report")).to_have_text(re.compile(r"Report: [1-9]\d* s…"))
        let_go.set()
        route.abort()

    owner.route("**/api/report", later)
    owner.locator("#report").click()
    expect(owner.locator("#connection")).to_have_text("no connection")
    expect(owner.locator("#report")).to_have_text("Report")
    assert let_go.is_set()
