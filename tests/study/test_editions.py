"""A study that was locked with another edition of its method: not damaged, and left as it is."""

from collections.abc import Callable

import pytest

import stopwise as sw
from stopwise.core.wsr import Wsr
from stopwise.study.events import Scored
from tests.study.live import running

LINE = (
    f"this study was locked with edition 1 of wsr (stopwise {sw.__version__}), but this stopwise "
    "has edition 2: finish it with the stopwise version it was started with"
)
USES: dict[str, Callable[[sw.Study], object]] = {
    "report": lambda study: study.report(),
    "verify": lambda study: study.verify(),
    "verdict": lambda study: study.verdict(),
    "analyses": lambda study: study.analyses(),
    "status": lambda study: study.status(),
    "finished": lambda study: study.finished,
    "trials": lambda study: study.trials(),
    "used": lambda study: study.exported(used=True),
    "next trial": lambda study: study.next_trial("left"),
    "record": lambda study: study.record(7, True, station="left"),
    "correct": lambda study: study.correct(1, True, "typed wrongly"),
    "void": lambda study: study.void(1, "the cable"),
    "amend": lambda study: study.amend("a remark"),
    "unblind": lambda study: study.unblind(),
    "token": lambda study: study.create_token("owner", "me"),
    "import": lambda study: study.add_trials(
        sw.Trials.from_columns({"policy": ["old", "new"], "score": [0, 1]}, bounds=(0, 1)),
        source="notebook",
        reason="pilot",
    ),
}


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Install a stopwise whose bets are others."""
    return lambda: monkeypatch.setattr(Wsr, "edition", 2)


def test_every_use_of_its_evidence_says_so_in_one_line(
    place: str, raised: Callable[[], None]
) -> None:
    study = running(place)
    study.next_trial("left")
    before = study.journal()
    study.close()
    raised()

    with sw.Study.open(place) as study:
        for use in USES.values():
            with pytest.raises(sw.NotAllowed) as refused:
                use(study)
            assert str(refused.value) == LINE
        assert study.journal() == before


def test_its_trials_can_still_be_had(place: str, raised: Callable[[], None]) -> None:
    with running(place, 7) as study:
        events = [entry.event for entry in study.journal()]
        scores = [float(event.score or 0) for event in events if isinstance(event, Scored)]
    raised()

    with sw.Study.open(place) as study:
        blind, all_of_them = study.exported(), study.records()

    assert sorted(blind["score"]) == sorted(scores)
    assert all_of_them["score"].to_list() == scores
    assert all_of_them["used"].is_null().all()
