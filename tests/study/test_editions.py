"""A study that was locked with another edition of its method: not damaged, and left as it is."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

import stopwise as sw
from stopwise.cli import app
from stopwise.core.wsr import Wsr
from stopwise.study.events import Scored
from tests.study.live import running
from tests.web.serving import served

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


@pytest.mark.parametrize("command", ["report", "verify", "status", "run", "serve", "lock"])
def test_commands_refuse_it_as_they_refuse_other_things(
    tmp_path: Path, raised: Callable[[], None], command: str
) -> None:
    place = f"sqlite:///{tmp_path}/study.db"
    running(place).close()
    raised()

    done = CliRunner().invoke(app, ["study", command, place])

    assert done.exit_code == 2
    assert done.output == f"stopwise study {command}: {LINE}\n"


def test_the_server_refuses_it_with_the_same_line(
    tmp_path: Path, raised: Callable[[], None]
) -> None:
    place = f"sqlite:///{tmp_path}/study.db"
    with running(place) as study:
        token = study.create_token("owner", "me")
    raised()
    with (
        sw.Study.open(place) as study,
        served(study) as url,
        httpx.Client(base_url=url, trust_env=False, timeout=600) as client,
    ):
        headers = {"Authorization": f"Bearer {token}"}
        # A report is made in a process of its own, whose edition is not raised by this test.
        for path in ("verdict", "evidence", "status"):
            answer = client.get(f"/api/{path}", headers=headers)
            assert (answer.status_code, answer.json()["error"]) == (409, "not_allowed"), path
            assert answer.json()["detail"] == LINE
        refused = client.post("/api/trials/next", json={"station": "left"}, headers=headers)
        assert (refused.status_code, refused.json()["detail"]) == (409, LINE)
        assert client.get("/api/trials.csv", headers=headers).text.count("\n") == 7
        client.post("/api/join", json={"token": token})
        page = client.get("/owner", headers={"Accept": "text/html"})
        assert page.status_code == 409
        assert LINE in page.text
