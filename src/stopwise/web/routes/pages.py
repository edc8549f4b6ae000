"""The pages for people: join, operate, watch, own, and how to use the API."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, Field

from stopwise.errors import NotAllowed
from stopwise.study.access import Grant, Role
from stopwise.web import site as sites
from stopwise.web.bodies import EntryView
from stopwise.web.expected_end import NOT_YET
from stopwise.web.permissions import csrf_token, session
from stopwise.web.plan_words import method_in_words
from stopwise.web.rendering import render
from stopwise.web.routes.plan import plan_view
from stopwise.web.routes.session import PAGES
from stopwise.web.site import CurrentSite, Site

router = APIRouter(include_in_schema=False)
LAST_ENTRIES, LAST_TRIALS = 100, 50
STATIC = Path(__file__).parents[1] / "static"


@router.get("/")
def home(site: CurrentSite, request: Request) -> Response:
    """Send people to the page of their role."""
    signed_in = session(site, request)
    return RedirectResponse(
        "/join" if signed_in is None else PAGES.get(signed_in[1].role, "/join"), 303
    )


@router.get("/join")
def join_page() -> Response:
    """Show where a link leads: a script hands the token over, so that no log ever holds it."""
    return HTMLResponse(render("join.html"))


@router.get("/worker.js")
def worker() -> Response:
    """Return the script that opens the operator's page offline; what it serves is below it."""
    return FileResponse(STATIC / "worker.js", media_type="text/javascript")


@router.get("/api")
def api_page(request: Request) -> Response:
    """Show every operation of the API."""
    return HTMLResponse(render("api.html", document=request.app.openapi()))


class Asked(BaseModel):
    """Query of a page: how many trials, and the evidence of which task."""

    trials: int = Field(default=LAST_TRIALS, ge=1, le=10_000)
    task: int | None = Field(default=None, ge=0)


def _add_page(
    path: str, template: str, content: Callable[[Site, Asked], dict[str, Any]], *roles: Role
) -> None:
    """Serve a page to those with one of these roles; others are sent to their own page."""

    @router.get(path)
    def page(site: CurrentSite, request: Request, asked: Annotated[Asked, Query()]) -> Response:
        signed_in = session(site, request)
        if signed_in is None:
            return RedirectResponse("/join", 303)
        token, grant = signed_in
        if grant.role not in roles:
            return RedirectResponse(PAGES.get(grant.role, "/join"), 303)
        shared = {"csrf": csrf_token(token), "grant": grant}
        try:
            with site.study.still():
                shown = {"status": site.status(), **content(site, asked)}
        except NotAllowed as error:
            if site.study.locked:
                raise
            return _broken_draft(site, grant, shared, str(error))
        if content is not _place:
            shown |= _evidence(site, asked)
        return HTMLResponse(render(template, **shared, **shown))


def _broken_draft(site: Site, grant: Grant, shared: dict[str, Any], problem: str) -> Response:
    plan = plan_view(site) if grant.role is Role.OWNER else None
    page = render("broken.html", **shared, plan=plan, problem=problem)
    return HTMLResponse(page, 409)


def _place(site: Site, _: Asked) -> dict[str, Any]:
    # A name that no other study has, for how long a score is held, and what may be chosen.
    study = site.study
    plan = study.plan
    free = plan.shares is None and plan.task_order == "chosen"
    tasks = [task.name for task in plan.tasks] if free else []
    return {"study": site.cookie, "hold": sites.UNDO_SECONDS, "tasks": tasks}


def _nothing(_site: Site, _asked: Asked) -> dict[str, Any]:
    return {}


def _evidence(site: Site, asked: Asked) -> dict[str, Any]:
    """Latest evidence from the background process, with the state that it belongs to."""
    shown = site.evidence.shown()
    return {
        "evidence": shown,
        "task": shown.current if asked.task is None else asked.task,
        "end": site.end.known() or NOT_YET,
        "method": method_in_words(site.study.plan),
    }


def _everything(site: Site, asked: Asked) -> dict[str, Any]:
    blinded = not site.study.unblinded
    entries = site.study.journal(max(0, site.study.seq - LAST_ENTRIES))
    return {
        "names": site.study.names,
        "lines": site.study.trial_lines(asked.trials) if blinded else [],
        "plan": plan_view(site),
        "tokens": [
            token for token in site.study.tokens() if token.valid(site.study.store.local_time())
        ],
        "entries": [EntryView.of(entry, blinded=blinded) for entry in reversed(entries)],
    }


def _whole_page(site: Site, asked: Asked) -> dict[str, Any]:
    return {**_everything(site, asked), "hopeless": site.study.plan.hopeless()}


_add_page("/operate", "operate.html", _place, Role.OPERATOR, Role.OWNER)
_add_page("/view", "view.html", _nothing, Role.VIEWER, Role.OWNER)
_add_page("/owner", "owner.html", _whole_page, Role.OWNER)
_add_page("/wall", "wall.html", _nothing, Role.VIEWER, Role.OWNER)
# The parts of these pages that change.
_add_page("/view/live", "view_live.html", _nothing, Role.VIEWER, Role.OWNER)
_add_page("/wall/live", "wall_live.html", _nothing, Role.VIEWER, Role.OWNER)
_add_page("/owner/live", "owner_live.html", _everything, Role.OWNER)
