"""Checking a study from its first entry: the chain, the random draws, every assignment."""

from dataclasses import dataclass

from stopwise.errors import StopwiseError
from stopwise.study.amendment import lock
from stopwise.study.assignment import next_trial
from stopwise.study.blinding import Lots
from stopwise.study.journal import Entry
from stopwise.study.plan import Plan
from stopwise.study.snapshot import dump_state
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
        for entry in store.entries():
            problems += _complaints(state, entry, secret)
            state.apply(entry)
            here = snapshot is not None and state.seq == snapshot[0]
            if here and snapshot != (state.seq, state.hash, dump_state(state)):
                problems.append(f"the saved state is not that of entry {state.seq}")
    except StopwiseError as error:
        problems.append(str(error))
    return Verification(state.seq, state.hash, tuple(problems))


def _complaints(state: State, entry: Entry, secret: str) -> list[str]:
    """Return what is wrong with an entry, given those before it."""
    content = entry.content
    if entry.kind == "locked":
        plan = Plan.model_validate(content["plan"])
        promised = lock(state, Lots(secret, plan.seed), plan).content
        return [
            f"entry {entry.seq}: {name} is not that of the locked plan"
            for name, value in promised.items()
            if content[name] != value
        ]
    if state.plan is None:
        return []
    if entry.kind == "assigned":
        draft = next_trial(
            state,
            Lots(secret, state.plan.seed),
            station=content["station"],
            now=entry.time,
            task=content["asked"],
        )
        if draft is None or draft.content != content:
            return [f"entry {entry.seq}: this is not the trial that the rules give"]
    if entry.kind == "scored":
        rubric = state.plan.task(state.trials[content["trial"] - 1].task).score
        if content["score"] != rubric.score(content["answer"]):
            return [f"entry {entry.seq}: the score is not that of the answer"]
    if entry.kind == "unblinded":
        if content["secret"] != secret:
            return [f"entry {entry.seq}: the secret is not the one that was committed to"]
        if content["names"] != Lots(secret, state.plan.seed).labels(state.plan):
            return [f"entry {entry.seq}: the names are not those behind the labels"]
    return []
