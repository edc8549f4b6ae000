"""What the pages ask of the study."""

import httpx
import pytest

import stopwise as sw
from stopwise.study.study_plan import StudyPlan


def test_the_live_part_of_the_owners_page_poses_no_question_anew(
    study: sw.Study,
    tokens: dict[str, str],
    client: httpx.Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether a plan can decide anything is on the whole page, and in no live part."""
    study.lock()
    client.post("/api/join", json={"token": tokens["owner"]})
    asked: list[StudyPlan] = []
    hopeless = StudyPlan.hopeless

    def counted(plan: StudyPlan) -> tuple[str, ...]:
        asked.append(plan)
        return hopeless(plan)

    monkeypatch.setattr(StudyPlan, "hopeless", counted)

    assert client.get("/owner").is_success
    assert len(asked) == 1
    assert client.get("/owner/live").is_success
    assert len(asked) == 1
