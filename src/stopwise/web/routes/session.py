"""Tokens, which the owner makes, and cookies, which no script can read."""

from fastapi import APIRouter, HTTPException, Request, Response

from stopwise import __version__
from stopwise.study.access import Role
from stopwise.web.bodies import Done, Health, JoinRequest, JoinView, Me, NewTokenView, TokenRequest
from stopwise.web.failures import FAILURES
from stopwise.web.links import join_link, qr_code
from stopwise.web.permissions import Anyone, Owner
from stopwise.web.site import CurrentSite

router = APIRouter(prefix="/api", tags=["session"], responses=FAILURES)
PAGES = {Role.OWNER: "/owner", Role.OPERATOR: "/operate", Role.VIEWER: "/view"}
MONTH = 31 * 24 * 3600


@router.get("/health")
async def health(site: CurrentSite, response: Response) -> Health:
    """Check that the server is up and can store; needs no token. Answered with 503 if it cannot."""
    detail = await site.pulse.detail()
    response.status_code = 503 if detail else 200
    return Health(ok=not detail, version=__version__, detail=detail)


@router.get("/me")
def me(grant: Anyone) -> Me:
    """Return the token's role and name."""
    return Me(role=grant.role, name=grant.name)


@router.post("/join")
def join(site: CurrentSite, request: Request, response: Response, wanted: JoinRequest) -> JoinView:
    """Exchange a token for a session cookie."""
    token = wanted.token.strip()
    grant = site.study.authenticate(token)
    if grant is None:
        raise HTTPException(401, "this link is unknown or revoked: ask the owner for a new one")
    if grant.role not in PAGES:
        raise HTTPException(403, "this token is for a program at the robot, not for a browser")
    response.set_cookie(
        site.cookie,
        token,
        max_age=MONTH,
        httponly=True,
        samesite="strict",
        secure=site.address(request).startswith("https://"),
    )
    return JoinView(role=grant.role, page=PAGES[grant.role])


@router.post("/leave")
def leave(site: CurrentSite, response: Response) -> Done:
    """Delete the session cookie."""
    response.delete_cookie(site.cookie, httponly=True, samesite="strict")
    return Done()


@router.post("/tokens", status_code=201, tags=["tokens"])
def create_token(
    site: CurrentSite, grant: Owner, request: Request, wanted: TokenRequest
) -> NewTokenView:
    """Create a token; it is shown only once, and only its hash is kept."""
    token = site.study.create_token(wanted.role, wanted.name, days=wanted.days, who=grant.name)
    link = join_link(site.address(request), token)
    return NewTokenView(token=token, link=link, qr=qr_code(link))
