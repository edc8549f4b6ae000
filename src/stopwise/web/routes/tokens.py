"""Who may join: tokens are made by the owner."""

from fastapi import APIRouter, Request

from stopwise.web.bodies import NewTokenView, TokenRequest
from stopwise.web.failures import FAILURES
from stopwise.web.links import join_link, qr_code
from stopwise.web.permissions import Owner
from stopwise.web.site import CurrentSite

router = APIRouter(prefix="/api/tokens", tags=["tokens"], responses=FAILURES)


@router.post("", status_code=201)
def create_token(
    site: CurrentSite, grant: Owner, request: Request, wanted: TokenRequest
) -> NewTokenView:
    """Create a token; it is shown only once, and only its hash is kept."""
    token = site.study.create_token(wanted.role, wanted.name, days=wanted.days, who=grant.name)
    link = join_link(site.address(request), token)
    return NewTokenView(token=token, link=link, qr=qr_code(link))
