"""What is done to a study as a whole: locking, amending, unblinding."""

from typing import Any

from pydantic import ValidationError

from stopwise import __version__
from stopwise.core.registry import edition_of
from stopwise.errors import InvalidInput, NotAllowed
from stopwise.study.assignment import locked_plan, require_reason
from stopwise.study.blinding import Lots
from stopwise.study.events import Amended, Locked, Unblinded
from stopwise.study.limits import require_note
from stopwise.study.plan_file import faults
from stopwise.study.state import StudyState
from stopwise.study.study_plan import AMENDABLE, StudyPlan


def lock(state: StudyState, lots: Lots, plan: StudyPlan) -> Locked:
    """Return the event that the plan is frozen: the plan, its hash, the labels, the commitment.

    The edition of the method stands beside it: with another, the same scores give other evidence.
    """
    if state.plan is not None:
        raise NotAllowed("the study is already locked")
    labels = lots.labels(plan)
    return Locked(
        edition=edition_of(plan.method),
        stopwise=__version__,
        plan=plan.content(),
        digest=plan.digest,
        commitment=lots.commitment,
        arms=tuple(labels),
        baseline=next((arm for arm, name in labels.items() if name == plan.baseline), None),
        stored_trials={
            arm: plan.stored[name] for arm, name in labels.items() if name in plan.stored
        }
        or None,
    )


def amend(state: StudyState, reason: str, changes: dict[str, Any]) -> Amended:
    """Return the event that something was changed or remarked after the lock."""
    plan = locked_plan(state)
    require_reason("an amendment", reason)
    for name in changes:
        if name not in StudyPlan.model_fields:
            raise InvalidInput(f"the plan has no entry {name!r}")
        if name not in AMENDABLE:
            raise NotAllowed(
                f"{name} cannot change after the lock, because the guarantee depends on it; you "
                f"can change {', '.join(AMENDABLE)}, and for anything else start a new study"
            )
    try:
        changed = StudyPlan.model_validate({**plan.content(), **changes})
    except ValidationError as error:
        place, fault = faults(error)[0]
        raise InvalidInput(f"{'.'.join(map(str, place))}: {fault}") from error
    kept = {name: changed.content()[name] for name in changes}
    return Amended(reason=reason.strip(), changes=kept)


def unblind(state: StudyState, lots: Lots, reason: str) -> Unblinded:
    """Return the event that the names were revealed, with the secret behind all random draws."""
    locked_plan(state)
    if state.unblinded_at is not None:
        raise NotAllowed("the study is already unblinded")
    require_note(reason, "a reason")
    return Unblinded(names=state.labels(lots), secret=lots.secret, reason=reason.strip())
