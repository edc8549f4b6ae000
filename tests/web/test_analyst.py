"""What takes long is done beside the server: the same answers, and nobody waits for them."""

import json
import sys
from pathlib import Path

import httpx
import pytest

import stopwise as sw
from stopwise.web.analyst import Analyst
from stopwise.web.evidence_cache import DRAWN, EvidenceCache, Shown
from stopwise.web.expected_end import expected_end
from tests.study.live import running
from tests.web.serving import served

MANY = {"policies": [f"p{number}" for number in range(8)], "tasks": ["stack", "pour"]}


@pytest.fixture(autouse=True)
def analysed_here() -> None:
    """These tests are about the processes beside the server."""


@pytest.fixture
def study(tmp_path: Path) -> sw.Study:
    """A study of 28 pairs on each of two tasks."""
    study = sw.Study.create(
        tmp_path / "many", {"name": "many", "method": "wsr", "n_max": 4, **MANY}
    )
    study.lock()
    for number in range(32):
        trial = study.next_trial("left")
        assert trial is not None
        study.record(trial.trial, number % 3 == 0, station="left")
    return study


def test_another_process_finds_the_same(study: sw.Study) -> None:
    analyst = Analyst(study)
    try:
        assert analyst.evidence() == Shown.of(study)
        assert analyst.verdict() == study.verdict()
        assert analyst.forecast() == expected_end(study)
        assert set(analyst._processes) == {"evidence", "report", "forecast"}
        trial = study.next_trial("left")
        assert trial is not None
        study.record(trial.trial, True, station="left")
        assert analyst.evidence().seq == study.seq
        process = analyst._processes["evidence"]._running
        assert process is not None
        process.kill()
        process.wait()
        assert analyst.evidence().seq == study.seq  # another was started
    finally:
        analyst.close()


def test_evidence_needs_nothing_to_draw_with(
    study: sw.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``stopwise[study]`` alone is enough for the pages."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert '"curve":{' in Shown.of(study).json
    assert expected_end(study).trials == 64


def test_an_error_there_is_an_error_here(tmp_path: Path) -> None:
    study = running(str(tmp_path / "study"), 0)
    analyst = Analyst(study)
    try:
        with pytest.raises(sw.NotAllowed) as here:
            study.report()
        with pytest.raises(sw.NotAllowed) as there:
            analyst.report()
        assert str(here.value) == str(there.value)
    finally:
        analyst.close()


def test_a_reader_is_not_kept_waiting_for_the_next(study: sw.Study) -> None:
    """While someone computes the next evidence, others get the one before."""
    asked = 0

    def compute() -> Shown:
        nonlocal asked
        asked += 1
        if asked > 1:  # a second reader comes while the first waits for this
            assert cache.shown() is first
        return Shown.of(study)

    cache = EvidenceCache(study, compute)
    first = cache.shown()
    study.amend("something new")
    cache._not_before = 0.0
    assert cache.shown().seq == study.seq
    assert asked == 2


def test_a_page_shows_the_evidence_of_one_task(study: sw.Study) -> None:
    """Of many pairs the figures draw those that are nearest to a decision."""
    token = study.create_token("viewer", "grace")
    with served(study) as url, httpx.Client(base_url=url, trust_env=False, timeout=600) as client:
        client.post("/api/join", json={"token": token})
        shown = client.get("/api/evidence").json()
        assert [len(task["pairs"]) for task in shown["tasks"]] == [28, 28]
        assert shown == json.loads(Shown.of(study).json)
        for place, task in enumerate(shown["tasks"]):
            part = client.get(f"/view/live?task={place}").text
            assert f"<h2>{task['task']}</h2>" in part
            assert (part.count("polyline"), part.count('class="verdict"')) == (DRAWN, 1)
        assert 'class="verdict"' not in client.get("/view/live?task=2").text
