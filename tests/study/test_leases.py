"""Trials that come late, twice or never, and several stations at once, on both stores."""

import threading
import time

import pytest

import stopwise as sw
from stopwise.study import database, store
from stopwise.study.clock import Moment
from stopwise.study.state import StudyState
from tests.study.live import Clock, handed_out_twice, locked, take


class TestLeases:
    """Trials that come late, twice or never."""

    def test_of_two_trials_of_a_slot_only_one_begins(self, place: str, clock: Clock) -> None:
        """Or two people could run both, and send the better one."""
        study, first, second = handed_out_twice(place, clock)

        study.start(second.trial, station="right")
        with pytest.raises(sw.NotAllowed, match="its place was handed out again"):
            study.resolve(first.code)
        with pytest.raises(sw.NotAllowed, match="its place was handed out again"):
            study.start(first.trial, station="left")

    @pytest.mark.parametrize("jump", [-3.0e8, 3.0e8])
    def test_a_clock_set_wrong_and_back_changes_nothing_for_good(
        self, place: str, clock: Clock, jump: float
    ) -> None:
        study = locked(place, clock, n_max=1)
        clock.time += jump
        first = take(study)
        clock.time -= jump
        take(study, "right")
        assert study.next_trial("third") is None or jump < 0
        clock.time += 31 * 60

        again = take(study, "fourth")

        assert again.trial > first.trial
        assert sw.Study.open(place, clock=clock).verdict() == study.verdict()


class TestTogether:
    """Several at once."""

    def test_many_threads_lose_and_double_nothing(self, place: str) -> None:
        study = locked(place, n_max=30, method="wsr")
        others = [study, sw.Study.open(place)]

        def work(number: int) -> None:
            for _ in range(5):
                own = others[number % 2]
                trial = take(own, f"station {number}")
                own.record(trial.trial, True, station=trial.station, key=trial.code)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert study.status().counted == 30
        with study.reading() as state:
            assert len({(trial.row, trial.arm) for trial in state.trials}) == 30
        assert sw.Study.open(place).verdict() == study.verdict()


def test_the_clock_of_a_study_never_runs_back() -> None:
    """Sabotage that fails it: leave out ``max(0.0, ...)`` in ``StudyState.clock_at``."""
    state = StudyState(clock=100.0, moment=Moment(1000.0, "one boot", 50.0))

    assert state.clock_at(Moment(1060.0)) == 160.0
    assert state.clock_at(Moment(400.0)) == 100.0
    assert state.clock_at(Moment(9000.0, "one boot", 60.0)) == 110.0
    assert state.clock_at(Moment(400.0, "one boot", 40.0)) == 100.0
    assert state.clock_at(Moment(1060.0, "another", 0.0)) == 160.0


@pytest.mark.parametrize("jump", [-3600.0, 3600.0])
def test_a_clock_that_is_set_while_a_trial_runs_costs_nothing(
    place: str, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """By the machine's own clock: on SQLite that of the study, on PostgreSQL the server's."""
    study = locked(place)
    trial = take(study)
    study.start(trial.trial, station="left")
    set_clock(monkeypatch, jump)

    other = take(study, "right")
    with sw.Study.open(place) as after_restart:
        held = after_restart.holding("left")

    assert held is not None
    assert (held.trial, other.trial) == (trial.trial, trial.trial + 1)
    assert 60 * 29 < held.seconds_left <= 60 * 30
    assert study.record(trial.trial, True, station="left").counted
    assert study.verify().sound


def set_clock(monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    """Set the clock that the study goes by: of the machine, or of the database server."""
    real, served = time.time, database.server_time
    monkeypatch.setattr(time, "time", lambda: real() + jump)
    monkeypatch.setattr(store, "server_time", lambda line: (served(line) + jump).label("now"))
