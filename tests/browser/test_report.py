"""The report and the owner's page: no column of a table is out of sight, on any screen."""

from pathlib import Path
from typing import Literal

import numpy as np
from playwright.sync_api import Browser, Page, expect

import stopwise as sw
from tests.browser.phone import DESKTOP, joined, turn_to
from tests.study.live import score_one, take
from tests.web.serving import CUPS, served

HIDDEN = """() => [...document.querySelectorAll("td")].filter(cell => {
  const frame = cell.closest(".scroll").getBoundingClientRect();
  return cell.getBoundingClientRect().right > Math.min(frame.right, innerWidth) + 1;
}).map(cell => cell.textContent)"""


def shown(page: Page, table: int) -> str:
    """Return the first row of a table as a reader sees it, with the names of columns."""
    row = page.locator("table").nth(table).locator("tr:has(td)").first
    return " ".join(
        row.evaluate(
            """row => [...row.cells].map(cell =>
            getComputedStyle(cell, "::before").content.replace(/^none$|"/g, "") + cell.textContent
            ).join(" ")"""
        ).split()
    )


def test_all_columns_of_the_report_are_in_sight(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = ["paligemma_fast_specialist_droid", "paligemma_diffusion_droid", "paligemma_fast_droid"]
    analysis = sw.analyze({name: rng.random(20) for name in names}, n_max=20)
    (tmp_path / "report.html").write_text(analysis.to_html(), encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())

    assert page.locator("td").count() == 3 * 7 + 3 * 5
    for width in (360, 1100, 1400):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(HIDDEN) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") == width
        labelled = "anytime p: 1 after: 20 pairs" in shown(page, 1)
        assert labelled == (width == 360)
        assert page.locator("th").first.is_visible() == (width != 360)


SIZES: list[tuple[int, Literal["print", "screen"]]] = [
    (360, "screen"),
    (740, "screen"),
    (718, "print"),
]


def test_all_columns_of_a_study_are_in_sight(browser: Browser, tmp_path: Path) -> None:
    """What people took out or changed has ten columns; a sheet of A4 is 718 wide."""
    with sw.Study.create(tmp_path / "cups", CUPS) as study:
        study.lock()
        for number in range(12):
            who = ("ada.lovelace@robotics-lab", "grace")[number % 2]
            trial = take(study, "arm 1", who=who)
            study.start(trial.trial, station="arm 1")
            if number == 3:
                study.release(trial.trial, station="arm 1", reason="a cup fell", who=who)
            else:
                study.record(trial.trial, ["cup reached"], station="arm 1", who=who)
            if number == 4:
                study.void(trial.trial, reason="the camera was blocked")
        study.unblind(reason="done")
        (tmp_path / "report.html").write_text(study.report(), encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())

    titles = page.locator("h2").all_inner_texts()
    assert any(title.startswith("Selection, by operator") for title in titles)
    assert "Trials by operator" in titles
    for width, media in SIZES:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(media=media)
        assert page.evaluate(HIDDEN) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") == width


def test_all_columns_of_the_owner_are_in_sight(browser: Browser, tmp_path: Path) -> None:
    plan = {
        **CUPS,
        "policies": ["diffusion-policy-large-v1", "flow-matching-v2", "baseline"],
        "blinding": "none",
    }
    with sw.Study.create(tmp_path / "cups", plan) as study, served(study) as url:
        study.lock()
        for _ in range(9):
            score_one(study, ["cup reached"], "arm 1")
        study.amend("the camera was moved to another place after lunch, nobody knows by whom")
        token = study.create_token("owner", "ada")
        page = joined(browser, url, token, DESKTOP)

        expect(page.locator("#live-evidence")).to_contain_text("anytime p")
        assert page.locator(".journal td").count() >= 4 * 9
        for width, tab in ((360, "Progress"), (1100, "Trials and journal")):
            turn_to(page, tab)
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(HIDDEN) == []
        page.context.close()
