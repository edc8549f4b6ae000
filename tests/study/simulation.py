"""Whole studies, simulated: the real assignment and replay, driven without a store.

Thirty-two stations work at once. How long a trial takes depends on its policy and on its score, so
results come out of order in a way that says something about them. Stations vanish and come back
late; trials are voided, before and after their score, for no reason of theirs.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.questions.question import Question
from stopwise.study import assignment
from stopwise.study.blinding import Draws
from stopwise.study.clock import Moment
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.lifecycle import Lock
from stopwise.study.operation import Now, Operation
from stopwise.study.state import StudyState, TrialRecord
from stopwise.study.study_plan import StudyPlan
from stopwise.study.trial_operations import Score, Void

STATIONS = 32
QUICK, SLOW, LEASE = 20.0, 1000.0, 1800.0
Arrival = tuple[str, float]


@dataclass
class Journal:
    """A journal in memory; what it says is what the real one would say."""

    state: StudyState = field(default_factory=StudyState)
    time: float = 1000.0

    def do(self, operation: Operation[Any], secret: str = "") -> None:
        """Decide an operation on the state, and enter what it decides."""
        found = operation.decide(Now(self.state, secret=secret))
        self.enter(*([found] if isinstance(found, Event) else found))

    def enter(self, *events: Event) -> None:
        """Add events."""
        for event in events:
            seq = self.state.seq + 1
            self.state.apply(Entry(seq, self.time, "simulation", event, None, "", ""))


@dataclass
class Simulation:
    """One study: policies with these means, run to its end.

    Attributes
    ----------
    vanish, void
        How often a station leaves without a word, and how often a trial is voided.
    favoured
        Sabotage: nine in ten of this policy's failures are voided.
    arrivals
        Counted results in the order in which they arrived, as (arm, score).
    """

    plan: StudyPlan
    means: dict[str, float]
    seed: int
    vanish: float = 0.02
    void: float = 0.04
    favoured: str = ""
    journal: Journal = field(default_factory=Journal)
    arrivals: list[Arrival] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.lots = Draws(f"secret {self.seed}", self.plan.seed)
        self.names = self.lots.labels(self.plan)
        self.journal.do(Lock(plan=self.plan), self.lots.secret)

    def run(self) -> "Simulation":
        """Let all stations work until nothing is left to try."""
        events = [(1000.0 + station, station, 0, -1.0) for station in range(STATIONS)]
        while events and not assignment.finished(self.journal.state):
            self.journal.time, station, number, score = heapq.heappop(events)
            if number:
                self._report(number, score)
            heapq.heappush(events, self._ask(station))
        return self

    def contest(self) -> Question:
        """Return the question as the study's rule has it."""
        return next(iter(self.journal.state.boards.values())).question

    def false_claims(self, contest: Question) -> int:
        """Number of false orders declared."""
        found = 0
        for pair in contest.standings():
            mean0, mean1 = (self.means[self.names[arm]] for arm in (pair.policy0, pair.policy1))
            better = mean1 > mean0 if pair.better == pair.policy1 else mean0 > mean1
            found += pair.decided and not better
        return found

    def _ask(self, station: int) -> tuple[float, int, int, float]:
        """Let a station ask for a trial; return when it will report what."""
        state, now = self.journal.state, self.journal.time
        name = f"station {station}"
        state.now = state.clock_at(Moment(now))
        self.journal.enter(*assignment.take(state, self.lots, station=name))
        trial = assignment.holding(state, name)
        if trial is None:
            return now + 300.0, station, 0, -1.0
        policy = self.names[trial.arm]
        score = float(self.rng.random() < self.means[policy])
        # Half of the policies fail slowly, the others succeed slowly.
        slow = score == (self.plan.policy_names.index(policy) % 2)
        time = (SLOW if slow else QUICK) * (0.5 + self.rng.random())
        if self.rng.random() < self.vanish:
            time += 2 * LEASE
        return now + time, station, trial.number, score

    def _report(self, number: int, score: float) -> None:
        state = self.journal.state
        trial = state.trials[number - 1]
        if self.names[trial.arm] == self.favoured and not score and self.rng.random() < 0.9:
            self.journal.do(Void(trial=number, reason="it cannot have been"))
            return
        chance = self.rng.random()
        if chance < self.void / 2:
            self.journal.do(Void(trial=number, reason="the lights went out"))
            return
        self._record(trial, score)
        if chance < self.void:
            self.journal.do(Void(trial=number, reason="it was miscalibrated"))

    def _record(self, trial: TrialRecord, score: float) -> None:
        self.journal.do(Score(trial=trial.number, station=trial.station, answer=bool(score)))
        if trial.counted:
            self.arrivals.append((trial.arm, score))


def simulate(
    means: Floats,
    runs: int,
    judge: Callable[[Simulation], int],
    *,
    favoured: str = "",
    **settings: object,
) -> list[int]:
    """Verdict of the judge on each of many studies."""
    names = [f"policy {number}" for number in range(len(means))]
    plan = StudyPlan.model_validate(
        {"name": "null", "policies": names, "tasks": ["task"], "lease_minutes": 30, **settings}
    )
    by_name = dict(zip(names, means.tolist(), strict=True))
    return [judge(Simulation(plan, by_name, run, favoured=favoured).run()) for run in range(runs)]
