"""The next trial is taken while the last result can still be mended at the robot."""

from pathlib import Path

import pytest

import stopwise as sw
from tests.study.live import Clock, locked, take


def test_one_result_may_come_later_and_what_comes_next_does_not_hang_on_it(place: str) -> None:
    with locked(place, n_max=2) as study:
        first = take(study)
        second = take(study, after=first.trial)
        assert take(study, after=first.trial).trial == second.trial == take(study).trial == 2
        assert study.whereabouts(1, station="left").started
        with pytest.raises(sw.NotAllowed, match="report the result of trial 1 first"):
            study.next_trial("left", after=2)
        study.record(1, True, station="left")
        third = take(study, after=2)
        study.record(2, True, station="left")
        last = take(study, after=third.trial)
        study.record(third.trial, False, station="left")
        assert study.next_trial("left", after=last.trial) is None
        assert not study.finished
        study.record(last.trial, False, station="left")
        assert study.finished


def test_a_result_that_never_comes_counts_as_the_worst(tmp_path: Path) -> None:
    """Else a bad trial could be left behind by taking the next."""
    clock = Clock()
    with locked(str(tmp_path / "study"), clock) as study:
        take(study)
        take(study, after=1)
        clock.time += 31 * 60
        take(study, "right")
        row = study.records().row(0, named=True)
        assert (row["trial"], row["score"], row["status"]) == (1, 0.0, "released")


def test_the_first_of_two_that_are_compared_is_reported_first(tmp_path: Path) -> None:
    task = {"name": "fold", "score": "preference"}
    with locked(str(tmp_path / "study"), design="blocks", tasks=[task]) as study:
        take(study)
        with pytest.raises(sw.NotAllowed, match="say that trial 1 is done first"):
            study.next_trial("left", after=1)
        study.record(1, "done", station="left")
        assert take(study, after=1).rubric["first"]
