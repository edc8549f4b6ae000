"""What pages show of the evidence: by label, never waited for twice, found beside the server."""

import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import stopwise as sw
from stopwise.planning.forecast import forecast_study
from stopwise.web.analyst import WORK, Analyst
from stopwise.web.chart import chart_of
from stopwise.web.evidence import DRAWN, Shown
from stopwise.web.expected_end import ExpectedEnd, expected_end
from stopwise.web.latest import Latest
from tests.study.live import Clock, running, score_one, take
from tests.web.serving import served

MANY = {"policies": [f"p{number}" for number in range(8)], "tasks": ["stack", "pour"]}
PLAN: dict[str, Any] = {"name": "s", "policies": ["old", "new"], "tasks": ["stack"], "n_max": 30}
RATES = {"step 10k": 0.1, "step 20k": 0.2, "step 30k": 0.95, "step 40k": 0.3}


@pytest.fixture(autouse=True)
def analysed_here() -> None:
    """These tests are about the processes beside the server."""


@pytest.fixture
def many(tmp_path: Path) -> sw.Study:
    """A study of 28 pairs on each of two tasks."""
    study = sw.Study.create(
        tmp_path / "many", {"name": "many", "method": "wsr", "n_max": 4, **MANY}
    )
    study.lock()
    for number in range(32):
        trial = take(study)
        study.record(trial.trial, number % 3 == 0, station="left")
    return study


def test_another_process_finds_the_same(many: sw.Study) -> None:
    analyst = Analyst(many)
    try:
        assert analyst.do("evidence") == Shown.of(many)
        assert analyst.do("verdict") == many.verdict()
        score_one(many)
        assert analyst.do("evidence").seq == many.seq
        process = analyst._processes["evidence"]._running
        assert process is not None
        process.kill()
        process.wait()
        assert analyst.do("evidence").seq == many.seq  # another was started
    finally:
        analyst.close()


def test_an_error_there_is_an_error_here(tmp_path: Path) -> None:
    study = running(str(tmp_path / "study"), 0)
    analyst = Analyst(study)
    try:
        with pytest.raises(sw.NotAllowed) as here:
            study.report()
        with pytest.raises(sw.NotAllowed) as there:
            analyst.do("report")
        assert str(here.value) == str(there.value)
    finally:
        analyst.close()


def test_evidence_needs_nothing_to_draw_with(
    many: sw.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``stopwise[study]`` alone is enough for the pages; of many pairs the nearest are drawn."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    shown = Shown.of(many)
    for task in shown.tasks:
        assert (task.card.count("<polyline"), task.card.count('class="verdict"')) == (DRAWN, 1)
    assert expected_end(many).trials == 64


@pytest.mark.parametrize("better", [0.6, 1.0])
def test_a_line_crosses_the_bar_exactly_when_a_pair_is_decided(better: float) -> None:
    scores = {"old": [0.0, 1.0] * 10, "new": list(np.repeat([better], 20))}
    found = sw.analyze(scores, bounds=(0, 1), n_max=20)
    chart = chart_of(found.sorted_pairs, found.alpha)
    decided = found.pairs[0].decided
    assert decided == (better == 1.0)
    assert (chart.lines[0].end[1] < chart.bar) == decided  # the axis of a screen points down
    assert list(chart.ticks_x.values()) == ["0", "5", "10", "15", "20"][: len(chart.ticks_x)]


def test_readers_do_not_wait_for_the_next(many: sw.Study) -> None:
    """While one computes it, others get the one before; ``known`` waits for nothing at all."""
    may_end, asked = threading.Event(), 0

    def compute() -> Shown:
        nonlocal asked
        asked += 1
        if asked == 2:  # a second reader comes while the first waits for this
            assert latest.shown() is first
        if asked == 3:
            may_end.wait()
        return Shown.of(many)

    latest = Latest(many, compute)
    first = latest.shown()
    many.amend("something new")
    latest._not_before = 0.0
    second = latest.shown()
    assert (second.seq, asked) == (many.seq, 2)
    many.amend("something newer")
    latest._not_before = 0.0
    assert latest.known() is second
    assert latest.known() is second  # nor is it asked for twice
    may_end.set()
    latest.close()
    assert (latest.shown().seq, asked) == (many.seq, 3)


def test_candidates_are_shown_by_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Analyst, "do", lambda self, what: WORK[what](self._study))
    plan = {**PLAN, "policies": list(RATES), "goal": "best", "n_max": 80}
    rng = np.random.default_rng(0)
    with sw.Study.create(tmp_path / "best", plan) as study:
        study.lock()
        while (trial := study.next_trial("left")) is not None:
            success = rng.random() < RATES[study.resolve(trial.code).policy]
            study.record(trial.trial, bool(success), station="left")
        study.verdict()  # makes the table of chances, so that the first evidence is not slow
        tokens = {role: study.create_token(role, role) for role in ("owner", "operator")}
        with served(study) as url:
            with httpx.Client(base_url=url, trust_env=False, timeout=600) as operator:
                operator.post("/api/join", json={"token": tokens["operator"]})
                assert "dropped after row" not in operator.get("/operate").text
            with httpx.Client(base_url=url, trust_env=False, timeout=600) as owner:
                owner.post("/api/join", json={"token": tokens["owner"]})
                page = owner.get("/owner").text
                assert "dropped after row" in page
                assert not any(name in page for name in RATES)
        study.unblind()
        (task,) = Shown.of(study).tasks
        assert task.state == "best found"
        assert "step 30k" in task.card


def run(study: sw.Study, trials: int, clock: Clock | None = None) -> sw.Study:
    """Let the label A succeed twice in three, B once, with a result every 90 seconds."""
    study.lock()
    for _ in range(trials):
        trial = take(study)
        if clock is not None:
            clock.time += 90
        with study.reading() as state:
            own = state.trials[trial.trial - 1]
        study.record(trial.trial, own.row % 3 > (own.arm != "A"), station="left")
    return study


def test_the_expected_end_is_the_forecast_in_trials_and_minutes(tmp_path: Path) -> None:
    clock = Clock()
    with run(sw.Study.create(tmp_path / "s", PLAN, clock=clock), 21, clock) as study:
        (ahead,) = forecast_study(study, precision=0.03).values()
        found = expected_end(study)
        assert found.trials == pytest.approx(21 + ahead.mean_trials)
        assert (found.at_most, found.chance, found.seq) == (60, ahead.chance, study.seq)
        assert found.minutes_per_trial == pytest.approx(1.5)
        assert found.more(21) == round(ahead.mean_trials)
        assert found.minutes(21) == 1.5 * found.more(21)

        clock.time += 3600  # a break is no work
        score_one(study)
        assert study.minutes_per_trial() == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("change", "trials", "why"),
    [
        ({"n_max": None}, 4, "the plan sets no maximum of trials (n_max)"),
        ({}, 3, "two rounds have to be complete first"),
    ],
)
def test_an_end_that_is_not_known_is_said(
    tmp_path: Path, change: dict[str, Any], trials: int, why: str
) -> None:
    with run(sw.Study.create(tmp_path / "s", {**PLAN, **change}), trials) as study:
        found = expected_end(study)
        assert why in found.why_not
        assert (found.trials, found.chance, found.seq) == (None, None, study.seq)


def test_the_expected_end_is_the_same_whichever_policy_is_behind_a_label(tmp_path: Path) -> None:
    """The same scores by label, until each of the policies was drawn as A."""
    found: dict[str, ExpectedEnd] = {}
    for number in range(99):
        with run(sw.Study.create(tmp_path / str(number), PLAN), 14) as study:
            end = expected_end(study)
            found[study.unblind()["A"]] = end
        if len(found) == 2:
            break
    assert found["old"] == found["new"]
    assert found["old"].trials is not None
