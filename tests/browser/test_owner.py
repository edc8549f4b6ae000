"""The owner's page: a score that was entered wrongly is put right."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import stopwise as sw
from stopwise.web import evidence_cache
from tests.browser.phone import DESKTOP, PHONE, joined
from tests.web.serving import CUPS, served

LEVELS = {
    "kind": "levels",
    "levels": [{"name": "failed", "value": 0}, {"name": "done", "value": 2}],
}
NUMBER = {"kind": "number", "low": 0, "high": 30, "step": 0.5, "unit": "cm"}


def form_of(owner: Page) -> Locator:
    return owner.locator("section", has=owner.get_by_role("heading", name="Correct a score"))


def entries_of(study: sw.Study, kind: str) -> list[dict[str, Any]]:
    return [entry.content for entry in study.journal() if entry.kind == kind]


def score_one(study: sw.Study, answer: Any) -> None:
    """Store the score of the first trial; the second is under way."""
    study.lock()
    trial = study.next_trial("arm 1")
    assert trial is not None
    study.record(trial.trial, answer, station="arm 1")
    study.next_trial("arm 1")


def test_a_wrong_score_is_corrected(browser: Browser, tmp_path: Path) -> None:
    with sw.Study.create(tmp_path / "cups", CUPS) as study, served(study) as url:
        score_one(study, ["cup reached", "cup grasped", "cup lifted"])
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        form = form_of(owner)
        button = form.get_by_role("button", name="Correct", exact=True)
        expect(button).to_be_disabled()
        form.get_by_label("Trial").fill("9")
        expect(form.get_by_role("status")).to_have_text("there is no trial 9")
        form.get_by_label("Trial").fill("1")
        expect(form).to_contain_text("Trial 1 should have been")
        expect(form.locator(".form-state")).to_be_empty()
        form.get_by_role("button", name="cup reached").click()

        button.click()  # without a reason the browser itself asks for one
        assert entries_of(study, "undone") == []
        form.get_by_label("Reason").fill(" ")
        button.click()
        expect(form.get_by_role("status")).to_have_text("correcting a score needs a reason")
        form.get_by_label("Reason").fill("tapped three instead of one")
        button.dblclick()
        expect(form.get_by_role("status")).to_have_text("Stored.")

        journal = owner.locator("#live-journal")
        expect(journal).to_contain_text("score of trial 1 withdrawn: tapped three instead of one")
        expect(journal).to_contain_text("trial 1 rescored")
        expect(form.get_by_label("Trial")).to_have_value("")
        expect(form.locator(".choice")).to_have_count(0)
        expect(button).to_be_disabled()
        assert len(entries_of(study, "undone")) == 1
        assert entries_of(study, "scored")[-1]["answer"] == ["cup reached"]
        assert study.journal()[-1].who == "ada"
        assert "flow-v2" not in owner.locator("main").inner_text()
        owner.context.close()


def test_the_names_come_though_the_evidence_is_behind(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server at work shows what it last found: the page asks again until it has the newest."""
    monkeypatch.setattr(evidence_cache, "REST", 200.0)  # seconds, for what takes some 20 ms
    with sw.Study.create(tmp_path / "cups", CUPS) as study, served(study) as url:
        score_one(study, [])
        study.record(2, ["cup reached"], station="arm 1")
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        expect(owner.locator("#live-evidence")).to_contain_text("until you unblind")
        owner.once("dialog", lambda dialog: dialog.accept())
        owner.get_by_role("button", name="Unblind").press("Enter")
        expect(owner.locator("#live-evidence")).to_contain_text("Unblinded.")
        expect(owner.locator("#live-evidence")).to_contain_text("flow-v2")
        owner.context.close()


@pytest.mark.parametrize(
    ("score", "wrong", "choose", "right"),
    [
        ("binary", True, lambda form: form.get_by_role("button", name="Failure").click(), False),
        (LEVELS, "failed", lambda form: form.get_by_role("button", name="done").click(), "done"),
        (NUMBER, 3.0, lambda form: form.get_by_label("Score").fill("12.125"), 12.125),
    ],
    ids=["binary", "levels", "number"],
)
def test_each_rubric_is_corrected(
    browser: Browser, tmp_path: Path, score: Any, wrong: Any, choose: Any, right: Any
) -> None:
    plan = {"name": "s", "policies": ["old", "new"], "tasks": [{"name": "reach", "score": score}]}
    with sw.Study.create(tmp_path / "study", plan) as study, served(study) as url:
        score_one(study, wrong)
        owner = joined(browser, url, study.create_token("owner", "ada"), PHONE)
        form = form_of(owner)
        form.get_by_label("Trial").fill("1")
        form.get_by_label("Reason").fill("mistaken")
        choose(form)
        form.get_by_role("button", name="Correct", exact=True).click()
        expect(form.get_by_role("status")).to_have_text("Stored.")
        assert entries_of(study, "scored")[-1]["answer"] == right
        owner.context.close()


def test_what_cannot_be_corrected_is_one_line(browser: Browser, tmp_path: Path) -> None:
    plan = {"name": "s", "policies": ["old", "new"], "tasks": [{"name": "reach", "score": NUMBER}]}
    with sw.Study.create(tmp_path / "study", plan) as study, served(study) as url:
        score_one(study, 3.0)
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        form = form_of(owner)
        button = form.get_by_role("button", name="Correct", exact=True)
        for trial, score, line in (
            ("1", "31", "the score must lie in [0, 30], but got 31.0"),
            ("2", "12", "trial 2 is leased, not scored"),
        ):
            form.get_by_label("Trial").fill(trial)
            form.get_by_label("Score").fill(score)
            form.get_by_label("Reason").fill("mistaken")
            button.click()
            expect(form.get_by_role("status")).to_have_text(line)
        assert entries_of(study, "undone") == []
        study.unblind(reason="done")
        owner.reload()
        expect(owner.get_by_role("heading", name="Amend")).to_be_visible()
        expect(form).to_have_count(0)
        owner.context.close()


def test_operators_and_viewers_are_offered_no_correction(browser: Browser, tmp_path: Path) -> None:
    with sw.Study.create(tmp_path / "cups", CUPS) as study, served(study) as url:
        score_one(study, [])
        for role in ("operator", "viewer"):
            page = joined(browser, url, study.create_token(role, role), PHONE)
            page.goto(f"{url}/owner")
            assert not page.url.endswith("/owner")
            expect(form_of(page)).to_have_count(0)
            page.context.close()
