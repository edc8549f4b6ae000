"""Who may join: tokens are made and listed by the owner."""

from fastapi import APIRouter, Request

from stopwise.web.failures import FAILURES
from stopwise.web.links import join_link, qr_code
from stopwise.web.permissions import Owner
from stopwise.web.requests import TokenRequest
from stopwise.web.responses import NewTokenView, TokenView
from stopwise.web.site import CurrentSite

router = APIRouter(prefix="/api/tokens", tags=["tokens"], responses=FAILURES)


@router.get("")
def list_tokens(site: CurrentSite, _: Owner) -> list[TokenView]:
    """Return every token ever created, without the secret text."""
    return [TokenView.showing(token, id=token.token) for token in site.study.tokens()]


@router.post("", status_code=201)
def create_token(
    site: CurrentSite, grant: Owner, request: Request, wanted: TokenRequest
) -> NewTokenView:
    """Create a token; it is shown only once, and only its hash is kept."""
    token = site.study.create_token(wanted.role, wanted.name, days=wanted.days, who=grant.name)
    link = join_link(site.address(request), token)
    return NewTokenView(token=token, link=link, qr=qr_code(link))
