"""What people are shown of a study: frozen, and blind where it must be."""

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import Any

from stopwise.study.assignment import finished, holding, needed
from stopwise.study.check_lists import checks_due
from stopwise.study.state import StudyState, TrialRecord, TrialStatus
from stopwise.study.study_plan import StudyPlan

SILENCE = 10.0  # seconds after which a runner that says nothing is told to be away


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """A trial as its operator sees it; nothing here depends on which policy it is.

    Attributes
    ----------
    trial
        The trial number, used to report its result.
    code
        The blind code; give it to whatever starts the policy.
    rubric
        How the trial is scored: the task's ``score`` from the plan. Judged by preference, the
        second trial of a row also has the code of the ``first``, which it is compared with.
    given_back
        What it counts as if it is given back after it began: "worst" or "again".
    seconds_left
        Seconds until the trial may be given to another station.
    needed
        Whether the result can still change the verdict; if not, there is no need to run it.
    attended
        Whether a runner at this station starts the policy once the operator has tapped Start.
    silent
        Whether that runner was not heard of for a while.
    episode, running, stopping, seconds
        What the runner started, or None; whether it still runs; whether its operator wants it
        stopped; and how long it took.
    """

    trial: int
    code: str
    task: str
    instructions: str
    condition: str | None
    rubric: dict[str, Any]
    tags: tuple[str, ...]
    station: str
    started: bool
    seconds_left: float
    needed: bool
    given_back: str = "again"
    attended: bool = False
    silent: bool = False
    episode: str | None = None
    running: bool = False
    stopping: bool = False
    seconds: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class StationOffer:
    trial: Assignment | None
    finished: bool = False
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Whereabouts:
    """A trial that its station may have given up; the rest is as in ``Assignment``."""

    trial: int
    status: TrialStatus
    needed: bool
    started: bool = False
    attended: bool = False
    silent: bool = False
    episode: str | None = None
    running: bool = False
    stopping: bool = False
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What happened to a report; the first of two trials that are compared has no score yet."""

    trial: int
    score: float | None
    counted: bool
    repeated: bool


@dataclass(frozen=True, kw_only=True)
class Resolved:
    trial: int
    policy: str
    run: str | None


@dataclass(frozen=True, kw_only=True)
class Names:
    names: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class StationStatus:
    station: str
    trial: int | None
    code: str | None
    started: bool
    scored: int
    who: str | None = None


@dataclass(frozen=True, kw_only=True)
class Status:
    """The progress of a study.

    Attributes
    ----------
    phase
        "draft", "running" or "finished".
    assigned, imported
        Trials handed out by the study, and trials run elsewhere.
    scored, counted, voided, given_back, duplicates, in_flight
        Trials with a score, trials whose score counts, voided trials, trials given back, duplicate
        results that do not count, and trials in progress.
    seq, hash
        The last journal entry; once published, its hash pins down everything before it.
    method, n_max
        As the plan has them; None for n_max is no limit.
    edited
        What ``study.yaml`` says otherwise than the plan that was locked, which stays in force.
    """

    study: str
    name: str
    phase: str
    unblinded: bool
    plan_digest: str | None
    seq: int
    hash: str
    assigned: int
    imported: int
    scored: int
    counted: int
    voided: int
    given_back: int
    duplicates: int
    in_flight: int
    amendments: int
    stations: tuple[StationStatus, ...]
    method: str
    n_max: int | None
    edited: tuple[str, ...] = ()

    @property
    def warning(self) -> str | None:
        return edited_text(self.edited) if self.edited else None

    def seen_by(self, who: str) -> "Status":
        """Return the status without the codes of trials that others hold."""
        own = (each if each.who == who else replace(each, code=None) for each in self.stations)
        return replace(self, stations=tuple(own))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def edited_text(settings: tuple[str, ...]) -> str:
    what = ", ".join(settings)
    return (
        f"study.yaml was edited after the lock ({what}), which changes nothing: the plan that was "
        "locked holds"
    )


def held(state: StudyState, station: str, clock: float) -> Assignment | None:
    trial = holding(state, station, clock)
    if trial is None:
        return None
    plan = state.locked_plan
    task = plan.task(trial.task)
    return Assignment(
        trial=trial.number,
        code=trial.code,
        task=trial.task,
        instructions=task.instructions,
        condition=trial.condition,
        rubric=rubric(state, trial),
        tags=plan.tags,
        station=trial.station,
        started=trial.started,
        seconds_left=max(0.0, trial.expires - clock),
        needed=needed(state, trial),
        given_back=plan.given_back,
        **_episode(state, trial, clock),
    )


def offer(state: StudyState, station: str, clock: float) -> StationOffer:
    trial, over = held(state, station, clock), finished(state)
    due = (
        () if over or trial is not None or state.plan is None else checks_due(state, station, clock)
    )
    return StationOffer(trial=trial, finished=over and trial is None, checks=due)


def _episode(state: StudyState, trial: TrialRecord, clock: float) -> dict[str, Any]:
    attended = trial.station in state.attended
    return {
        "attended": attended,
        "silent": attended and clock - state.heard.get(trial.station, 0.0) > SILENCE,
        "episode": trial.episode or None,
        "running": trial.running,
        "stopping": trial.stopping,
        "seconds": trial.seconds,
    }


def rubric(state: StudyState, trial: TrialRecord) -> dict[str, Any]:
    first = state.run_before(trial)
    content: dict[str, Any] = state.locked_plan.task(trial.task).score.model_dump(mode="json")
    return content if first is None else {**content, "first": first.code}


def whereabouts(state: StudyState, trial: TrialRecord, clock: float) -> Whereabouts:
    return Whereabouts(
        trial=trial.number,
        status=trial.status,
        needed=needed(state, trial),
        started=trial.started,
        **_episode(state, trial, clock),
    )


def status(
    state: StudyState, plan: StudyPlan, clock: float, edited: tuple[str, ...] = ()
) -> Status:
    trials = state.trials
    scored_at = Counter(trial.station for trial in trials if trial.has_result)
    scored = scored_at.total()
    assigned = sum(bool(trial.code) for trial in trials)  # an imported one has none
    counted = sum(trial.counted for trial in trials)
    stations = tuple(
        _station(state, station, scored_at[station], clock) for station in sorted(state.held)
    )
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
        counted=counted,
        voided=sum(trial.status == "voided" for trial in trials),
        given_back=sum(trial.status == "released" for trial in trials),
        duplicates=sum(trial.has_result and not trial.counted for trial in trials),
        in_flight=sum(station.trial is not None for station in stations),
        amendments=state.amendments,
        stations=stations,
        method=plan.method,
        n_max=plan.n_max,
        edited=edited,
    )


def _station(state: StudyState, station: str, scored: int, clock: float) -> StationStatus:
    held = holding(state, station, clock)
    return StationStatus(
        station=station,
        trial=None if held is None else held.number,
        code=None if held is None else held.code,
        started=held is not None and held.started,
        scored=scored,
        who=None if held is None else held.who,
    )
