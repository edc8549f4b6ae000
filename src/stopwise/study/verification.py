"""Checking a study from its first entry: the chain, the random draws, every assignment."""

from dataclasses import dataclass, replace

from stopwise.errors import NotAllowed, StopwiseError
from stopwise.study.assignment import next_trial
from stopwise.study.blinding import Lots
from stopwise.study.entries import Entry
from stopwise.study.events import Assigned, Locked, Scored, Unblinded
from stopwise.study.lifecycle import lock
from stopwise.study.replay import apply
from stopwise.study.saved_state import dump_state, is_outdated
from stopwise.study.state import StudyState
from stopwise.study.store import Store
from stopwise.study.study_plan import StudyPlan
from stopwise.study.trial_actions import require_trial

__all__ = ["Verification", "verify"]


@dataclass(frozen=True)
class Verification:
    """What was found: how many entries hold, the hash of the last one, and what is wrong."""

    entries: int
    hash: str
    problems: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(store: Store) -> Verification:
    """Replay the whole journal, and hold everything against it that can be held against it."""
    state = StudyState()
    problems: list[str] = []
    try:
        problems += store.damage()
        secret, snapshot = store.secret(), store.snapshot()
        if snapshot is not None and is_outdated(snapshot[2]):
            snapshot = None
        for entry in store.entries():
            problems += _complaints(state, entry, secret)
            apply(state, entry)
            state.require_edition()
            here = snapshot is not None and state.seq == snapshot[0]
            if here and snapshot != (state.seq, state.hash, dump_state(state)):
                problems.append(f"the saved state does not match entry {state.seq}")
    except NotAllowed:
        raise  # locked with another edition, which is no fault of the study
    except StopwiseError as error:
        problems.append(str(error))
    return Verification(state.seq, state.hash, tuple(problems))


def _complaints(state: StudyState, entry: Entry, secret: str) -> list[str]:
    """Return what is wrong with an entry, given those before it."""
    try:
        found = _broken_promises(state, entry, secret)
    except (StopwiseError, LookupError, TypeError, ValueError, AttributeError) as error:
        found = [f"it cannot be read: {error!r}"]
    return [f"entry {entry.seq}: {problem}" for problem in found]


def _broken_promises(state: StudyState, entry: Entry, secret: str) -> list[str]:
    if isinstance(entry.event, Locked):
        plan = StudyPlan.model_validate(entry.event.plan)
        return _not_locked_so(state, entry.event, Lots(secret, plan.seed), plan)
    if state.plan is None:
        return []
    lots = Lots(secret, state.plan.seed)
    match entry.event:
        case Assigned() as event:
            return _not_by_the_rules(state, event, lots, entry.time)
        case Scored() as event:
            return _not_by_the_rubric(state, event, state.plan)
        case Unblinded() as event:
            return _not_behind_the_labels(event, lots, state.plan)
    return []


def _not_locked_so(state: StudyState, locked: Locked, lots: Lots, plan: StudyPlan) -> list[str]:
    # Which stopwise locked it is not for the plan to say.
    promised = replace(
        lock(state, lots, plan), edition=locked.edition, stopwise=locked.stopwise
    ).stored()
    found = locked.stored()
    return [
        f"{name} does not match the locked plan"
        for name, value in promised.items()
        if found[name] != value
    ]


def _not_by_the_rules(state: StudyState, assigned: Assigned, lots: Lots, time: float) -> list[str]:
    station, task = assigned.station, assigned.asked
    by_the_rules = next_trial(state, lots, station=station, now=time, task=task) == assigned
    return [] if by_the_rules else ["this is not the trial that the rules prescribe"]


def _not_by_the_rubric(state: StudyState, scored: Scored, plan: StudyPlan) -> list[str]:
    trial = require_trial(state, scored.trial)
    score = plan.task(trial.task).score.score(scored.answer)
    return [] if scored.score == score else ["the score does not match the answer"]


def _not_behind_the_labels(unblinded: Unblinded, lots: Lots, plan: StudyPlan) -> list[str]:
    if unblinded.secret != lots.secret:
        return ["the secret is not the one that was committed to"]
    same = unblinded.names == lots.labels(plan)
    return [] if same else ["the names do not match the labels"]
