"""Routes about trials: which one a station holds, and what became of it."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from stopwise.study import limits
from stopwise.study.access import Role
from stopwise.study.views import StationOffer, Whereabouts
from stopwise.web.bodies import Done
from stopwise.web.failures import FAILURES
from stopwise.web.permissions import AtTheRobot, Operator, Owner, Runner
from stopwise.web.site import CurrentSite

router = APIRouter(prefix="/api", tags=["trials"], responses=FAILURES)
TrialNumber = Annotated[int, Path(ge=1, le=10**9, description="The trial number.")]
Station = Annotated[limits.Name | None, Query(description="By default the name of the token.")]


@router.get("/trials/held")
def held_trial(site: CurrentSite, grant: AtTheRobot, station: Station = None) -> StationOffer:
    """Return the trial a station currently holds, and whether it is still needed."""
    offer = site.study.offer(station or grant.name)
    if offer.trial is not None and grant.role is not Role.RUNNER:
        site.study.require_taken_by(offer.trial.trial, grant.name)
    return offer


@router.get("/trials/{trial}/whereabouts")
def trial_whereabouts(
    site: CurrentSite, grant: Operator, trial: TrialNumber, station: Station = None
) -> Whereabouts:
    """Return the status of a station's trial, even if the station no longer holds it."""
    site.study.require_taken_by(trial, grant.name)
    return site.study.whereabouts(trial, station=station or grant.name)


@router.get("/trials/{trial}/rubric")
def trial_rubric(site: CurrentSite, _: Owner, trial: TrialNumber) -> dict[str, Any]:
    """Rubric of a trial, as in its assignment."""
    return site.study.rubric(trial)


@router.post("/stations/hear", tags=["runner"])
def hear_runner(site: CurrentSite, _: Runner, station: Annotated[limits.Name, Query()]) -> Done:
    """Note that the runner of a station is there; it says so every few seconds."""
    site.study.hear(station)
    return Done()


@router.get("/policies", tags=["runner"])
def list_policies(site: CurrentSite, _: Runner) -> list[str]:
    """Return the names of all policies."""
    return list(site.study.policies())
