"""Authentication and permissions: tokens, cookies, roles, forged requests."""

import hmac
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from stopwise.study.access import Grant, Role
from stopwise.study.operation import AT_THE_ROBOT, OPERATOR, OWNER, RUNNER
from stopwise.web.site import CurrentSite, Site

CSRF_HEADER = "X-CSRF-Token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="A token for this study.")


def csrf_token(token: str) -> str:
    """Token that a page sends with each change, and that another site can neither know nor set."""
    return hmac.digest(token.encode(), b"csrf", "sha256").hex()[:32]


def session(site: Site, request: Request) -> tuple[str, Grant] | None:
    """Return the token in the cookie and what it grants, or None."""
    token = request.cookies.get(site.cookie)
    grant = site.study.authenticate(token) if token else None
    return (token, grant) if token and grant else None


def _grant(
    request: Request,
    site: CurrentSite,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)] = None,
) -> Grant:
    if bearer is not None:
        grant = site.study.authenticate(bearer.credentials)
        if grant is not None:
            return grant
        raise _unknown("this token is unknown or revoked")
    signed_in = session(site, request)
    if signed_in is None:
        raise _unknown("a token is needed: send `Authorization: Bearer TOKEN`, or open a join link")
    token, grant = signed_in
    sent = request.headers.get(CSRF_HEADER, "")
    if request.method not in SAFE and not hmac.compare_digest(
        sent.encode("latin-1", "replace"), csrf_token(token).encode()
    ):
        raise HTTPException(
            403, "this request did not come from a page of this study: reload the page"
        )
    return grant


def _unknown(message: str) -> HTTPException:
    return HTTPException(401, message, headers={"WWW-Authenticate": "Bearer"})


def allow(*roles: Role) -> Callable[[Grant], Grant]:
    """Return a dependency that gives the grant of a request, if it has one of these roles."""

    def check(grant: Annotated[Grant, Depends(_grant)]) -> Grant:
        if grant.role not in roles:
            raise HTTPException(403, f"the role {grant.role} is not allowed to do this")
        return grant

    return check


Anyone = Annotated[Grant, Depends(_grant)]
Owner = Annotated[Grant, Depends(allow(*OWNER))]
Operator = Annotated[Grant, Depends(allow(*OPERATOR))]
AtTheRobot = Annotated[Grant, Depends(allow(*AT_THE_ROBOT))]
# Sees the evidence, which might sway an operator.
Reader = Annotated[Grant, Depends(allow(Role.OWNER, Role.VIEWER))]
Runner = Annotated[Grant, Depends(allow(*RUNNER))]
