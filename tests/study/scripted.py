"""A study in which every kind of event happens, the same each time: nothing is left to chance."""

import secrets
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import stopwise as sw
from stopwise.study.check_lists import Check
from stopwise.study.database import journal
from stopwise.study.episodes import Attend, BeginEpisode, EndEpisode, Stop
from stopwise.study.events import Voided
from stopwise.study.lifecycle import CloseDay
from stopwise.study.operation import Now, Operation
from tests.study.live import Clock, take

PLAN: dict[str, Any] = {
    "name": "Cups é",
    "policies": [{"name": "old", "run": "serve old"}, "new"],
    "tasks": [
        {
            "name": "stack",
            "score": {"kind": "number", "low": 0, "high": 1},
            "conditions": {"listed": ["left", "right"]},
        },
        {"name": "pour", "score": {"kind": "milestones", "milestones": [{"name": "grasped"}]}},
    ],
    "method": "wsr",
    "baseline": "old",
    "tags": ["dropped"],
    "lease_minutes": 12.5,
}


PHOTO = b"\xff\xd8\xff\xe0 a photo of cups"


class Excuse(Operation[None]):
    """Void a trial whatever the rules say."""

    trial: int
    reason: str
    redraw: bool

    def decide(self, _: Now) -> Voided:
        return Voided(trial=self.trial, reason=self.reason, redraw=self.redraw)


def fix_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be drawn at random: secrets and tokens are the same each time."""
    monkeypatch.setattr(secrets, "token_hex", lambda size: "5a" * size)
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size: "t" * size)


def scripted(place: str, *, unblind: bool = True) -> sw.Study:
    """Return a study in which everything that can be stored was stored."""
    clock = Clock()
    study = sw.Study.create(place, PLAN, clock=clock)
    study.create_token("owner", "Ada", days=None)
    study.revoke_token(study.tokens()[0].token)
    study.lock(who="ada")
    first = take(study)
    clock.time += 3.25
    study.start(first.trial, station="left")
    remarks: dict[str, Any] = {"note": "slow “é”", "tag": "dropped", "seconds": 31.5}
    study.record(first.trial, 0.123456789, station="left", key="k 1", **remarks)
    second = take(study)
    study.release(second.trial, station="left", reason="robot is hot", key="k 2")
    third = take(study, "right", task="pour", who="Ben")
    study.record(third.trial, ["grasped"], station="right", seconds=3)
    study.correct(third.trial, [], "tapped wrongly")
    study.correct(first.trial, 0.75, "read the wrong scale")
    # Trials that were corrected could be voided when the golden journals were written.
    for trial, reason, redraw in (
        (third.trial, "the cable came off", False),
        (first.trial, "the lights went out", True),
    ):
        study.do(Excuse(trial=trial, reason=reason, redraw=redraw))
    columns = {"task": ["stack"] * 2, "policy": ["old", "new"], "score": [0.25, 0.8125]}
    pilot = sw.Trials.from_columns(columns, bounds=(0, 1))
    study.add_trials(pilot, source="notebook", reason="a pilot")
    study.add_trials(pilot, source="notebook", reason="more of them", again=True)
    study.amend("trials take longer", {"lease_minutes": 20, "tags": ["dropped", "timeout"]})
    study.amend("the camera was replaced")
    if unblind:
        study.unblind(reason="done")
    return study


def scripted_runner(place: str, *, unblind: bool = True) -> sw.Study:
    """Return a study whose trials a runner starts."""
    clock = Clock()
    checks: list[Any] = ["lights on", "lens clean"]
    study = sw.Study.create(place, {**PLAN, "checks": checks}, clock=clock)
    study.folder = Path(place.removeprefix("sqlite:///").partition("#")[0]).parent
    study.lock(who="ada")
    study.do(Check(station="left", ticked=("lights on",), note="the lens is wet"))
    study.do(Attend(station="left", limit=120.0), who="robot")
    trial = take(study).trial
    study.start(trial, station="left")
    study.do(BeginEpisode(trial=trial, episode="0001-5a5a5a"), who="robot")
    study.do(Stop(trial=trial, station="left"))
    clock.time += 31.25
    study.do(
        EndEpisode(trial=trial, episode="0001-5a5a5a", outcome="timed out", seconds=31.25),
        who="robot",
    )
    study.record(trial, 0.125, station="left")
    study.add_recording(trial, [PHOTO], who="robot")
    study.do(Attend(station="left", present=False), who="robot")
    study.do(CloseDay())
    study.amend("the cups were moved", {"checks": [*checks, "cups as on the photo"]})
    if unblind:
        study.unblind(reason="done")
    return study


def stored_lines(study: sw.Study) -> list[str]:
    """Return the journal as it is stored."""
    query = select(journal.c.body).where(journal.c.study == study.store.study)
    with study.store.engine.connect() as connection:
        return list(connection.execute(query.order_by(journal.c.seq)).scalars())
