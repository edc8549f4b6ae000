"""A fixed list of starts: each is tried once by every policy, and claims are about them."""

from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.errors import InvalidInput
from stopwise.study.study_plan import StudyPlan
from tests.study.live import Clock, locked, policy_of, take
from tests.study.plans import plan

STARTS = [f"mark {number}" for number in range(12)]


def listed(**changes: Any) -> dict[str, Any]:
    task = {"name": "stack", "starts": STARTS}
    return {"tasks": [task], "design": "blocks", "n_max": None, **changes}


def finished(study: sw.Study, better: str = "new") -> list[tuple[str, str]]:
    """Run a study to its end; return which policy was tried from where."""
    met = []
    while (trial := study.next_trial("left")) is not None:
        policy = policy_of(study, trial.trial)
        met.append((policy, str(trial.condition)))
        study.record(trial.trial, policy == better, station="left")
    return met


def test_every_start_comes_once_in_a_random_order_and_the_verdict_is_about_them(
    tmp_path: Path,
) -> None:
    study = locked(tmp_path / "study.db", Clock(), **listed())

    met = finished(study)

    assert len(set(met)) == len(met) < 2 * len(STARTS)
    old = [start for policy, start in met if policy == "old"]
    assert old != STARTS[: len(old)]
    assert study.verdict().sentence.endswith(" on these 12 scenes, in this run.")
    assert " on these 12 scenes, in this run" in study.analyses()["stack"].sentence


def test_a_start_that_is_voided_for_good_counts_as_the_worst(tmp_path: Path) -> None:
    tasks = [{"name": "stack", "starts": STARTS[:2]}]
    study = locked(tmp_path / "study.db", Clock(), **listed(tasks=tasks))
    trial = take(study)
    study.record(trial.trial, True, station="left")
    study.void(trial.trial, "the camera fell")

    finished(study, better="neither")

    assert study.verdict().decided


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"design": "independent"}, "the plan needs design: blocks"),
        ({"tasks": [{"name": "a", "starts": ["x", "x"]}]}, "'x' is listed twice"),
        ({"tasks": [{"name": "a", "starts": ["x"], "conditions": {"listed": ["y"]}}]}, "not both"),
        ({"n_max": 20}, "n_max = 20 is more than the 12 scenes of the list"),
    ],
)
def test_a_list_that_cannot_be_one_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises((InvalidInput, ValueError), match=says):
        StudyPlan(**plan(**listed(**changes)))
