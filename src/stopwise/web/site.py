"""Shared by all requests to one app: the study, its address, and cached results."""

import hashlib
from functools import partial
from typing import Annotated, cast

from fastapi import Depends, Request

from stopwise.errors import InvalidInput, NotAllowed
from stopwise.study.study import Study
from stopwise.study.views import Status
from stopwise.web.analyst import Analyst
from stopwise.web.evidence import Shown
from stopwise.web.expected_end import ExpectedEnd
from stopwise.web.latest import Latest
from stopwise.web.live_updates import LiveUpdates, Pulse

# Seconds for which a score can be undone on the device before it is sent and final.
UNDO_SECONDS = 10.0


class Site:
    """One study and where it is served.

    ``url`` is what people use, for links and QR codes; None for that of each request.
    """

    def __init__(self, study: Study, url: str | None = None) -> None:
        self.study, self.url = study, url
        # Of this study: cookies do not tell ports apart.
        secret = f"cookie {study.store.secret()}"
        self.cookie = f"stopwise_{hashlib.sha256(secret.encode()).hexdigest()[:8]}"
        self.analyst = Analyst(study)
        self.evidence: Latest[Shown] = Latest(study, partial(self.analyst.do, "evidence"))
        self.end: Latest[ExpectedEnd] = Latest(study, partial(self.analyst.do, "forecast"))
        self.updates = LiveUpdates(study)
        self.pulse = Pulse(study)

    def close(self) -> None:
        self.analyst.close()
        self.end.close()

    def status(self) -> Status:
        """Status of the study; faults of a draft are shown to its owner alone."""
        try:
            return self.study.status()
        except InvalidInput as error:
            raise NotAllowed("the plan is not valid yet: the owner has to fix it") from error

    def address(self, request: Request) -> str:
        """Return the address under which people reach the app, without a slash at the end."""
        return (self.url or str(request.base_url)).rstrip("/")


def _here(request: Request) -> Site:
    return cast(Site, request.app.state.site)


CurrentSite = Annotated[Site, Depends(_here)]
