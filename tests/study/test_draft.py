"""The draft of a plan, and reports that are sent again."""

from pathlib import Path

import pytest

import stopwise as sw
from tests.study.live import locked, score_one, take
from tests.study.plans import plan


def test_a_draft_is_replaced_until_the_lock(tmp_path: Path) -> None:
    study = sw.Study.create(tmp_path / "study", plan())
    text = study.plan_text.replace("cups", "mugs")
    study.redraft(text)
    assert (tmp_path / "study" / "study.yaml").read_text() == text
    assert study.plan.name == "mugs"

    with pytest.raises(sw.InvalidInput, match=r"study\.yaml, line 1: alpha"):
        study.redraft(f"alpha: 2\n{text}")
    with pytest.raises(sw.InvalidInput, match="where the study is kept"):
        study.redraft(f"{text}\nstore: elsewhere.db\n")
    assert study.plan_text == text

    study.lock()
    with pytest.raises(sw.NotAllowed, match="locked"):
        study.redraft(text)
    assert "name: mugs" in study.plan_text


def test_what_is_sent_again_with_its_key_is_stored_once(tmp_path: Path) -> None:
    study = locked(tmp_path / "study")
    trial = take(study, "arm 2")
    for _ in range(2):
        study.release(trial.trial, station="arm 2", reason="slipped", key="first")
    assert [entry.kind for entry in study.journal()][-2:] == ["assigned", "released"]
    other = take(study, "arm 2")
    with pytest.raises(sw.NotAllowed, match="already used for another report"):
        study.record(other.trial, True, station="arm 2", key="first")


def test_what_was_tried_on_a_draft_leaves_no_trace_in_the_draws(tmp_path: Path) -> None:
    """Catches random draws made with the seed of an earlier draft: verification would fail."""
    study = sw.Study.create(tmp_path / "study", plan())
    with pytest.raises(sw.NotAllowed, match="not locked"):
        study.unblind()
    study.redraft(f"{study.plan_text}\nseed: 7\n")
    study.lock()
    for _ in range(4):
        score_one(study)

    assert study.verify().problems == ()
