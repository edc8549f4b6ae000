"""A whole study in the browser: two operators, partial credit, a dropped connection, a verdict."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect

import stopwise as sw
from stopwise.web import site
from tests.browser.phone import DESKTOP, PHONE, code_of, joined, picture, ready, turn_to, undo
from tests.web.serving import CUPS, served

MILESTONES = [step["name"] for step in CUPS["tasks"][0]["score"]["milestones"]]


@pytest.fixture(autouse=True)
def analysed_here() -> None:
    """Here the study is analysed beside the server, as for users."""


def score(page: Page, reached: int) -> None:
    """Tick the last milestone that was reached, and save."""
    page.get_by_role("button", name=MILESTONES[reached - 1]).click()
    page.locator("#save").click()


def reached_by(study: sw.Study, code: str) -> int:
    """Score of the policy behind a code in this simulated lab."""
    return 4 if study.resolve(code).policy == "flow-v2" else 1


def test_a_study_from_the_draft_to_the_report(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = sw.Study.create(tmp_path / "cups", {**CUPS, "alpha": 0.5})  # over after few trials
    with served(study) as url:
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        lock_in_the_editor(owner)
        assert study.plan.n_max == 30

        phones = [invited(browser, owner, "arm 1")]
        with monkeypatch.context() as patch:
            patch.setattr(site, "UNDO_SECONDS", 600.0)  # long enough for any machine
            phones.append(invited(browser, owner, "arm 2"))
        for phone in phones:
            phone.get_by_role("button", name="Next trial").click()
        through_a_dropped_connection(study, phones[0])
        undo_and_score_again(study, phones[1])
        until_done(study, phones)

        turn_to(owner, "Progress")
        expect(owner.locator("#live-evidence")).to_contain_text("Finished")
        assert "flow-v2" not in owner.locator("#live-evidence").inner_text()
        owner.once("dialog", lambda dialog: dialog.accept())
        owner.get_by_role("button", name="Unblind").press("Enter")  # the page may move
        expect(owner.locator("#live-evidence")).to_contain_text("flow-v2 > diffusion-v1")
        picture(owner, "study-unblinded")
        owner.get_by_role("link", name="Report").click()
        expect(owner.locator(".verdict")).to_contain_text("flow-v2 is better than diffusion-v1")
    assert study.verdict().finished
    assert all(entry.who != "" for entry in study.journal())


def lock_in_the_editor(owner: Page) -> None:
    editor = owner.get_by_label("The text of study.yaml")
    good = editor.input_value()
    editor.fill(good.replace("n_max: 40", "n_max: many"))
    owner.get_by_role("button", name="Save the draft").click()
    expect(owner.locator("#draft .form-state")).to_contain_text("n_max")
    expect(owner.locator("#draft .form-state")).to_contain_text("line ")
    editor.fill(good.replace("n_max: 40", "n_max: 2"))
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        (dialog.accept if len(asked) == 1 else dialog.dismiss)()

    owner.on("dialog", answer)
    owner.get_by_role("button", name="Save and lock").click()
    expect(owner.locator("#draft .form-state")).to_contain_text("n_max = 2 is too small for alpha")
    assert "n_max = 2 is too small" in asked[1]
    owner.remove_listener("dialog", answer)
    editor.fill(good.replace("n_max: 40", "n_max: 30"))
    owner.once("dialog", lambda dialog: dialog.accept())
    owner.get_by_role("button", name="Save and lock").click()
    expect(owner.locator("#draft")).to_have_count(0)
    ready(owner)


def invited(browser: Browser, owner: Page, name: str) -> Page:
    """Let the owner make a link and a phone follow it."""
    turn_to(owner, "People")
    owner.get_by_label("Name").fill(name)
    owner.get_by_role("button", name="Make a link").click()
    expect(owner.locator("#live-people")).to_contain_text(name)
    expect(owner.locator(".new-token img")).to_be_visible()
    link = owner.locator(".token-link").input_value()
    url, _, token = link.partition("/join#")
    return joined(browser, url, token, PHONE)


def through_a_dropped_connection(study: sw.Study, phone: Page) -> None:
    context: BrowserContext = phone.context
    code = code_of(phone)
    phone.get_by_role("button", name="Start").click()
    before = study.status().scored
    context.set_offline(True)
    phone.get_by_text("Add a note").click()
    phone.get_by_label("Note").fill("the cable was loose")
    score(phone, reached_by(study, code))
    expect(phone.locator("#connection")).to_have_text("waiting for connection")
    picture(phone, "study-offline")
    assert study.status().scored == before

    context.set_offline(False)
    expect(phone.locator("#last-state")).to_have_text("Stored.")
    expect(phone.locator("#connection")).to_have_text("connected")
    notes = [entry.content["note"] for entry in study.journal() if entry.kind == "scored"]
    assert notes == ["the cable was loose"]


def undo_and_score_again(study: sw.Study, phone: Page) -> None:
    code = code_of(phone)
    reached = reached_by(study, code)
    score(phone, reached + 1 if reached == 1 else 1)
    undo(phone)
    expect(phone.locator("#code")).to_have_text(code)
    phone.get_by_role("button", name="None of these").click()
    score(phone, reached)
    shown = phone.locator(f"{TRIAL} #code")
    expect(shown.filter(has_text=re.compile(f"^{code}$"))).to_have_count(0)
    phone.get_by_role("button", name="Start").click()  # what is held is sent with it
    expect(phone.locator("#last-state")).to_have_text("Stored.")
    phone.reload()  # from now on nothing is held
    ready(phone)
    assert study.status().scored == 2
    kinds = [entry.kind for entry in study.journal()]
    assert kinds.count("corrected") == 0


def until_done(study: sw.Study, phones: list[Page]) -> None:
    """Go on in turn until both phones say that it is over."""
    while not study.finished:
        for phone in phones:
            if study.finished:
                break  # the pages say so by themselves
            if phone.locator("#code").is_visible():
                score(phone, reached_by(study, phone.locator("#code").inner_text()))
                expect(phone.locator("#connection")).to_have_text("connected")
                expect(phone.locator("#stage.busy")).to_have_count(0)
    for phone in phones:
        expect(phone.locator("#done")).to_contain_text("This comparison is done: stop.")
    picture(phones[0], "study-done")


COUNT = "() => { window.taps = 0; addEventListener('click', () => window.taps++, true); }"
TRIAL = "#trial:not([hidden]):not([inert])"
CHOOSING = 2  # taps: to open the list of tasks, and to choose


def test_a_trial_takes_three_taps_at_most(browser: Browser, tmp_path: Path) -> None:
    """A whole study of success or failure, with the clock and a choice of task, as users tap."""
    plan = {"name": "taps", "policies": ["old", "new"], "alpha": 0.2, "n_max": 30}
    tasks = ["stack", "pour"]
    with sw.Study.create(tmp_path / "study", {**plan, "tasks": tasks}) as study:
        with served(study) as url:
            owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
            owner.once("dialog", lambda dialog: dialog.accept())
            owner.get_by_role("button", name="Save and lock").click()
            expect(owner.locator("#draft")).to_have_count(0)
            phones = [
                joined(browser, url, study.create_token("operator", f"arm {task}"), PHONE)
                for task in tasks
            ]
            for task, phone in zip(tasks, phones, strict=True):
                phone.evaluate(COUNT)
                phone.get_by_label("Task of the next trial").select_option(task)
                phone.get_by_role("button", name="Next trial").click()
                expect(phone.locator(TRIAL)).to_be_visible()
            while not study.finished:
                for phone in phones:
                    if phone.locator(TRIAL).is_visible():
                        one_trial(study, phone)
            expect(owner.locator("#live-evidence")).to_contain_text("Finished")
            taps = sum(phone.evaluate("() => window.taps") for phone in phones)
        trials = study.status().scored
    assert trials >= 10
    assert (taps + CHOOSING * len(phones)) / trials <= 3.0, (taps, trials)


def one_trial(study: sw.Study, phone: Page) -> None:
    """Start the clock, and say how it went; the next trial, or the end, appears by itself."""
    code = code_of(phone)
    phone.get_by_role("button", name="Start").click()
    good = study.resolve(code).policy == "new"
    phone.get_by_role("button", name="Success" if good else "Failure").click()
    shown = phone.locator(f"{TRIAL} #code")
    expect(shown.filter(has_text=re.compile(f"^{code}$"))).to_have_count(0)
