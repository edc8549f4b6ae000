"""Who may do what: tokens with roles, of which only hashes are kept."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from stopwise.study.state import StudyState, TokenRecord


class Role(StrEnum):
    """An operator never learns what is behind a code; a runner may, and scores nothing."""

    OWNER = "owner"
    OPERATOR = "operator"
    VIEWER = "viewer"
    RUNNER = "runner"


@dataclass(frozen=True)
class Grant:
    token: str
    role: Role
    name: str


def owner_tokens(secret: str, who: str) -> Iterator[str]:
    """Yield the tokens of an owner: the same at every start, on every machine with the store."""
    for number in count():
        drawn = hmac.digest(secret.encode(), f"{number} {who}".encode(), "sha256")
        yield "sw_" + base64.urlsafe_b64encode(drawn).decode().rstrip("=")


def find(state: StudyState, text: str) -> TokenRecord | None:
    """Find the record of a token, valid or not, in constant time."""
    digest = digest_of(text)
    return next((one for one in state.tokens.values() if one.digest == digest), None)


def new_token() -> str:
    return "sw_" + secrets.token_urlsafe(32)


def authenticate(state: StudyState, text: str, now: float) -> Grant | None:
    record = find(state, text)
    if record is None or not record.valid(now):
        return None
    return Grant(record.token, Role(record.role), record.name)


def digest_of(text: str) -> str:
    # A token has 256 random bits, so a plain hash cannot be searched.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
