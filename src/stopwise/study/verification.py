"""Checking a study from its first entry: the chain, the random draws, every assignment."""

from collections.abc import Iterator
from dataclasses import dataclass

from stopwise.errors import NotAllowed, StopwiseError, require
from stopwise.study import events
from stopwise.study.assignment import next_trial, require_trial
from stopwise.study.blinding import Draws
from stopwise.study.entries import Entry
from stopwise.study.episodes import EpisodeBegan
from stopwise.study.lifecycle import Lock
from stopwise.study.operation import Now
from stopwise.study.state import StudyState
from stopwise.study.store import Store
from stopwise.study.study_plan import StudyPlan
from stopwise.study.trial_operations import judged

SHORTEST = 16  # digits of a hash that name one entry beyond doubt


@dataclass(frozen=True)
class Verification:
    entries: int
    hash: str
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not self.problems


def verify(store: Store, against: str | None = None) -> Verification:
    """Replay the whole journal, and hold everything against it that can be held against it."""
    state = StudyState()
    problems: list[str] = []
    wanted = None if against is None else against.strip().lower()
    require(
        wanted is None or len(wanted) >= SHORTEST,
        f"a hash to check against must have at least {SHORTEST} digits, but got {against!r}",
    )
    holds = wanted is None
    try:
        problems += store.damage()
        secret = store.secret()
        for entry in store.entries():
            problems += _complaints(state, entry, secret)
            state.apply(entry)
            state.require_edition()
            holds = holds or entry.hash.startswith(str(wanted))
    except NotAllowed:
        raise  # locked with another edition, which is no fault of the study
    except StopwiseError as error:
        problems.append(str(error))
    if not holds:
        problems.append(
            f"no entry has the hash {wanted}: the journal was rewritten, or has lost that entry"
        )
    return Verification(state.seq, state.hash, tuple(problems))


def _complaints(state: StudyState, entry: Entry, secret: str) -> list[str]:
    try:
        found = list(_broken_promises(state, entry, secret))
    except (StopwiseError, LookupError, TypeError, ValueError, AttributeError) as error:
        found = [f"it cannot be read: {error!r}"]
    return [f"entry {entry.seq}: {problem}" for problem in found]


def _broken_promises(state: StudyState, entry: Entry, secret: str) -> Iterator[str]:
    locked = entry.event if isinstance(entry.event, events.Locked) else None
    plan = state.plan if locked is None else StudyPlan.model_validate(locked.plan)
    if plan is None:
        return
    lots = Draws(secret, plan.seed)
    match entry.event:
        case events.Locked() as found:
            for name, value in Lock(plan=plan).decide(Now(state, secret=secret)).stored().items():
                # Which stopwise locked it is not for the plan to say.
                if name not in ("edition", "stopwise") and getattr(found, name) != value:
                    yield f"{name} does not match the locked plan"
        case events.Assigned(station=station, asked=task) as found:
            clock = state.clock_at(entry.moment)
            if next_trial(state, lots, station=station, clock=clock, task=task) != found:
                yield "this is not the trial that the rules prescribe"
        case events.Scored() | events.Released() as found if found.score != _prescribed(
            state, plan, found
        ):
            yield "the score does not match the answer, or is not the worst"
        case EpisodeBegan(trial=trial) if require_trial(state, trial).episode:
            yield f"trial {trial} was run a second time"
        case events.Unblinded(names=names, secret=revealed):
            if revealed != secret:
                yield "the secret is not the one that was committed to"
            elif names != state.labels(lots):
                yield "the names do not match the labels"


def _prescribed(
    state: StudyState, plan: StudyPlan, event: events.Scored | events.Released
) -> float | None:
    trial = require_trial(state, event.trial)
    if isinstance(event, events.Scored):
        return judged(state, trial, event.answer)[1]
    return None if event.score is None else plan.task(trial.task).score.worst
