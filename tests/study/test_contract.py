"""What every store promises: the same class runs on SQLite and on PostgreSQL."""

import pytest

import stopwise as sw
from tests.study.live import Clock, locked, score_one, take
from tests.study.plans import plan


class TestLifeOfAStudy:
    """From a draft to the end."""

    def test_a_plan_is_locked_once(self, place: str) -> None:
        study = locked(place)

        assert study.status().plan_digest == study.plan.digest
        with pytest.raises(sw.NotAllowed, match="already locked"):
            study.lock()

    def test_a_study_is_made_once(self, place: str) -> None:
        locked(place)

        with pytest.raises(sw.NotAllowed, match="already a study"):
            sw.Study.create(place, plan())

    def test_a_result_reported_twice_is_stored_once(self, place: str) -> None:
        study = locked(place)
        trial = take(study)

        first = study.record(trial.trial, True, station="left", key="phone 1, answer 1")
        second = study.record(trial.trial, True, station="left", key="phone 1, answer 1")

        assert (first.counted, first.repeated) == (True, False)
        assert (second.counted, second.repeated) == (True, True)
        assert [entry.kind for entry in study.journal()].count("scored") == 1

    def test_a_key_with_another_answer_is_refused(self, place: str) -> None:
        """Taken for a repetition, the second score would be lost without a word."""
        study = locked(place)
        trial = score_one(study, key="k")
        before = study.seq

        with pytest.raises(sw.NotAllowed, match="another answer to trial 1: nothing was stored"):
            study.record(trial.trial, False, station="left", key="k")
        assert study.record(trial.trial, 1, station="left", key="k").repeated
        assert study.seq == before

    def test_a_code_is_resolved_while_its_trial_is_under_way(self, place: str) -> None:
        study = locked(place)
        trial = take(study)
        assert study.resolve(trial.code.lower()).policy in ("old", "new")
        study.record(trial.trial, True, station="left")

        with pytest.raises(sw.NotAllowed, match="in progress"):
            study.resolve(trial.code)

    def test_the_journal_can_be_read_on_from_an_entry(self, place: str) -> None:
        study = locked(place)
        take(study)

        assert [entry.kind for entry in study.journal()] == ["created", "locked", "assigned"]
        assert [entry.seq for entry in study.journal(after=2)] == [3]
        assert study.journal(after=3) == []
        assert study.journal(after=99) == []
        assert study.journal(1, most=2) == study.journal()[1:3]

    def test_only_its_station_reports_a_trial(self, place: str) -> None:
        study = locked(place)
        trial = take(study)

        with pytest.raises(sw.NotAllowed, match="another station"):
            study.record(trial.trial, True, station="right")

    def test_the_published_hash_is_that_of_the_locked_plan_for_ever(self, place: str) -> None:
        """A preregistration that an amendment changes could not be found again in the report."""
        study = locked(place)
        published = study.status().plan_digest
        study.amend("trials take longer", {"lease_minutes": 60})

        assert sw.Study.open(place).status().plan_digest == published

    @pytest.mark.parametrize("name", ["", "  ", "x" * 201, "two\nlines", "\x1b[31mred"])
    def test_a_token_needs_a_name_that_can_be_a_stations(self, place: str, name: str) -> None:
        study = locked(place)

        with pytest.raises(sw.InvalidInput, match="1 to 200 printable characters"):
            study.create_token("operator", name)

    def test_a_block_is_run_at_one_station(self, place: str, clock: Clock) -> None:
        study = locked(place, clock, design="blocks", policies=["a", "b", "c"])
        for turn in range(6):
            for station in ("left", "right")[: 1 + (turn > 1)]:
                score_one(study, True, station)
        stations: dict[int, set[str]] = {}
        with study.reading() as state:
            for known in state.trials:
                stations.setdefault(known.row, set()).add(known.station)

        assert all(len(found) == 1 for found in stations.values())
        assert len(stations) > 2

    def test_a_block_that_was_left_is_finished_by_another(self, place: str, clock: Clock) -> None:
        study = locked(place, clock, design="blocks", n_max=1)
        study.record(take(study).trial, True, station="left")
        assert study.next_trial("right") is None
        clock.time += 31 * 60

        study.record(take(study, "right").trial, True, station="right")

        assert study.finished
