"""Checking a study from its first entry: the chain, the random draws, every assignment."""

from collections.abc import Iterator
from dataclasses import dataclass

from stopwise.errors import NotAllowed, StopwiseError, require
from stopwise.study import events
from stopwise.study.assignment import next_trial
from stopwise.study.blinding import Draws
from stopwise.study.entries import Entry
from stopwise.study.episodes import EpisodeBegan
from stopwise.study.event import Event
from stopwise.study.lifecycle import Lock
from stopwise.study.operation import Now
from stopwise.study.requirements import require_trial
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
    """Replay the whole journal and check every entry, draw and assignment."""
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
            state.now = state.clock_at(entry.moment)
            problems += _complaints(state, entry, secret)
            state.apply(entry)
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
        problems = list(_broken_promises(state, entry, secret))
    except (StopwiseError, LookupError, TypeError, ValueError, AttributeError) as error:
        problems = [f"it cannot be read: {error!r}"]
    return [f"entry {entry.seq}: {problem}" for problem in problems]


def _broken_promises(state: StudyState, entry: Entry, secret: str) -> Iterator[str]:
    event = entry.event
    if isinstance(event, events.Locked):
        plan = StudyPlan.model_validate(event.plan)
        prescribed = Lock(plan=plan).decide(Now(state, secret=secret)).stored()
        for name, value in prescribed.items():
            # Which stopwise locked it is not for the plan to say.
            if name not in ("edition", "stopwise") and getattr(event, name) != value:
                yield f"{name} does not match the locked plan"
    elif state.plan is not None:
        yield from _faults(state, event, Draws(secret, state.plan.seed))


def _faults(state: StudyState, event: Event, lots: Draws) -> Iterator[str]:
    match event:
        case events.Assigned(station=station, asked=task):
            if next_trial(state, lots, station=station, task=task) != event:
                yield "this is not the trial that the rules prescribe"
        case events.Scored(trial=trial) | events.Corrected(trial=trial):
            if event.score != judged(state, require_trial(state, trial), event.answer):
                yield "the score does not match the answer"
        case events.Released(trial=trial, score=score) if score is not None:
            if score != state.locked_plan.task(require_trial(state, trial).task).score.worst:
                yield "the score is not the worst"
        case EpisodeBegan(trial=trial) if require_trial(state, trial).episode:
            yield f"trial {trial} was run a second time"
        case events.Unblinded(names=names, secret=revealed):
            if revealed != lots.secret:
                yield "the secret is not the one that was committed to"
            elif names != state.labels(lots):
                yield "the names do not match the labels"
