"""What the journal says: the state of a study, a pure function of its entries.

Nothing here is stored as truth. A state is made by applying the entries in order, so it can never
disagree with the journal; saved states are a cache.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from stopwise.errors import InvalidState
from stopwise.ranking.contest import Contest
from stopwise.study.board import Board
from stopwise.study.journal import ORIGIN, Entry
from stopwise.study.plan import Plan

__all__ = ["Amendment", "State", "TokenRecord", "Trial", "TrialStatus"]

TrialStatus = Literal["leased", "released", "scored", "voided"]


@dataclass(slots=True)
class Trial:
    """One trial as handed out; ``arm`` is a label, never a policy's name before unblinding.

    Attributes
    ----------
    number
        The assignment number, from 1.
    row, arm, task
        Its slot. Several trials may have been handed out for one slot; one of them settles it.
    expires
        The time on the study's clock after which the slot may be handed out again.
    status
        "leased" (also after its time is over), "released", "scored" or "voided".
    counted
        Whether its score settled its slot; a second result for a slot does not.
    withdrawn
        Whether it had a score that was undone.
    """

    number: int
    task: str
    row: int
    arm: str
    code: str
    condition: str | None
    station: str
    expires: float
    status: TrialStatus = "leased"
    started: bool = False
    score: float | None = None
    counted: bool = False
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token as the journal knows it: never the token itself, only its hash."""

    token: str
    role: str
    name: str
    digest: str
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class Amendment:
    """A change after the lock, with its reason."""

    seq: int
    time: float
    who: str
    reason: str
    changes: dict[str, Any]


@dataclass
class State:
    """A study after ``seq`` entries.

    Attributes
    ----------
    digest
        SHA-256 of the plan as it was locked: what was published, whatever was amended since.
    clock
        Seconds that passed while entries were made, by their times, steps back not counted. Leases
        are measured with it, so that a clock set back or forth cannot make them last for ever.
    trials
        Every trial ever handed out or imported, by number; trial n is at index n - 1.
    boards
        The rows of each task.
    held
        The trial that each station holds or held last.
    """

    seq: int = 0
    hash: str = ORIGIN
    time: float = 0.0
    clock: float = 0.0
    study: str = ""
    plan: Plan | None = None
    digest: str = ""
    commitment: str = ""
    arms: tuple[str, ...] = ()
    names: dict[str, str] | None = None
    unblinded_at: int | None = None
    trials: list[Trial] = field(default_factory=list)
    boards: dict[str, Board] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, TokenRecord] = field(default_factory=dict)
    amendments: list[Amendment] = field(default_factory=list)

    def apply(self, entry: Entry) -> None:
        """Take in the next entry."""
        handler = _HANDLERS.get(entry.kind)
        if handler is None:
            raise InvalidState(
                f"entry {entry.seq} is of kind {entry.kind!r}, which this stopwise does not know: "
                "install a newer one"
            )
        self.clock = self.clock_at(entry.time)
        self.time = entry.time
        handler(self, entry)
        self.seq, self.hash = entry.seq, entry.hash

    def clock_at(self, time: float) -> float:
        """Return the study's clock at this time of the store's clock."""
        return self.clock + max(0.0, time - self.time) if self.time else 0.0

    def trial(self, number: int) -> Trial | None:
        """Return a trial by its number."""
        return self.trials[number - 1] if 1 <= number <= len(self.trials) else None

    def shown(self) -> dict[str, str]:
        """Return the name under which each arm is shown: its label until unblinded."""
        return self.names or {arm: arm for arm in self.arms}

    def lock(self, plan: Plan, arms: tuple[str, ...], baseline: str | None) -> None:
        """Set up the boards of a locked plan."""
        self.plan, self.arms = plan, arms
        for task in plan.tasks:
            settings = {**plan.settings(task), "baseline": baseline}

            def new_contest(settings: dict[str, Any] = settings) -> Contest:
                return Contest(arms, **settings)

            self.boards[task.name] = Board(new_contest, plan.n_max)


def _created(state: State, entry: Entry) -> None:
    state.study = entry.content["study"]


def _locked(state: State, entry: Entry) -> None:
    content = entry.content
    state.digest, state.commitment = content["digest"], content["commitment"]
    state.lock(Plan.model_validate(content["plan"]), tuple(content["arms"]), content["baseline"])


def _assigned(state: State, entry: Entry) -> None:
    content = entry.content
    board = state.boards[content["task"]]
    if content["row"] == len(board.rows):
        board.open_row(tuple(content["opens"]))
    trial = Trial(
        number=content["trial"],
        task=content["task"],
        row=content["row"],
        arm=content["arm"],
        code=content["code"],
        condition=content["condition"],
        station=content["station"],
        expires=state.clock + content["lease"],
    )
    state.trials.append(trial)
    state.codes[trial.code] = trial.number
    state.held[trial.station] = trial.number
    board.rows[trial.row][trial.arm].holder = trial.number
    board.keep_row(trial.row, trial.station, trial.expires)


def _started(state: State, entry: Entry) -> None:
    trial = state.trials[entry.content["trial"] - 1]
    trial.started = True
    trial.expires = state.clock + entry.content["lease"]
    state.boards[trial.task].keep_row(trial.row, trial.station, trial.expires)


def _released(state: State, entry: Entry) -> None:
    trial = state.trials[entry.content["trial"] - 1]
    trial.status = "released"
    slot = state.boards[trial.task].rows[trial.row][trial.arm]
    if slot.holder == trial.number:
        slot.holder = None


def _scored(state: State, entry: Entry) -> None:
    trial = state.trials[entry.content["trial"] - 1]
    trial.status, trial.score = "scored", entry.content["score"]
    board = state.boards[trial.task]
    slot = board.rows[trial.row][trial.arm]
    trial.counted = not slot.settled  # the first result stored for a slot settles it
    if trial.counted:
        slot.score, slot.settled_by = trial.score, trial.number
        board.touch(trial.row)


def _undone(state: State, entry: Entry) -> None:
    trial = state.trials[entry.content["trial"] - 1]
    _clear(state, trial)
    trial.status, trial.score, trial.withdrawn = "leased", None, True
    trial.expires = state.clock + entry.content["lease"]
    # A station that is at its next trial keeps that one; the owner enters the score anew.
    current = state.trial(state.held.get(trial.station, 0))
    if trial.station and (current is None or current.status != "leased"):
        state.held[trial.station] = trial.number


def _voided(state: State, entry: Entry) -> None:
    trial = state.trials[entry.content["trial"] - 1]
    _clear(state, trial)
    trial.status = "voided"
    board = state.boards[trial.task]
    slot = board.rows[trial.row][trial.arm]
    if slot.holder != trial.number:
        return  # its place is free, or another trial's, which may still fill it
    slot.holder = None
    if not entry.content["redraw"] and not slot.settled:
        slot.dropped = True
        board.touch(trial.row)


def _clear(state: State, trial: Trial) -> None:
    """Take the score of a trial out of its slot, if it settled it."""
    board = state.boards[trial.task]
    slot = board.rows[trial.row][trial.arm]
    if trial.counted:
        slot.score = slot.settled_by = None
        slot.holder = trial.number
        trial.counted = False
        board.touch(trial.row)


def _imported(state: State, entry: Entry) -> None:
    content = entry.content
    board = state.boards[content["task"]]
    first = len(board.rows)
    for scores in content["rows"]:
        board.open_row(tuple(scores))
        for arm, score in scores.items():
            number = len(state.trials) + 1
            state.trials.append(
                Trial(
                    number=number,
                    task=content["task"],
                    row=first,
                    arm=arm,
                    code="",
                    condition=None,
                    station="",
                    expires=0.0,
                    status="scored",
                    score=score,
                    counted=True,
                )
            )
            slot = board.rows[first][arm]
            slot.score, slot.settled_by, slot.holder = score, number, number
        board.touch(first)
        first += 1


def _amended(state: State, entry: Entry) -> None:
    content = entry.content
    state.amendments.append(
        Amendment(entry.seq, entry.time, entry.who, content["reason"], content["changes"])
    )
    if content["changes"] and state.plan is not None:
        state.plan = Plan.model_validate({**state.plan.content(), **content["changes"]})


def _unblinded(state: State, entry: Entry) -> None:
    state.names = dict(entry.content["names"])
    if state.unblinded_at is None:
        state.unblinded_at = entry.seq


def _token_created(state: State, entry: Entry) -> None:
    content = entry.content
    record = TokenRecord(content["token"], content["role"], content["name"], content["digest"])
    state.tokens[record.token] = record


def _token_revoked(state: State, entry: Entry) -> None:
    old = state.tokens[entry.content["token"]]
    state.tokens[old.token] = TokenRecord(old.token, old.role, old.name, old.digest, revoked=True)


_HANDLERS: dict[str, Callable[[State, Entry], None]] = {
    "created": _created,
    "locked": _locked,
    "assigned": _assigned,
    "started": _started,
    "released": _released,
    "scored": _scored,
    "undone": _undone,
    "voided": _voided,
    "imported": _imported,
    "amended": _amended,
    "unblinded": _unblinded,
    "token created": _token_created,
    "token revoked": _token_revoked,
}
