"""Who may judge a trial, where and when: by hand, over the web, and by a runner."""

from functools import partial
from pathlib import Path

import httpx
import pytest

import stopwise as sw
from stopwise.errors import InvalidInput, NotAllowed
from stopwise.study.events import Judged
from tests.study.live import locked, take
from tests.study.plans import AUDIT
from tests.study.runners import attending, eventually, written
from tests.web.serving import served


@pytest.fixture
def study(tmp_path: Path) -> sw.Study:
    return locked(str(tmp_path / "study"), **AUDIT)


def test_what_a_judge_may_not_say(study: sw.Study) -> None:
    trial = take(study)
    with pytest.raises(NotAllowed, match="has not begun"):
        study.judge(trial.trial, 0.5)
    study.start(trial.trial, station="left")
    with pytest.raises(InvalidInput, match="within the bounds"):
        study.judge(trial.trial, 1.5)
    with pytest.raises(InvalidInput, match="say done when it is over"):
        study.record(trial.trial, True, station="left")
    study.judge(trial.trial, 0.5)
    before = study.seq
    study.judge(trial.trial, 0.5)  # said twice, it is stored once
    assert study.seq == before
    with pytest.raises(NotAllowed, match="that is final"):
        study.judge(trial.trial, 0.75)


def test_a_plan_without_an_audit_has_no_judge(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "study"))
    with pytest.raises(NotAllowed, match="no audit"):
        study.judge(take(study).trial, 0.5)


def test_a_judge_at_the_robot_and_an_operator_at_the_page(study: sw.Study) -> None:
    tokens = {role: study.create_token(role, role) for role in ("operator", "runner", "owner")}
    with (
        served(study) as url,
        sw.StudyClient(url, tokens["operator"]) as operator,
        sw.StudyClient(url, tokens["runner"]) as judge,
    ):
        for _ in range(2):
            trial = operator.next_trial("left")
            assert trial is not None
            operator.start(trial.trial, station="left")
            judge.judge(trial.trial, 0.75)
            with pytest.raises(NotAllowed, match="the role operator is not allowed"):
                operator.judge(trial.trial, 0.25)
            operator.record(trial.trial, "done", station="left")
        assert operator.next_trial("left") is not None
        with httpx.Client(base_url=url, trust_env=False) as client:
            client.post("/api/join", json={"token": tokens["owner"]})
            journal = client.get("/api/journal").json()["entries"]
    kinds = [entry["kind"] for entry in journal]
    assert (kinds.count("judged"), kinds.count("audit drawn")) == (2, 1)
    assert "0.75" not in str([entry for entry in journal if entry["kind"] == "judged"])


def test_a_runner_asks_the_judge_after_each_episode(study: sw.Study, tmp_path: Path) -> None:
    """Whose last word is the score; one that says none, or too much, is told."""
    judge = tmp_path / "judge.sh"
    judge.write_text("case $1 in 1) echo I see a cup: .75;; 2) echo 7;; *) echo none;; esac")
    file = written(
        tmp_path / "runner.yaml", {"old": "true", "new": "true"}, judge=f"sh {judge} {{trial}}"
    )
    with attending(study, file) as said:
        for number in (1, 2, 3):
            trial = take(study)
            study.start(trial.trial, station="left")
            told = f"trial {number}: ended"
            eventually(partial(lambda told: any(told in text for text in said), told))
            study.record(trial.trial, "done", station="left")
        eventually(lambda: any("trial 3: the judge gave no score" in text for text in said))
        eventually(lambda: any("trial 2: what the judge said was not stored" in t for t in said))
    judged = [entry.event for entry in study.journal() if isinstance(entry.event, Judged)]
    assert [(event.trial, event.score) for event in judged] == [(1, 0.75)]
