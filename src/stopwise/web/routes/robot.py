"""For the runner, the program at the robot that starts policies: it may resolve, but not score."""

from typing import Annotated

from fastapi import APIRouter, Path

from stopwise.study.limits import NAME
from stopwise.study.views import Resolved
from stopwise.web.failures import FAILURES
from stopwise.web.permissions import Runner
from stopwise.web.requests import AttendRequest, EpisodeEndRequest, EpisodeRequest
from stopwise.web.responses import Done, NextView
from stopwise.web.routes.trials import TrialNumber, next_view
from stopwise.web.site import Here

router = APIRouter(prefix="/api", tags=["runner"], responses=FAILURES)


@router.get("/policies")
def list_policies(site: Here, _: Runner) -> list[str]:
    """Return the names of all policies."""
    return list(site.study.policies())


@router.get("/policies/{code}")
def resolve_code(
    site: Here, grant: Runner, code: Annotated[str, Path(min_length=1, max_length=NAME)]
) -> Resolved:
    """Return the policy a code stands for, for the program that starts it: the trial has begun."""
    return site.study.resolve(code, who=grant.name)


@router.post("/stations/attend")
def attend_station(site: Here, grant: Runner, request: AttendRequest) -> NextView:
    """Say that a runner starts the policies at a station, or not; return what the station has."""
    found = site.study.attend(
        request.station, present=request.present, limit=request.limit, who=grant.name
    )
    return next_view(site, found)


@router.post("/trials/{trial}/episode")
def begin_episode(
    site: Here, grant: Runner, trial: TrialNumber, request: EpisodeRequest
) -> Resolved:
    """Return the policy of a trial that its operator has started; this works once for a trial."""
    return site.study.begin_episode(trial, request.episode, who=grant.name)


@router.post("/trials/{trial}/episode/end")
def end_episode(site: Here, grant: Runner, trial: TrialNumber, request: EpisodeEndRequest) -> Done:
    """Say that the policy of a trial has ended, how, and after how long."""
    site.study.end_episode(
        trial,
        request.episode,
        outcome=request.outcome,
        seconds=request.seconds,
        who=grant.name,
    )
    return Done()
