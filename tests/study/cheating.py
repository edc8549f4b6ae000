"""Ways to cheat in a study of equal policies: how often a false order comes out, and is warned of.

Run ``python -m tests.study.cheating --runs 400`` for the table in docs/design/studies.md. One
operator runs all trials and knows which are those of one policy, the favoured one: blinding has
failed. The real assignment, actions and replay are driven without a store.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from stopwise.errors import NotAllowed
from stopwise.study import assignment
from stopwise.study.blinding import Draws
from stopwise.study.clock import Moment
from stopwise.study.events import Corrected, Released, Voided
from stopwise.study.lifecycle import Lock
from stopwise.study.operation import Now
from stopwise.study.selection import doubts
from stopwise.study.state import TrialRecord
from stopwise.study.study_plan import StudyPlan
from stopwise.study.trial_operations import Correct, Release, Score, Start, Void
from stopwise.study.verdict import verdict
from tests.study.simulation import Journal

STATION, REASON = "arm", "the cable came off"
SETTINGS = {
    "name": "null",
    "policies": ["favoured", "second", "third"],
    "tasks": ["task"],
    "alpha": 0.1,
    "n_max": 60,
}


@dataclass
class Cheat:
    """One study; ``act`` enters what the operator makes of a trial with this true score."""

    journal: Journal
    lots: Draws
    rng: np.random.Generator
    favoured: str
    act: Callable[["Cheat", TrialRecord, bool], None]
    lapsing: bool = True
    tried: bool = False
    changed: Counter[bool] = field(default_factory=Counter)

    def run(self) -> "Cheat":
        """Run trials until nothing is left to try."""
        state = self.journal.state
        while not assignment.finished(state):
            self.journal.time += 60.0
            state.now = state.clock_at(Moment(self.journal.time))
            if self.lapsing:
                self.journal.enter(*assignment.lapsed(state))
            if assignment.finished(state):
                break
            self.journal.enter(*assignment.take(state, self.lots, station=STATION))
            trial = assignment.holding(state, STATION)
            assert trial is not None
            if self.act not in UNSTARTED:
                self.journal.do(Start(trial=trial.number, station=STATION))
            self.act(self, trial, bool(self.rng.random() < 0.5))
        return self

    def score(self, trial: TrialRecord, success: bool) -> None:
        """Enter a score."""
        self.journal.do(Score(trial=trial.number, station=STATION, answer=success))

    def picks(self, trial: TrialRecord, success: bool, share: float) -> bool:
        """Whether this is one of the share of the favoured policy's failures."""
        return trial.arm == self.favoured and not success and self.rng.random() < share


Act = Callable[[Cheat, TrialRecord, bool], None]


def giving_back(share: float) -> Act:
    """Give back a share of the favoured policy's failures."""

    def act(study: Cheat, trial: TrialRecord, success: bool) -> None:
        if study.picks(trial, success, share):
            study.journal.do(Release(trial=trial.number, station=STATION, reason=REASON))
        else:
            study.score(trial, success)

    return act


def giving_back_for_nothing(study: Cheat, trial: TrialRecord, success: bool) -> None:
    """Give back 80 % of the favoured policy's failures, which are then run again."""
    if study.picks(trial, success, 0.8):
        study.journal.enter(Released(trial=trial.number, reason=REASON))
    else:
        study.score(trial, success)


def voiding(share: float) -> Act:
    """Score all, and let the owner void a share of the favoured policy's failures."""

    def act(study: Cheat, trial: TrialRecord, success: bool) -> None:
        study.score(trial, success)
        if study.picks(trial, success, share):
            study.journal.do(Void(trial=trial.number, reason=REASON))

    return act


def waiting(share: float) -> Act:
    """Let the lease of a share of the favoured policy's failures run out."""

    def act(study: Cheat, trial: TrialRecord, success: bool) -> None:
        if study.picks(trial, success, share):
            study.journal.time += 31 * 60.0
        else:
            study.score(trial, success)

    return act


def probing(study: Cheat, trial: TrialRecord, success: bool) -> None:
    """Try the same: what was sent is final, and before it is sent nothing can be seen.

    So the first failure is entered as a success, and from then on the cheat knows better.
    """
    study.score(trial, success or not study.tried)
    if not success and not study.tried:
        study.tried = True
        with pytest.raises(NotAllowed, match="is scored, not leased"):
            study.score(trial, False)


def learning_as_before(study: Cheat, trial: TrialRecord, success: bool) -> None:
    """Correct a score to see whose trial it is, and back; void 80 % of the favoured's failures."""
    study.score(trial, success)
    for answer in (not success, success):
        study.journal.enter(
            Corrected(
                trial=trial.number, reason=REASON, score=float(answer), answer=answer, salt=""
            )
        )
    if study.picks(trial, success, 0.8):
        study.journal.enter(Voided(trial=trial.number, reason=REASON, redraw=True))


def learning(study: Cheat, trial: TrialRecord, success: bool) -> None:
    """Try the same: what was corrected can be neither corrected nor voided again."""
    study.score(trial, success)
    state, number = study.journal.state, trial.number
    if study.tried:
        return
    study.tried = True
    study.journal.do(Correct(trial=number, answer=not success, reason=REASON))
    acts = (Correct(trial=number, answer=success, reason=REASON), Void(trial=number, reason=REASON))
    for act in acts:
        with pytest.raises(NotAllowed, match="was corrected before"):
            act.decide(Now(state))


def a_few(most: int) -> Act:
    """Score all, and let the owner void so many first failures of the favoured."""

    def act(study: Cheat, trial: TrialRecord, success: bool) -> None:
        study.score(trial, success)
        if study.picks(trial, success, 1.0) and study.changed[True] < most:
            study.changed[True] += 1
            study.journal.do(Void(trial=trial.number, reason=REASON))

    return act


def correcting(most: int) -> Act:
    """Score all, and let the owner correct so many failures of the favoured, others' successes."""

    def act(study: Cheat, trial: TrialRecord, success: bool) -> None:
        study.score(trial, success)
        up = trial.arm == study.favoured
        if up != success and study.changed[up] < most:
            study.changed[up] += 1
            number = trial.number
            study.journal.do(Correct(trial=number, answer=up, reason=REASON))

    return act


def accidents(study: Cheat, trial: TrialRecord, success: bool) -> None:
    """Score all; a tenth is voided whatever its policy and score."""
    study.score(trial, success)
    if study.rng.random() < 0.1:
        study.journal.do(Void(trial=trial.number, reason=REASON))


# These run trials in secret, without starting them: without blinding they know what to start.
UNSTARTED = (giving_back(0.8), waiting(0.8))

CHEATS: dict[str, Act] = {
    "is honest": giving_back(0.0),
    "gives back 80 % of the failures": giving_back(0.8),
    "has 80 % of the failures voided": voiding(0.8),
    "has the first four failures voided": a_few(4),
    "has three failures and three of the others' successes corrected": correcting(3),
    "lets the lease of 80 % of the failures run out": waiting(0.8),
    "runs trials before Start and gives back 80 % of the failures": UNSTARTED[0],
    "runs trials before Start and lets the lease of 80 % of the failures run out": UNSTARTED[1],
    "tries out which score ends the study": probing,
    "learns by correcting whose trial it is, to void 80 % of the failures": learning,
}


@dataclass(frozen=True)
class Outcome:
    """Of so many studies: with a false order, with one in favour, and with a warning.

    Then those with a false order and no warning, and none that trials are unevenly spread.
    """

    runs: int
    false: int
    in_favour: int
    warned: int
    unwarned: int
    even: int


def outcomes(act: Act, runs: int, *, lapsing: bool = True) -> Outcome:
    """Results of many studies; without ``lapsing``, what is left is run again."""
    settings = {**SETTINGS, "blinding": "none" if act in UNSTARTED else "trial"}
    plan = StudyPlan.model_validate(settings)
    false = in_favour = warned = unwarned = even = 0
    for run in range(runs):
        lots, journal = Draws(f"secret {run}", plan.seed), Journal()
        journal.do(Lock(plan=plan), lots.secret)
        labels = {name: arm for arm, name in lots.labels(plan).items()}
        rng = np.random.default_rng(run)
        study = Cheat(journal, lots, rng, labels["favoured"], act, lapsing).run()
        board = next(iter(study.journal.state.boards.values()))
        better = {pair.better for pair in board.question.standings() if pair.decided}
        false += bool(better)
        in_favour += study.favoured in better
        said = verdict(study.journal.state).doubts
        doubted = any("along the study" not in doubt for doubt in said)
        warned += doubted
        unwarned += bool(better) and not doubted
        even += bool(better) and not doubts(study.journal.state)
    return Outcome(runs, false, in_favour, warned, unwarned, even)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    titles = ["the operator", "false", "in favour", "warned", "false, not warned"]
    sys.stdout.write(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}\n")
    for name, act in CHEATS.items():
        after = outcomes(act, runs)
        parts = [after.false, after.in_favour, after.warned, after.unwarned]
        cells = " | ".join(f"{100 * part / runs:.1f} %" for part in parts)
        sys.stdout.write(f"| {name} | {cells} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
