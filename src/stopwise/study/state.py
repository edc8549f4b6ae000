"""The state of a study, a pure function of its journal.

Nothing in a state is stored as truth, so it can never disagree with the journal.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from stopwise.errors import InvalidState, NotAllowed
from stopwise.rows.task_mean import MEAN
from stopwise.study.blinding import Draws
from stopwise.study.board import Slot, SlotBoard
from stopwise.study.clock import Moment
from stopwise.study.event import ORIGIN
from stopwise.study.study_plan import StudyPlan

if TYPE_CHECKING:
    from stopwise.study.entries import Entry
    from stopwise.study.events import Imported

TrialStatus = Literal["leased", "released", "scored", "voided"]


@dataclass(slots=True)
class TrialRecord:
    """One trial as handed out; ``arm`` is a label, never a policy's name before unblinding.

    An imported one has neither code nor station.
    """

    number: int  # from 1, in the order of assignments
    task: str  # with row and arm its slot: several trials may be handed out for it, one settles it
    row: int
    arm: str
    code: str = ""
    condition: str | None = None
    station: str = ""
    expires: float = 0.0  # on the study's clock; the slot may then be handed out again
    status: TrialStatus = "leased"  # also after its time is over
    started: bool = False  # its timer was started, or its code was resolved
    score: float | None = None
    counted: bool = False  # its score settled its slot; a second result for a slot does not
    who: str = ""  # who took it
    first: float | None = None  # the score before it was corrected, if it was
    unneeded: bool = False  # given back because it was no longer needed
    lapsed: bool = False  # given back because it had begun and its lease ran out
    episode: str = ""  # what a runner started for it, whether that runs, and how long it took
    running: bool = False
    stopping: bool = False  # its operator wants the robot stopped
    seconds: float | None = None
    when: float = 0.0  # when it was handed out; from its result on, when that came

    @property
    def has_result(self) -> bool:
        return self.status == "scored" and self.score is not None

    @property
    def waiting(self) -> bool:
        return self.status == "scored" and self.score is None


@dataclass(frozen=True, slots=True)
class TokenRecord:
    token: str
    role: str
    name: str
    digest: str
    revoked: bool = False
    expires: float | None = None

    def valid(self, now: float) -> bool:
        return not self.revoked and (self.expires is None or now < self.expires)


@dataclass
class StudyState:
    seq: int = 0
    hash: str = ORIGIN
    moment: Moment | None = None  # of the last entry
    # Seconds that passed while entries were made (see clock.py). Leases are measured with it, so
    # that a clock set back or forth neither ends them nor makes them last for ever.
    clock: float = 0.0
    now: float = 0.0  # the same at the last look, which may be later than the last entry
    study: str = ""
    plan: StudyPlan | None = None
    declared: StudyPlan | None = None  # as it was locked, whatever was amended since
    digest: str = ""  # SHA-256 of the plan as it was locked, whatever was amended since
    # The edition of the method and the version of stopwise that the plan was locked with.
    edition: int = 0
    stopwise: str = ""
    arms: tuple[str, ...] = ()
    names: dict[str, str] | None = None
    unblinded_at: int | None = None  # the entry by which names were revealed
    after_unblinding: int = 0  # results that came or were imported since
    trials: list[TrialRecord] = field(default_factory=list)  # trial n is at index n - 1
    boards: dict[str, SlotBoard] = field(default_factory=dict)  # the rows of each task
    held: dict[str, int] = field(default_factory=dict)  # what each station holds or held last
    attended: dict[str, str] = field(default_factory=dict)  # by station, who runs a runner there
    # When a runner was last heard of at a station, on the clock: the one thing beside the journal.
    heard: dict[str, float] = field(default_factory=dict)
    checked: dict[str, float] = field(default_factory=dict)  # the last check list, on the clock
    recordings: list[tuple[int, str, str]] = field(default_factory=list)  # trial, file, SHA-256
    codes: set[str] = field(default_factory=set)
    tokens: dict[str, TokenRecord] = field(default_factory=dict)
    amendments: int = 0
    imports: list["Imported"] = field(default_factory=list)

    def clock_at(self, moment: Moment) -> float:
        return 0.0 if self.moment is None else self.clock + moment.since(self.moment)

    @property
    def locked_plan(self) -> StudyPlan:
        if self.plan is None:
            raise NotAllowed("the study is not locked yet: run `stopwise study lock`")
        return self.plan

    @property
    def lease(self) -> float:
        return 60.0 * self.locked_plan.lease_minutes

    def known(self, number: int) -> TrialRecord:
        if not 1 <= number <= len(self.trials):
            raise LookupError(f"there is no trial {number}")
        return self.trials[number - 1]

    def board_name(self, task: str) -> str:
        return task if task in self.boards else MEAN

    def board(self, trial: TrialRecord) -> SlotBoard:
        return self.boards[self.board_name(trial.task)]

    def slot(self, trial: TrialRecord) -> Slot:
        return self.board(trial).rows[trial.row][trial.arm]

    def rival(self, trial: TrialRecord) -> TrialRecord | None:
        """The trial of the row that this one is compared with by preference."""
        board = self.board(trial)
        if board.rules.by != "wins":
            return None
        row = board.rows[trial.row]
        holders = [slot.holder for arm, slot in row.items() if arm != trial.arm]
        other = self.known(holders[0]) if holders and holders[0] else None
        # One that was handed out again meanwhile, or to another station, is not seen beside it.
        current = row[trial.arm].holder == trial.number
        return other if other and current and other.station == trial.station else None

    def run_before(self, trial: TrialRecord) -> TrialRecord | None:
        """Return the first trial of the row, if this is the second: both have one answer."""
        rival = self.rival(trial)
        first = rival is not None and rival.status == "scored" and rival.number < trial.number
        return rival if first else None

    def labels(self, lots: Draws) -> dict[str, str]:
        assert self.plan is not None
        return lots.labels(self.plan)

    def shown(self) -> dict[str, str]:
        return self.names or {arm: arm for arm in self.arms}

    def apply(self, entry: "Entry") -> None:
        self.clock = self.now = self.clock_at(entry.moment)
        self.moment = entry.moment
        try:
            entry.event.change(self, entry)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise InvalidState(
                f"the journal is damaged: entry {entry.seq} does not fit those before it: {error!r}"
            ) from error
        self.seq, self.hash = entry.seq, entry.hash

    def extend(self, trial: TrialRecord, seconds: float) -> None:
        """Give a trial, and its row, time from now."""
        trial.expires = self.clock + seconds
        self.board(trial).owners[trial.row] = trial.station, trial.expires

    def settle(self, trial: TrialRecord, score: float) -> None:
        """Give a trial its score, and one that waits for it; the first for a slot settles it."""
        rival = self.rival(trial)
        lost = [(rival, 1.0 - score)] if rival is not None and rival.waiting else []
        for one, worth in ((trial, score), *lost):
            one.score = worth
            slot = self.slot(one)
            one.counted = not slot.settled
            if one.counted:
                slot.score, slot.settled_by = worth, one.number
                self.board(one).touch(one.row, one.arm)

    def clear(self, trial: TrialRecord) -> tuple[TrialRecord, ...]:
        """Take the score of a trial, and of one judged with it, out of their slots; return both."""
        rival = self.rival(trial)
        both = (trial,) if rival is None else (trial, rival)
        for one in both:
            if one.counted:
                slot = self.slot(one)
                if trial.status == "scored" and slot.first is None:
                    slot.first = slot.score
                slot.score = slot.settled_by = None
                slot.holder = one.number
                one.counted = False
                self.board(one).touch(one.row, one.arm)
        return both
