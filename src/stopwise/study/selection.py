"""Trials that people took out or changed, and whether blind chance explains how they spread.

If exits are blind, each policy has such trials in proportion to its trials that count. A trial that
is voided is run again, so given how many there are in all, those of one policy have a beta-binomial
distribution (proof: docs/design/studies.md). Where the place is not tried again, the spread is
smaller still, and the test errs less often than it says.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from stopwise.messages import counted
from stopwise.study.state import StudyState, TrialRecord

LEVEL = 0.05  # of all tests together: so many honest studies are warned of at most
AFTERMATH = "the verdict may depend on which trials were excluded"


def _left(state: StudyState, trial: TrialRecord) -> bool:
    """Whether a trial was left: one that never began may have been run in secret."""
    if trial.status != "leased" and not trial.waiting:
        return trial.lapsed
    slot, number = state.slot(trial), trial.number
    overtaken = slot.settled_by not in (None, number)
    return slot.holder != number or (overtaken and (trial.started or trial.waiting))


def _changed(trial: TrialRecord, sign: int) -> bool:
    if trial.first is None or trial.score is None:
        return False
    return sign * (trial.score - trial.first) > 0


EXCLUSIONS: dict[str, Callable[[StudyState, TrialRecord], bool]] = {
    "given back": lambda _, trial: (
        trial.status == "released" and not trial.unneeded and not trial.lapsed
    ),
    "voided": lambda _, trial: trial.status == "voided",
    "corrected upwards": lambda _, trial: _changed(trial, 1),
    "corrected downwards": lambda _, trial: _changed(trial, -1),
    "left without a result": _left,
}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One test of imbalance, with the p-value of this test alone."""

    what: str
    count: int
    arm: str
    of_arm: int
    p_value: float

    def text(self, tests: int, names: dict[str, str] | None) -> str:
        p = f"p = {min(1.0, tests * self.p_value):.2g}"
        if names is None:
            return f"Trials {self.what} are unevenly spread over the policies ({p}): {AFTERMATH}."
        counts = f"{self.of_arm} of {self.count} trials {self.what} are of {names[self.arm]}"
        return f"{counts} ({p}): {AFTERMATH}."


@dataclass(frozen=True, kw_only=True)
class Exits:
    name: str
    taken: int  # trials handed out
    counted: int
    mean: float | None  # of the scores that count
    numbers: tuple[int, ...]  # how many are of each kind of ``EXCLUSIONS``
    voided_mean: float | None  # of those voided that had a score


def tallies(state: StudyState, key: Callable[[TrialRecord], str]) -> list[Exits]:
    groups: dict[str, list[TrialRecord]] = defaultdict(list)
    for trial in _handed_out(state):
        groups[key(trial)].append(trial)
    return [
        Exits(
            name=name,
            taken=len(trials),
            counted=sum(trial.counted for trial in trials),
            mean=_mean(trial.score for trial in trials if trial.counted),
            numbers=tuple(sum(is_one(state, t) for t in trials) for is_one in EXCLUSIONS.values()),
            voided_mean=_mean(trial.score for trial in trials if trial.status == "voided"),
        )
        for name, trials in sorted(groups.items())
    ]


def selection(state: StudyState) -> dict[str, list[Exits]]:
    tables = {"operator": tallies(state, lambda trial: trial.who)}
    names = state.names
    if names is not None:
        tables["policy"] = tallies(state, lambda trial: names[trial.arm])
    return tables


def doubts(state: StudyState) -> tuple[str, ...]:
    """Warnings for imbalances that blind exits hardly produce, and for what hides them."""
    findings = [*_by_policy(state), *_by_score(state)]
    tests = len(findings)
    warned = [one.text(tests, state.names) for one in findings if one.p_value * tests <= LEVEL]
    return (*warned, *_unseen(state), *_named(state))


def first_told(state: StudyState) -> dict[str, dict[tuple[int, str], float | None]]:
    """First scores by slot; imported trials have none, unless the plan declares them."""
    first: dict[str, dict[tuple[int, str], float | None]] = {
        name: {
            (number, arm): slot.first
            for number, row in enumerate(board.rows)
            for arm, slot in row.items()
            if slot.first is not None
        }
        for name, board in state.boards.items()
    }
    for trial in state.trials:
        if not trial.code and trial.arm in state.board(trial).rules.reading.tried:
            first[state.board_name(trial.task)][trial.row, trial.arm] = None
    return {name: scores for name, scores in first.items() if scores}


def _unseen(state: StudyState) -> Iterator[str]:
    gone = [trial for trial in _handed_out(state) if trial.score is None]
    count = sum(trial.status == "voided" and trial.started for trial in gone)
    if count:
        voided = counted(count, "trial was", "trials were")
        yield f"{voided} voided after the start without a score, so nobody knows if they failed."
    if state.plan is None or state.plan.blinding == "trial":
        return  # nobody can start a policy without asking what is behind its code
    kinds = [EXCLUSIONS[kind] for kind in ("given back", "voided", "left without a result")]
    count = sum(not trial.started and any(kind(state, trial) for kind in kinds) for trial in gone)
    if count:
        yield (
            f"{counted(count, 'trial was', 'trials were')} given back, voided or left before the "
            "start. Whoever took them knew which policy to start, so they may have been run."
        )


def _named(state: StudyState) -> Iterator[str]:
    count = state.after_unblinding
    if count and state.plan is not None and state.plan.blinding != "none":
        results = counted(count, "result")
        yield f"{results} came after unblinding, so whoever scored could know whose trial it was."


def _handed_out(state: StudyState) -> list[TrialRecord]:
    return [trial for trial in state.trials if trial.code]  # an imported one has none


def _by_policy(state: StudyState) -> Iterator[Finding]:
    if len(state.arms) < 2 or not any(map(_touched, state.trials)):
        return
    from scipy.stats import betabinom

    by_arm = {tally.name: tally for tally in tallies(state, lambda trial: trial.arm)}
    settled = {arm: max(1, tally.counted) for arm, tally in by_arm.items()}
    for place, what in enumerate(EXCLUSIONS):
        count = sum(tally.numbers[place] for tally in by_arm.values())
        for arm, tally in by_arm.items() if count and len(by_arm) > 1 else ():
            rest = sum(settled.values()) - settled[arm]
            p = betabinom.sf(tally.numbers[place] - 1, count, settled[arm], rest)
            seen = tally.numbers[place]
            yield Finding(what=what, count=count, arm=arm, of_arm=seen, p_value=float(p))


def _by_score(state: StudyState) -> Iterator[Finding]:
    """Yield a doubt where a policy's voided trials scored differently from those that count."""
    from scipy.stats import hypergeom

    kept: dict[tuple[str, str], list[float]] = defaultdict(list)
    gone: dict[tuple[str, str], list[float]] = defaultdict(list)
    for trial in _handed_out(state):
        if trial.score is not None and (trial.counted or trial.status == "voided"):
            (kept if trial.counted else gone)[trial.task, trial.arm].append(trial.score)
    for place, scores in gone.items():
        both = np.array([*scores, *kept[place]])
        total = sum(len(other) for other in gone.values())
        # A policy gains also if the successes of the others are voided.
        for level, such in (("low", both < both.mean()), ("high", both > both.mean())):
            out = int(such[: len(scores)].sum())
            p = float(hypergeom.sf(out - 1, both.size, int(such.sum()), len(scores)))
            what = f"with a {level} score among those voided"
            yield Finding(what=what, count=total, arm=place[1], of_arm=out, p_value=p)


def _touched(trial: TrialRecord) -> bool:
    return trial.status != "scored" or trial.first is not None


def _mean(scores: Iterable[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return float(np.mean(known)) if known else None
