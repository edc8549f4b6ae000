"""Checking a study from its first entry: the chain, the random draws, every assignment."""

from dataclasses import dataclass

from stopwise.errors import NotAllowed, StopwiseError
from stopwise.study.amendment import lock
from stopwise.study.assignment import next_trial
from stopwise.study.blinding import Lots
from stopwise.study.edition import LOCKED_WITH
from stopwise.study.journal import Entry
from stopwise.study.outcomes import require_trial
from stopwise.study.plan import Plan
from stopwise.study.replay import apply
from stopwise.study.snapshot import dump_state, is_outdated
from stopwise.study.state import State
from stopwise.study.store import Store

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
    state = State()
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
                problems.append(f"the saved state is not that of entry {state.seq}")
    except NotAllowed:
        raise  # locked with another edition, which is no fault of the study
    except StopwiseError as error:
        problems.append(str(error))
    return Verification(state.seq, state.hash, tuple(problems))


def _complaints(state: State, entry: Entry, secret: str) -> list[str]:
    """Return what is wrong with an entry, given those before it."""
    try:
        found = _broken_promises(state, entry, secret)
    except (StopwiseError, LookupError, TypeError, ValueError, AttributeError) as error:
        found = [f"it cannot be understood: {error!r}"]
    return [f"entry {entry.seq}: {problem}" for problem in found]


def _broken_promises(state: State, entry: Entry, secret: str) -> list[str]:
    if entry.kind == "locked":
        plan = Plan.model_validate(entry.content["plan"])
        return _not_locked_so(state, entry, Lots(secret, plan.seed), plan)
    if state.plan is not None:
        lots = Lots(secret, state.plan.seed)
        if entry.kind == "assigned":
            return _not_by_the_rules(state, entry, lots)
        if entry.kind == "scored":
            return _not_by_the_rubric(state, entry, state.plan)
        if entry.kind == "unblinded":
            return _not_behind_the_labels(entry, lots, state.plan)
    return []


def _not_locked_so(state: State, entry: Entry, lots: Lots, plan: Plan) -> list[str]:
    promised = lock(state, lots, plan).content
    return [
        f"{name} is not that of the locked plan"
        for name, value in promised.items()
        if name not in LOCKED_WITH and entry.content[name] != value
    ]


def _not_by_the_rules(state: State, entry: Entry, lots: Lots) -> list[str]:
    station, task = entry.content["station"], entry.content["asked"]
    draft = next_trial(state, lots, station=station, now=entry.time, task=task)
    by_the_rules = draft is not None and draft.content == entry.content
    return [] if by_the_rules else ["this is not the trial that the rules give"]


def _not_by_the_rubric(state: State, entry: Entry, plan: Plan) -> list[str]:
    trial = require_trial(state, entry.content["trial"])
    score = plan.task(trial.task).score.score(entry.content["answer"])
    return [] if entry.content["score"] == score else ["the score is not that of the answer"]


def _not_behind_the_labels(entry: Entry, lots: Lots, plan: Plan) -> list[str]:
    if entry.content["secret"] != lots.secret:
        return ["the secret is not the one that was committed to"]
    same = entry.content["names"] == lots.labels(plan)
    return [] if same else ["the names are not those behind the labels"]
