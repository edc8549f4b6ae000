"""Operations on a study as a whole: lock, amend, unblind, tokens, the end of a day."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from stopwise import __version__
from stopwise.core.registry import edition_of
from stopwise.errors import InvalidInput, NotAllowed, require_choice
from stopwise.study.access import Role, digest_of, find, owner_tokens
from stopwise.study.blinding import Draws
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.events import Amended, Locked, TokenCreated, TokenRevoked, Unblinded
from stopwise.study.limits import Days, Name, Note
from stopwise.study.operation import Now, Operation
from stopwise.study.plan_file import faults
from stopwise.study.requirements import require_reason
from stopwise.study.state import StudyState, TokenRecord
from stopwise.study.study_plan import AMENDABLE, StudyPlan

TOKEN_DAYS = 90.0  # a token of which nothing else is said


class Lock(Operation[None]):
    """Freeze the plan and draw the labels; trials can be taken from now on.

    The edition of the method stands beside it: with another, the same scores give other evidence.
    """

    plan: StudyPlan

    def decide(self, now: Now) -> Locked:
        if now.state.plan is not None:
            raise NotAllowed("the study is already locked")
        plan, lots = self.plan, Draws(now.secret, self.plan.seed)
        labels = lots.labels(plan)
        stored = {arm: plan.stored[name] for arm, name in labels.items() if name in plan.stored}
        return Locked(
            edition=edition_of(plan.method),
            stopwise=__version__,
            plan=plan.content(),
            digest=plan.digest,
            commitment=lots.commitment,
            arms=tuple(labels),
            baseline=next((arm for arm, name in labels.items() if name == plan.baseline), None),
            stored_trials=stored or None,
        )


class Amend(Operation[None], route="POST /plan/amendments"):
    """Log a remark, or change one of the settings that may still change."""

    reason: Note
    changes: Annotated[dict[str, Any], Field(max_length=20)] = Field(default_factory=dict)

    def decide(self, now: Now) -> Event:
        plan = now.state.locked_plan
        require_reason("an amendment", self.reason)
        for name in self.changes:
            if name not in StudyPlan.model_fields:
                raise InvalidInput(f"the plan has no entry {name!r}")
            if name not in AMENDABLE:
                raise NotAllowed(
                    f"{name} cannot change after the lock, because the guarantee depends on it; "
                    f"you can change {', '.join(AMENDABLE)}, and for anything else start a new "
                    "study"
                )
        try:
            changed = StudyPlan.model_validate({**plan.content(), **self.changes})
        except ValidationError as error:
            place, fault = faults(error)[0]
            raise InvalidInput(f"{'.'.join(map(str, place))}: {fault}") from error
        kept = {name: changed.content()[name] for name in self.changes}
        return Amended(reason=self.reason.strip(), changes=kept)


class Unblind(Operation[dict[str, str]], route="POST /plan/unblind"):
    """Reveal the policies' names to everyone, and the secret behind all random draws, for good."""

    reason: Note = ""

    def decide(self, now: Now) -> Event:
        names = now.state.labels(now.lots)
        if now.state.unblinded_at is not None:
            raise NotAllowed("the study is already unblinded")
        return Unblinded(names=names, secret=now.secret, reason=self.reason.strip())

    def result(self, now: Now) -> dict[str, str]:
        return now.state.labels(now.lots)


class CreateToken(Operation[None]):
    """Make a token, good for so many days (None: for ever), of which only the hash is kept.

    A name is one person's or machine's: only an owner may have several tokens.
    """

    text: str
    role: str
    name: Annotated[Name, BeforeValidator(str.strip)]
    days: Days | None = TOKEN_DAYS

    def decide(self, now: Now) -> TokenCreated:
        days, name = self.days, self.name
        require_choice("role", self.role, list(Role))
        taken = {
            record.name
            for record in now.state.tokens.values()
            if record.valid(now.time) and not (self.role == record.role == Role.OWNER)
        }
        if name in taken:
            raise NotAllowed(f"there is already a token for {name!r}: revoke it first")
        return TokenCreated(
            token=secrets.token_hex(4),
            role=str(self.role),
            name=name,
            digest=digest_of(self.text),
            expires=None if days is None else now.time + 86_400 * days,
        )


class OwnerToken(Operation[str], of_trials=False):
    """Return the token of an owner for the servers of a study, which is the same for all.

    It is made when it is first asked for, and anew after it was revoked or has expired.
    """

    secret: str
    who: str

    def decide(self, now: Now) -> Sequence[Event]:
        text, known = self._newest(now)
        if known is not None:
            return ()
        return (CreateToken(text=text, role=Role.OWNER, name=self.who).decide(now),)

    def result(self, now: Now) -> str:
        return self._newest(now)[0]

    def _newest(self, now: Now) -> tuple[str, TokenRecord | None]:
        tried = ((text, find(now.state, text)) for text in owner_tokens(self.secret, self.who))
        return next(one for one in tried if one[1] is None or one[1].valid(now.time))


class RevokeToken(Operation[None], route="DELETE /tokens/{token}"):
    """Revoke a token by its id, with immediate effect."""

    token: Name

    def decide(self, now: Now) -> Event:
        if self.token not in now.state.tokens:
            raise NotAllowed(f"there is no token {self.token!r}")
        if now.state.tokens[self.token].revoked:
            raise NotAllowed(f"token {self.token!r} is already revoked")
        return TokenRevoked(token=self.token)


class DayClosed(Event, kind="day closed", says="day closed, its hash written down"):
    def change(self, state: StudyState, entry: Entry) -> None:
        """Nothing changes: someone wrote down how the journal ends."""


@dataclass(frozen=True, kw_only=True)
class Closed:
    """The hash to write down, and what to say of it."""

    hash: str
    said: str


class CloseDay(Operation[Closed], route="POST /journal/close"):
    """Enter the end of a day, and return the hash that is written down elsewhere."""

    def decide(self, _: Now) -> Event:
        return DayClosed()

    def result(self, now: Now) -> Closed:
        said = (
            f"Write down {now.state.hash[:32]} where nobody who holds this study can change it: "
            "`stopwise study verify --against` finds whether the journal was rewritten."
        )
        return Closed(hash=now.state.hash, said=said)
