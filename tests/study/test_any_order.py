"""Whatever people do, in whatever order: replay is the state, nothing doubles, nothing leaks."""

import shutil
import tempfile
from collections import defaultdict
from copy import deepcopy
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import stopwise as sw
from stopwise.study import views
from stopwise.study.assignment import holding
from stopwise.study.board import SlotBoard
from stopwise.study.events import Assigned, Released
from stopwise.study.operation import Operation
from stopwise.study.state import StudyState
from stopwise.study.trial_operations import Correct, NextTrial, Release, Score, Start, Void
from tests.study.live import Clock, locked

OTHER = {"A": "B", "B": "A"}
HIDDEN = {"score", "answer", "arm", "salt", "opens", "tag", "seconds"}
STATIONS = st.sampled_from(("left", "right", "third"))
NUMBERS = st.integers(1, 12)
ANSWERS = {
    "binary": st.booleans(),
    "preference": st.sampled_from(("done", "first", "second", "tie")),
}


def exchanged(state: StudyState) -> StudyState:
    """Return the same study, with each trial one of the other policy."""
    other = deepcopy(state)
    for trial in other.trials:
        trial.arm = OTHER[trial.arm]
    for board in other.boards.values():
        board.rows = [{arm: row[OTHER[arm]] for arm in row} for row in board.rows]
    return other


def everything_shown(state: StudyState) -> list[Any]:
    """Return all that is shown before unblinding beside the evidence."""
    return [
        *(views.offer(state, station) for station in ("left", "right", "third")),
        *(views.whereabouts(state, trial.number, station=trial.station) for trial in state.trials),
        *(views.rubric(state, trial.number) for trial in state.trials),
        *views.trial_lines(state, 100),
        views.status(state, state.locked_plan),
    ]


class AnyOrder(RuleBasedStateMachine):
    """Stations, an owner and a clock; what is refused changes nothing."""

    @initialize(
        score=st.sampled_from(tuple(ANSWERS)),
        design=st.sampled_from(("blocks", "independent")),
        tasks=st.sampled_from((1, 2)),
        n_max=st.sampled_from((2, 4)),
    )
    def begin(self, score: str, design: str, tasks: int, n_max: int) -> None:
        self.score, self.clock = score, Clock()
        self.folder = tempfile.mkdtemp()
        self.study = locked(
            f"{self.folder}/study",
            self.clock,
            n_max=n_max,
            design="blocks" if score == "preference" else design,
            tasks=[{"name": f"task {number}", "score": score} for number in range(tasks)],
        )

    def teardown(self) -> None:
        if not hasattr(self, "study"):
            return
        with self.study.reading() as known, sw.Study.open(self.study.folder or "") as again:
            with again.reading() as replayed:
                assert facts(replayed) == facts(known)
            assert again.verdict() == self.study.verdict()
            assert_by_the_rules(again)
            assert again.verify().problems == ()
        self.study.close()
        shutil.rmtree(self.folder)

    def do(self, operation: Operation[Any]) -> None:
        before = self.study.seq
        try:
            self.study.do(operation)
        except sw.StopwiseError:
            # Only leases that have run out may have been entered.
            late = [entry.event for entry in self.study.journal(before)]
            assert all(getattr(event, "reason", "") == "its lease ran out" for event in late)

    @rule(station=STATIONS, after=st.none() | NUMBERS)
    def take(self, station: str, after: int | None) -> None:
        self.do(NextTrial(station=station, after=after))

    @rule(trial=NUMBERS)
    def start(self, trial: int) -> None:
        self.do(Start(trial=trial))

    @rule(trial=NUMBERS, data=st.data(), key=st.none() | st.sampled_from("kl"))
    def report(self, trial: int, data: st.DataObject, key: str | None) -> None:
        self.do(Score(trial=trial, answer=data.draw(ANSWERS[self.score]), key=key))

    @rule(station=STATIONS, data=st.data())
    def work(self, station: str, data: st.DataObject) -> None:
        """Take a trial and report it, which is what people mostly do."""
        self.do(NextTrial(station=station))
        held = self.study.holding(station)
        if held is not None:
            self.do(Score(trial=held.trial, answer=data.draw(ANSWERS[self.score])))

    @rule(data=st.data())
    def come_late(self, data: st.DataObject) -> None:
        """Report a trial whose place was handed out again, before or after the other."""
        self.do(NextTrial(station="left"))
        late = self.study.holding("left")
        self.clock.time += 31 * 60
        self.do(NextTrial(station="right"))
        other = self.study.holding("right")
        for one in (late, other) if data.draw(st.booleans()) else (other, late):
            if one is not None:
                self.do(Score(trial=one.trial, answer=data.draw(ANSWERS[self.score])))

    @rule(trial=NUMBERS)
    def give_back(self, trial: int) -> None:
        self.do(Release(trial=trial, reason="the robot is hot"))

    @rule(trial=NUMBERS, data=st.data())
    def correct(self, trial: int, data: st.DataObject) -> None:
        answer = data.draw(ANSWERS[self.score])
        self.do(Correct(trial=trial, answer=answer, reason="tapped wrongly"))

    @rule(trial=NUMBERS, redraw=st.booleans())
    def void(self, trial: int, redraw: bool) -> None:
        self.do(Void(trial=trial, reason="the cable came off", redraw=redraw))

    @rule(minutes=st.sampled_from((1, 29, 31)))
    def wait(self, minutes: int) -> None:
        self.clock.time += 60 * minutes

    @rule()
    def set_the_clock_back(self) -> None:
        self.clock.time -= 3600

    @invariant()
    def each_slot_has_one_result(self) -> None:
        if not hasattr(self, "study"):
            return
        with self.study.reading() as state:
            for board in state.boards.values():
                for row in board.rows:
                    for slot in row.values():
                        assert (slot.settled_by is None) == (slot.score is None)
            for trial in state.trials:
                settles = state.slot(trial).settled_by == trial.number
                assert trial.counted == settles
                assert not settles or state.slot(trial).score == trial.score
            held = [trial for trial in state.trials if holding(state, trial.station) == trial]
            places = {(trial.task, trial.row, trial.arm) for trial in held}
            assert len(places) == len(held)

    @invariant()
    def the_verdict_is_that_of_the_slots_alone(self) -> None:
        """Catches a board that has used a score which was taken out, or not used one again."""
        if not hasattr(self, "study"):
            return
        with self.study.reading() as state:
            for board in state.boards.values():
                fresh = SlotBoard(board.rules)
                fresh.rows, fresh.owners, fresh._own = board.rows, board.owners, board._own
                for number, row in enumerate(fresh.rows):
                    for arm in row:
                        fresh.touch(number, arm)
                assert fresh.question.standings() == board.question.standings()
                assert fresh.used_slots() == board.used_slots()

    @invariant()
    def nothing_shown_depends_on_whose_trial_it_is(self) -> None:
        if not hasattr(self, "study"):
            return
        with self.study.reading() as state:
            assert everything_shown(state) == everything_shown(exchanged(state))
        for entry in self.study.journal(self.study.seq - 3):
            assert not HIDDEN & set(entry.event.shown(blinded=True))


def facts(state: StudyState) -> dict[str, Any]:
    """The stored fields of a state, without what it computes on demand."""
    rows = {name: board.rows for name, board in state.boards.items()}
    return {**vars(state), "boards": rows, "now": None}


def assert_by_the_rules(study: sw.Study) -> None:
    """One score a trial, one correction, then no void; what has begun is not run again.

    Unless it is voided, or the trial that it was judged with.
    """
    done: dict[int, list[str]] = defaultdict(list)
    rows: dict[tuple[str, int], list[Assigned]] = defaultdict(list)
    for entry in study.journal():
        event = entry.event
        trial = getattr(event, "trial", None)
        if isinstance(event, Assigned):
            before = rows[event.task, event.row]
            here = [other for other in before if other.arm == event.arm]
            together = before if study.plan.task(event.task).judged_in_pairs else here
            voided = any("voided" in done[other.trial] for other in together)
            assert voided or not any({"started", "scored"} & {*done[one.trial]} for one in here)
            before.append(event)
        if isinstance(event, Released):
            assert (event.score == 0.0) == ("started" in done[event.trial])
        if trial is not None:
            done[trial].append(entry.kind)
    for kinds in done.values():
        assert kinds.count("scored") <= 1 >= kinds.count("corrected")
        assert "voided" not in kinds[kinds.index("corrected") :] if "corrected" in kinds else True


AnyOrder.TestCase.settings = settings(
    max_examples=20, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAnyOrder = AnyOrder.TestCase
