"""Taking, running and scoring trials."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from stopwise.errors import NotAllowed
from stopwise.study.access import Grant, Role
from stopwise.study.views import Assignment, Recorded, TrialLine, Whereabouts
from stopwise.web.failures import FAILURES
from stopwise.web.permissions import AtTheRobot, Operator, Owner
from stopwise.web.requests import (
    CheckRequest,
    CorrectionRequest,
    Name,
    NextRequest,
    ReleaseRequest,
    ScoreRequest,
    StartRequest,
    VoidRequest,
)
from stopwise.web.responses import Done, NextView
from stopwise.web.site import Here, Site

router = APIRouter(prefix="/api", tags=["trials"], responses=FAILURES)
TrialNumber = Annotated[int, Path(ge=1, le=10**9, description="The trial number.")]


@router.get("/trials")
def list_trials(
    site: Here, _: Owner, limit: Annotated[int, Query(ge=1, le=10_000)] = 50
) -> list[TrialLine]:
    """Return the newest trials, to choose one to correct or void; nothing tells how they went."""
    return site.study.trial_lines(limit)


@router.post("/trials/next")
def take_next_trial(site: Here, grant: Operator, request: NextRequest) -> NextView:
    """Give a station its next trial; a trial it already holds is returned again.

    A token holds one trial at a time, and nobody else can report on it.
    """
    station = request.station or grant.name
    due, held = site.study.checks_due(station), site.study.holding(station)
    if due and (held is None or held.trial == request.after):
        return NextView(trial=None, finished=False, checks=due)
    found = site.study.next_trial(**_reported(request, grant), holder=grant.name)
    return next_view(site, found)


@router.post("/stations/check")
def check_station(site: Here, grant: Operator, request: CheckRequest) -> Done:
    """Say that the start-of-day check list was gone through; what is not ticked needs a note."""
    station = request.station or grant.name
    site.study.check(station, request.ticked, note=request.note, who=grant.name)
    return Done()


@router.get("/trials/held")
def held_trial(
    site: Here, grant: AtTheRobot, station: Annotated[Name | None, Query()] = None
) -> NextView:
    """Return the trial a station currently holds, and whether it is still needed."""
    found = site.study.holding(station or grant.name)
    if found is not None and grant.role is not Role.RUNNER:
        require_own(site, grant, found.trial)
    return next_view(site, found)


@router.get("/trials/{trial}/whereabouts")
def trial_whereabouts(
    site: Here, grant: Operator, trial: TrialNumber, station: Annotated[Name | None, Query()] = None
) -> Whereabouts:
    """Return the status of a station's trial, even if the station no longer holds it."""
    require_own(site, grant, trial)
    return site.study.whereabouts(trial, station=station or grant.name)


@router.post("/trials/{trial}/start")
def start_trial(site: Here, grant: AtTheRobot, trial: TrialNumber, request: StartRequest) -> Done:
    """Mark a trial as started; repeat this during a long trial to extend its lease.

    A runner can only extend the lease of a trial that its operator has started.
    """
    runner = grant.role is Role.RUNNER
    if not runner:
        require_own(site, grant, trial)
    site.study.start(trial, **_reported(request, grant), renew=runner)
    return Done()


@router.post("/trials/{trial}/score")
def score_trial(site: Here, grant: Operator, trial: TrialNumber, request: ScoreRequest) -> Recorded:
    """Store the result of a trial; it is durable once this is answered."""
    require_own(site, grant, trial)
    return site.study.record(trial, **_reported(request, grant))


@router.post("/trials/{trial}/release")
def release_trial(site: Here, grant: Operator, trial: TrialNumber, request: ReleaseRequest) -> Done:
    """Give back a trial, with a reason; one that has begun counts as the plan says."""
    require_own(site, grant, trial)
    site.study.release(trial, **_reported(request, grant))
    return Done()


@router.get("/trials/{trial}/rubric")
def trial_rubric(site: Here, _: Owner, trial: TrialNumber) -> dict[str, Any]:
    """Return how a trial is scored, as in its assignment."""
    return site.study.rubric(trial)


@router.post("/trials/{trial}/correct")
def correct_trial(site: Here, grant: Owner, trial: TrialNumber, request: CorrectionRequest) -> Done:
    """Replace a score that was entered wrongly; after unblinding the report shows both."""
    site.study.correct(trial, request.answer, request.reason, who=grant.name)
    return Done()


@router.post("/trials/{trial}/void")
def void_trial(site: Here, grant: Owner, trial: TrialNumber, request: VoidRequest) -> Done:
    """Exclude a trial for a reason unrelated to its score; it stays in the journal."""
    site.study.void(trial, request.reason, redraw=request.redraw, who=grant.name)
    return Done()


def _reported(request: NextRequest | StartRequest | ScoreRequest, grant: Grant) -> dict[str, Any]:
    """Return what a station says, and who says it; the station is by default the token's name."""
    station = request.station or grant.name
    return {**request.model_dump(), "station": station, "who": grant.name}


def require_own(site: Site, grant: Grant, trial: int) -> None:
    """Raise unless the trial was taken with this token; it stays so for good."""
    if site.study.taken_by(trial) != grant.name:
        raise NotAllowed(f"trial {trial} was taken by someone else")


def next_view(site: Site, trial: Assignment | None) -> NextView:
    """Return what a station is told of its trial."""
    return NextView(trial=trial, finished=trial is None and site.study.finished)
