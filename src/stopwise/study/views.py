"""What people see of a study: frozen, and blind where it must be."""

from collections import Counter
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from stopwise.study.assignment import finished, holding, needed
from stopwise.study.check_lists import checks_due
from stopwise.study.requirements import (
    allowed,
    own_trial,
    require_correctable,
    require_trial,
    require_voidable,
)
from stopwise.study.state import StudyState, TrialRecord, TrialStatus
from stopwise.study.study_plan import StudyPlan

# The pace of a study: from how many results of late, and at least how many gaps between them.
RECENT, FEW_GAPS = 100, 4
SILENCE = 10.0  # seconds after which a runner that says nothing is told to be away


@dataclass(frozen=True, kw_only=True)
class _TrialUnderWay:
    trial: int
    needed: bool  # whether its result can still change the verdict; if not, it need not be run
    started: bool = False
    attended: bool = False  # whether a runner starts the policy once the operator has tapped Start
    silent: bool = False  # whether that runner was not heard of for a while
    episode: str | None = None  # what the runner started, whether that runs, and how long it took
    running: bool = False
    stopping: bool = False  # whether the operator wants it stopped
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Assignment(_TrialUnderWay):
    """A trial as its operator sees it; nothing here depends on which policy it is."""

    code: str  # for whatever starts the policy
    task: str
    instructions: str
    condition: str | None
    # How the trial is scored, as in the plan; if it is compared, with the code of the ``first``.
    rubric: dict[str, Any]
    tags: tuple[str, ...]
    station: str
    seconds_left: float  # until the trial may be given to another station


@dataclass(frozen=True, kw_only=True)
class StationOffer:
    """A station's offer: its trial, or the reason why there is none.

    There is none if the study is ``finished``, if the ``checks`` have to be gone through first, or
    if other stations hold the rest.
    """

    trial: Assignment | None
    finished: bool = False
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Whereabouts(_TrialUnderWay):
    """A trial that its station may have given up; it is "leased" also when its time has run out."""

    status: TrialStatus


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What happened to a report; the first of two trials that are compared has no score yet."""

    trial: int
    score: float | None
    counted: bool  # false for a duplicate result
    repeated: bool  # whether a report with this key was stored before


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """The policy a code stands for; only for the program at the robot."""

    trial: int
    policy: str
    run: str | None


@dataclass(frozen=True, kw_only=True)
class TrialLine:
    """A trial as its owner may choose it: never whose it is or how it went."""

    trial: int
    task: str
    station: str
    who: str
    when: float | None
    now: str
    correctable: bool
    voidable: bool


@dataclass(frozen=True, kw_only=True)
class StationStatus:
    """One station: the trial it currently holds (or None), by whom, and how many it has scored."""

    station: str
    trial: int | None
    code: str | None
    started: bool
    scored: int
    who: str | None = None


@dataclass(frozen=True, kw_only=True)
class Status:
    """The progress of a study, and its last journal entry: the hash pins down all before it."""

    study: str
    name: str
    phase: str  # "draft", "running" or "finished"
    unblinded: bool
    plan_digest: str | None
    seq: int
    hash: str
    assigned: int  # trials handed out by the study
    imported: int
    scored: int
    counted: int
    voided: int
    given_back: int
    duplicates: int  # second results for one place, which do not count
    in_flight: int
    amendments: int
    stations: tuple[StationStatus, ...]
    method: str
    n_max: int | None

    def seen_by(self, who: str) -> "Status":
        """The status without the codes of trials that others hold."""
        stations = (each if each.who == who else replace(each, code=None) for each in self.stations)
        return replace(self, stations=tuple(stations))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def offer(state: StudyState, station: str) -> StationOffer:
    trial, over = holding(state, station), finished(state)
    if trial is None:
        due = () if over or state.plan is None else checks_due(state, station)
        return StationOffer(trial=None, finished=over, checks=due)
    plan = state.locked_plan
    shown = Assignment(
        code=trial.code,
        task=trial.task,
        instructions=plan.task(trial.task).instructions,
        condition=trial.condition,
        rubric=rubric(state, trial.number),
        tags=plan.tags,
        station=trial.station,
        seconds_left=max(0.0, trial.expires - state.now),
        **_under_way(state, trial),
    )
    return StationOffer(trial=shown)


def whereabouts(state: StudyState, trial: int, *, station: str) -> Whereabouts:
    known = own_trial(state, trial, station)
    return Whereabouts(status=known.status, **_under_way(state, known))


def _under_way(state: StudyState, trial: TrialRecord) -> dict[str, Any]:
    attended = trial.station in state.attended
    return {
        "trial": trial.number,
        "needed": needed(state, trial),
        "started": trial.started,
        "attended": attended,
        "silent": attended and state.now - state.heard.get(trial.station, 0.0) > SILENCE,
        "episode": trial.episode or None,
        "running": trial.running,
        "stopping": trial.stopping,
        "seconds": trial.seconds,
    }


def trial_lines(state: StudyState, most: int) -> list[TrialLine]:
    return [
        TrialLine(
            trial=trial.number,
            task=trial.task,
            station=trial.station,
            who=trial.who,
            when=trial.when or None,
            now=_in_words(trial, state.now),
            correctable=allowed(require_correctable, state, trial.number),
            voidable=allowed(require_voidable, state, trial.number),
        )
        for trial in state.trials[: -most - 1 : -1]
    ]


def _in_words(trial: TrialRecord, now: float) -> str:
    if trial.status == "leased":
        return "under way" if now < trial.expires else "no result yet"
    if trial.status == "released":
        return "lapsed" if trial.lapsed else "not needed" if trial.unneeded else "given back"
    if trial.status == "voided":
        return "voided"
    if trial.waiting:
        return "run"
    corrected = trial.first is not None
    return "scored, corrected" if corrected else "scored" if trial.code else "imported"


def taken_by(state: StudyState, trial: int) -> str:
    return require_trial(state, trial).who


def size(state: StudyState) -> tuple[int, int]:
    """Count the pairs that are compared, on all tasks, and the trials."""
    arms = len(state.arms)
    return arms * (arms - 1) // 2 * len(state.boards), len(state.trials)


def rubric(state: StudyState, number: int) -> dict[str, Any]:
    trial = require_trial(state, number)
    first = state.run_before(trial)
    content: dict[str, Any] = state.locked_plan.task(trial.task).score.model_dump(mode="json")
    return content if first is None else {**content, "first": first.code}


def status(state: StudyState, plan: StudyPlan) -> Status:
    trials = state.trials
    by_status = Counter(trial.status for trial in trials)
    scored_at = Counter(trial.station for trial in trials if trial.has_result)
    scored = scored_at.total()
    assigned = sum(bool(trial.code) for trial in trials)  # an imported one has none
    held = {station: holding(state, station) for station in sorted(state.held)}
    running = "finished" if finished(state) else "running"
    return Status(
        study=state.study,
        name=plan.name,
        phase=running if state.plan is not None else "draft",
        unblinded=state.unblinded_at is not None,
        plan_digest=state.digest or None,
        seq=state.seq,
        hash=state.hash,
        assigned=assigned,
        imported=len(trials) - assigned,
        scored=scored,
        counted=sum(trial.counted for trial in trials),
        voided=by_status["voided"],
        given_back=by_status["released"],
        duplicates=sum(trial.has_result and not trial.counted for trial in trials),
        in_flight=sum(trial is not None for trial in held.values()),
        amendments=state.amendments,
        stations=tuple(
            StationStatus(
                station=station,
                trial=None if trial is None else trial.number,
                code=None if trial is None else trial.code,
                started=trial is not None and trial.started,
                scored=scored_at[station],
                who=None if trial is None else trial.who,
            )
            for station, trial in held.items()
        ),
        method=plan.method,
        n_max=plan.n_max,
    )


def overshoot(state: StudyState) -> dict[tuple[str, str], int]:
    """Count the results beyond the decision, by task and policy."""
    shown = state.shown()
    return dict(
        Counter(
            (task, shown[arm])
            for task, board in state.boards.items()
            for _, arm, _ in board.overshoot()
        )
    )


def trials_saved(state: StudyState) -> dict[str, int]:
    """Return, by task, how many trials up to n_max are known to be no longer needed."""
    return {task: board.saved() for task, board in state.boards.items()}


def trials_left(state: StudyState) -> dict[str, int]:
    """Return, by task, how many more trials there can be up to n_max; 0 without one."""
    return {task: board.left() for task, board in state.boards.items()}


def minutes_per_trial(state: StudyState) -> float | None:
    """Minutes from one result to the next while people work; None if too few came.

    It is that of the study, not of a station: two robots are twice as fast. A break is longer
    than a lease, and no person is done within a second.
    """
    times = sorted(trial.when for trial in state.trials if trial.code and trial.status == "scored")
    steps = (two - one for one, two in pairwise(times[-RECENT:]))
    gaps = [step for step in steps if step <= state.lease]
    known = len(gaps) >= FEW_GAPS and sum(gaps) >= len(gaps)
    return sum(gaps) / len(gaps) / 60.0 if known else None
