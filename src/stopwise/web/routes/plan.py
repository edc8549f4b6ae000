"""The plan: drafted and locked by the owner."""

from fastapi import APIRouter

from stopwise.errors import InvalidInput
from stopwise.web.bodies import PlanRequest, PlanStored, PlanView
from stopwise.web.failures import FAILURES
from stopwise.web.permissions import Owner
from stopwise.web.plan_words import method_in_words, size_in_words
from stopwise.web.site import CurrentSite, Site

router = APIRouter(prefix="/api", tags=["plan"], responses=FAILURES)


def plan_view(site: Site) -> PlanView:
    """Return the plan as its owner sees it; a draft need not be valid."""
    study = site.study
    locked = study.locked
    try:
        size, method = size_in_words(study.plan), method_in_words(study.plan)
    except InvalidInput:
        size = method = ""
    digest = study.plan.digest if locked else None
    return PlanView(text=study.plan_text, size=size, method=method, locked=locked, digest=digest)


@router.get("/plan")
def read_plan(site: CurrentSite, _: Owner) -> PlanView:
    """Return the plan."""
    return plan_view(site)


@router.put("/plan")
def write_plan(site: CurrentSite, _: Owner, request: PlanRequest) -> PlanStored:
    """Replace the draft; if it is invalid, nothing changes and the answer names the line."""
    site.study.redraft(request.text)
    return PlanStored(notes=site.study.plan.hopeless())


@router.post("/plan/lock")
def lock_plan(site: CurrentSite, grant: Owner) -> PlanStored:
    """Freeze and hash the plan, and draw the labels and the random order."""
    site.study.lock(who=grant.name)
    return PlanStored(notes=site.study.plan.hopeless())
