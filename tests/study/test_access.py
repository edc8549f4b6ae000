"""Tokens: who has one, for how long, and that no other text is taken for it."""

from collections.abc import Callable
from pathlib import Path

import pytest

import stopwise as sw
from stopwise.study.access import Grant, Role, authenticate, new_token
from stopwise.study.trial_operations import NextTrial
from tests.study.live import Clock, locked, take
from tests.study.plans import plan


def test_a_token_ends_by_itself(tmp_path: Path, clock: Clock) -> None:
    """Sabotage that fails it: leave ``expires`` out of ``TokenRecord.valid``."""
    study = sw.Study.create(tmp_path / "cups", plan(), clock=clock)
    day, ever = study.create_token("operator", "arm 1", days=1), study.create_token("viewer", "v")
    for_good = study.create_token("runner", "robot", days=None)
    with pytest.raises(sw.NotAllowed, match="already a token for 'arm 1'"):
        study.create_token("operator", "arm 1")
    clock.time += 2 * 86_400
    assert study.authenticate(day) is None
    assert study.authenticate(ever) is not None
    assert study.create_token("operator", "arm 1") != day  # its name is free again
    clock.time += 100 * 86_400
    assert study.authenticate(ever) is None
    assert study.authenticate(for_good) is not None
    with sw.Study.open(tmp_path / "cups", clock=clock) as again:
        assert again.authenticate(ever) is None
    for days in (0, -1, float("nan"), 1e9):
        with pytest.raises(sw.InvalidInput, match=r"days must be (greater|less) than"):
            study.create_token("operator", "arm 9", days=days)


def test_a_text_that_is_no_token_opens_nothing(tmp_path: Path) -> None:
    """Nor does one whose hash begins alike, up to 2 digits of 64.

    Sabotage that fails it: compare only the first digits of the digests in ``authenticate``.
    """
    with sw.Study.create(tmp_path / "cups", plan()) as study:
        own = study.create_token("owner", "ada")
        (digest,) = (token.digest for token in study.tokens())
        with study.reading() as state:
            others = [new_token() for _ in range(2000)]
            assert not any(authenticate(state, text, 0.0) for text in others)
            assert authenticate(state, own, 0.0) is not None
        for text in ("", own[:-1], own.lower(), digest):
            assert study.authenticate(text) is None


def test_of_a_role_or_name_that_is_taken_only_owners_have_several(tmp_path: Path) -> None:
    with sw.Study.create(tmp_path / "cups", plan()) as study:
        for _ in range(2):
            study.create_token("owner", "ada")
        for role in ("operator", "viewer", "runner"):
            study.create_token(role, role)
            for other in ("owner", "operator", "viewer", "runner"):
                with pytest.raises(sw.NotAllowed, match="there is already a token"):
                    study.create_token(other, role)


def test_a_trial_is_for_good_that_of_who_took_it(tmp_path: Path) -> None:
    """Whoever opens the study next must know it too, or could be given a second trial.

    Sabotage that fails it: leave ``who`` out of ``replay._assigned``.
    """
    with locked(str(tmp_path / "study")) as study:
        ben = Grant("1", Role.OPERATOR, "Ben")
        first = study.do(NextTrial(station="left"), grant=ben).trial
        assert first is not None
    with sw.Study.open(tmp_path / "study") as study:
        assert study.taken_by(first.trial) == "Ben"
        with pytest.raises(sw.NotAllowed, match="you hold trial 1 at station 'left'"):
            study.do(NextTrial(station="right"), grant=ben)
        with pytest.raises(sw.NotAllowed, match="station 'left' is in use: Ben holds its trial"):
            study.do(NextTrial(station="left"), grant=Grant("2", Role.OPERATOR, "Eva"))
        study.record(first.trial, True, station="left", who="Eva")
        assert study.taken_by(first.trial) == "Ben"
        assert study.do(NextTrial(station="right"), grant=ben).trial is not None


def test_a_station_holds_a_trial_no_longer_than_its_lease(tmp_path: Path, clock: Clock) -> None:
    """Sabotage that fails it: leave ``expires`` out of ``assignment.holding``."""
    with locked(str(tmp_path / "study"), clock) as study:
        first = take(study)
        clock.time += 30 * 60 - 1
        assert take(study).trial == first.trial
        assert study.status().in_flight == 1
        clock.time += 2
        assert study.holding("left") is None
        assert study.status().in_flight == 0
        assert take(study).trial != first.trial


CHANGES: dict[str, Callable[[sw.Study], object]] = {
    "correct": lambda study: study.correct(1, False, "I do not like it"),
    "void": lambda study: study.void(1, "I do not like it"),
    "recording": lambda study: study.add_recording(1, [b"\xff\xd8\xff a photo"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_once_names_are_known_no_trial_is_changed(tmp_path: Path, change: str) -> None:
    """Sabotage that fails it: leave out ``_require_blind`` in what is corrected, or voided."""
    with locked(str(tmp_path / "study")) as study:
        study.record(take(study).trial, True, station="left")
        study.unblind(reason="done")
        before = study.seq
        with pytest.raises(sw.NotAllowed, match="the study is unblinded: it is too late to"):
            CHANGES[change](study)
        assert study.seq == before


def test_what_the_guarantee_rests_on_is_not_amended(tmp_path: Path) -> None:
    """Sabotage that fails it: a further entry in ``AMENDABLE``."""
    with locked(str(tmp_path / "study")) as study:
        content = study.plan.content()
        may = {"name", "description", "lease_minutes", "look_ahead", "tags", "checks"}
        for name, value in content.items():
            if name in may:
                study.amend("as before", {name: value})
            else:
                with pytest.raises(sw.NotAllowed, match=f"{name} cannot change after the lock"):
                    study.amend("please", {name: value})
        with pytest.raises(sw.InvalidInput, match="lease_minutes: must be greater than 0"):
            study.amend("please", {"lease_minutes": -1})
