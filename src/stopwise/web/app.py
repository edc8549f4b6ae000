"""The web app of one study."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from stopwise import __version__
from stopwise.study.ledger import one_look
from stopwise.study.study import Study
from stopwise.web.failures import answer_failures
from stopwise.web.limits import Guarded
from stopwise.web.routes import (
    evidence,
    journal,
    operations,
    pages,
    plan,
    recordings,
    session,
    trials,
)
from stopwise.web.site import Site

STREAM = "/api/events"
CONCERNS = (trials, operations, recordings, evidence, plan, journal, session, pages)

ABOUT = """
The API of one live study. Send `Authorization: Bearer TOKEN`. The owner creates the tokens, each
with a role: `owner`, `operator` (takes and scores trials), `viewer` (sees the evidence) or `runner`
(a program at the robot that may look up which policy a code stands for, and scores nothing). Every
change is durably stored before the request is answered. A report sent again with the same `key` is
stored only once, so retrying is safe. Every failure has the form `{"error": ..., "detail": ...}`.
"""


class OneLook:
    """Lets all that a request reads come from one look at the store, but for a stream."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with nullcontext() if scope.get("path") == STREAM else one_look():
            await self.app(scope, receive, send)


class _App(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """OpenAPI of the real answers: ill-formed input gets 400, like any other."""
        if self.openapi_schema is None:
            document = super().openapi()
            for operations in document["paths"].values():
                for operation in operations.values():
                    operation["responses"].pop("422", None)
            schemas = document["components"]["schemas"]
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            self.openapi_schema = document
        return self.openapi_schema


def create_app(study: Study, *, url: str | None = None) -> FastAPI:
    """Return the web app of a study, to be served by any ASGI server.

    Parameters
    ----------
    study
        An open study; several apps, also on other machines, may serve the same one.
    url
        The address that people use, for links and QR codes; by default that of each request.
    """
    app = _App(
        title="stopwise study",
        version=__version__,
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,  # it would load scripts from elsewhere; /api is our own page
        redoc_url=None,
    )
    app.state.site = Site(study, url)
    for concern in CONCERNS:
        app.include_router(concern.router)
    app.mount("/static", StaticFiles(directory=Path(__file__).with_name("static")), name="static")
    answer_failures(app)
    app.add_middleware(OneLook)
    app.add_middleware(Guarded)
    return app
