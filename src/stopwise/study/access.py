"""Who may do what: tokens with roles, of which only hashes are kept."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from stopwise.errors import NotAllowed, require, require_choice
from stopwise.study.events import TokenCreated, TokenRevoked
from stopwise.study.limits import require_name
from stopwise.study.state import StudyState, TokenRecord


class Role(StrEnum):
    """What the holder of a token may do.

    An owner may do everything; an operator takes and scores trials and never learns what is behind
    a code; a viewer sees the evidence; a runner, a program at the robot, may ask which policy a
    code stands for.
    """

    OWNER = "owner"
    OPERATOR = "operator"
    VIEWER = "viewer"
    RUNNER = "runner"


@dataclass(frozen=True)
class Grant:
    """A token that was recognised: its id, its role and the name it was made out to."""

    token: str
    role: Role
    name: str


def owner_tokens(secret: str, who: str) -> Iterator[str]:
    """Yield the tokens of an owner: the same at every start, on every machine with the store."""
    for number in count():
        drawn = hmac.digest(secret.encode(), f"{number} {who}".encode(), "sha256")
        yield "sw_" + base64.urlsafe_b64encode(drawn).decode().rstrip("=")


def find(state: StudyState, text: str) -> TokenRecord | None:
    """Find the record of a token, valid or not; comparing hashes takes no telling time."""
    digest = _digest(text)
    return next((one for one in state.tokens.values() if one.digest == digest), None)


def new_token() -> str:
    """Return the text of a new token, to be shown once."""
    return "sw_" + secrets.token_urlsafe(32)


def create_token(
    state: StudyState, text: str, role: str, name: str, *, now: float, days: float | None
) -> TokenCreated:
    """Return the event that a token of this text was made, for so many days.

    A name is one person's or machine's: only an owner may have several tokens.
    """
    require_choice("role", role, list(Role))
    require(days is None or 0 < days <= 3660, f"days must be between 0 and 3660, but got {days!r}")
    name = name.strip()
    require_name(name, "a token's name")
    taken = {
        record.name
        for record in state.tokens.values()
        if record.valid(now) and not (role == record.role == Role.OWNER)
    }
    if name in taken:
        raise NotAllowed(f"there is already a token for {name!r}: revoke it first")
    return TokenCreated(
        token=secrets.token_hex(4),
        role=str(role),
        name=name,
        digest=_digest(text),
        expires=None if days is None else now + 86_400 * days,
    )


def revoke_token(state: StudyState, token: str) -> TokenRevoked:
    """Return the event that a token, named by its id, is void."""
    if token not in state.tokens:
        raise NotAllowed(f"there is no token {token!r}")
    if state.tokens[token].revoked:
        raise NotAllowed(f"token {token!r} is already revoked")
    return TokenRevoked(token=token)


def authenticate(state: StudyState, text: str, now: float) -> Grant | None:
    """Return what a token grants, or None."""
    record = find(state, text)
    if record is None or not record.valid(now):
        return None
    return Grant(record.token, Role(record.role), record.name)


def _digest(text: str) -> str:
    # A token has 256 random bits, so a plain hash cannot be searched.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
