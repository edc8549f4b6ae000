"""Read routes: status, verdict, the report, and the trials as a file."""

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse

from stopwise.study.access import Role
from stopwise.study.records import csv_text
from stopwise.study.verdict import StudyVerdict
from stopwise.study.views import Status
from stopwise.web.failures import FAILURES
from stopwise.web.limits import HEADERS
from stopwise.web.permissions import Anyone, Reader
from stopwise.web.site import CurrentSite

router = APIRouter(prefix="/api", tags=["evidence"], responses=FAILURES)
POLICY = "Content-Security-Policy"


@router.get("/status")
def status(site: CurrentSite, grant: Anyone) -> Status:
    """Return the study's progress and what each station is doing.

    The codes of trials that others hold are for owners alone.
    """
    current = site.status()
    return current if grant.role is Role.OWNER else current.seen_by(grant.name)


@router.get("/verdict")
def verdict(site: CurrentSite, _: Reader) -> StudyVerdict:
    """Return the verdict on each pair, replayed from the journal."""
    current: StudyVerdict = site.analyst.do("verdict")
    return current


@router.get("/report", response_class=HTMLResponse)
def report_page(site: CurrentSite, _: Reader) -> Response:
    """Return the report as one self-contained page."""
    text: str = site.analyst.do("report")
    # The report carries its own style, and no script at all.
    policy = HEADERS[POLICY].replace("style-src 'self'", "style-src 'unsafe-inline'")
    return HTMLResponse(text, headers={POLICY: policy.replace("script-src 'self'; ", "")})


@router.get("/trials.csv", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
def trials_file(site: CurrentSite, _: Reader) -> Response:
    """Return all trials; before unblinding only those that count, without number or code."""
    return Response(
        csv_text(site.study.exported()),
        media_type="text/csv",
        headers={"Content-Disposition": "attachment; filename=trials.csv"},
    )
