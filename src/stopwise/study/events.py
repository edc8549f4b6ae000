"""Everything that can happen in a study, one class per kind of entry in the journal.

Which label a trial has is blind, so that nobody voids a trial by its policy. So is how it went: the
evidence tells the scores of each label row by row, and beside them a score would tell the label.
A ``salt`` keeps the hash of an entry from being searched for what is blind in it.
"""

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Strict

from stopwise.core.snapshot import other_edition
from stopwise.errors import NotAllowed
from stopwise.messages import counted
from stopwise.study.board import SlotBoard
from stopwise.study.entries import Entry
from stopwise.study.event import Blind, Event, Names, Never, Open
from stopwise.study.state import StudyState, TokenRecord, TrialRecord
from stopwise.study.study_plan import StudyPlan


class Created(Event, kind="created", says="study created"):
    study: Open[str]

    def change(self, state: StudyState, _: Entry) -> None:
        state.study = self.study


class Locked(Event, kind="locked", says="plan locked, SHA-256 {digest:.16}…"):
    edition: Open[int]  # of the method
    stopwise: Open[str]  # its version
    plan: Blind[dict[str, Any]]
    digest: Open[str]  # SHA-256 of the plan
    commitment: Open[str]  # SHA-256 of the secret behind all random draws
    arms: Blind[Names]  # the labels
    baseline: Blind[str | None]
    # Of policies that were tried before the study, by label: how many trials.
    stored_trials: Blind[dict[str, int] | None] = None

    def change(self, state: StudyState, _: Entry) -> None:
        state.digest, state.edition, state.stopwise = self.digest, self.edition, self.stopwise
        state.plan = state.declared = plan = StudyPlan.model_validate(self.plan)
        state.arms = self.arms
        refusal = other_edition(  # only its own edition may replay the evidence
            plan.method,
            self.edition,
            "this study was locked",
            version=f" (stopwise {self.stopwise})",
            go_on="finish it",
        )
        if refusal is not None:
            raise NotAllowed(refusal)
        for name, rules in plan.questions().items():
            task_rules = rules.among(self.arms, self.baseline, self.stored_trials)
            state.boards[name] = SlotBoard(task_rules)


class Assigned(Event, kind="assigned", says="trial {trial} (code {code}) given to {station}"):
    trial: Open[int]
    task: Open[str]
    row: Open[int]  # from 0
    arm: Blind[str]  # the label of its policy
    code: Open[str]
    condition: Open[str | None]
    station: Open[str]
    asked: Open[str | None] = None  # the task that the station asked for
    lease: Open[float]  # seconds until it may be handed out again
    salt: Blind[str | None] = None
    opens: Blind[Names | None] = None  # the labels of the row, if this is its first trial

    def change(self, state: StudyState, entry: Entry) -> None:
        board = state.boards[state.board_name(self.task)]
        if self.row == len(board.rows):
            board.open_row(self.opens or ())
        trial = TrialRecord(
            number=self.trial,
            task=self.task,
            row=self.row,
            arm=self.arm,
            code=self.code,
            condition=self.condition,
            station=self.station,
            who=entry.who,
            when=entry.time,
        )
        state.trials.append(trial)
        state.codes.add(trial.code)
        state.held[trial.station] = trial.number
        state.slot(trial).holder = trial.number
        state.extend(trial, self.lease)


class Started(Event, kind="started", says="trial {trial} started"):
    trial: Open[int]
    lease: Open[float]

    def change(self, state: StudyState, _: Entry) -> None:
        trial = state.known(self.trial)
        trial.started = True
        state.extend(trial, self.lease)


# The reasons by which a trial goes back that nobody gave back.
UNNEEDED = "no longer needed"
LAPSED = "its lease ran out"


class Released(Event, kind="released", says="trial {trial} given back"):
    trial: Open[int]
    reason: Open[str]
    score: Blind[float | None] = None

    def change(self, state: StudyState, _: Entry) -> None:
        trial = state.known(self.trial)
        trial.status = "released"
        trial.unneeded, trial.lapsed = self.reason == UNNEEDED, self.reason == LAPSED
        state.after_unblinding += self.score is not None and state.unblinded_at is not None
        slot = state.slot(trial)
        if self.score is not None:
            state.settle(trial, self.score)
        elif slot.holder == trial.number:
            slot.holder = None


class Scored(Event, kind="scored"):
    trial: Open[int]
    score: Blind[float | None]
    answer: Blind[Any]
    note: Open[str] = ""
    tag: Blind[str | None] = None
    seconds: Blind[float | None] = None
    salt: Blind[str | None] = None

    def change(self, state: StudyState, entry: Entry) -> None:
        trial = state.known(self.trial)
        trial.status, trial.when = "scored", entry.time
        state.after_unblinding += state.unblinded_at is not None
        if self.score is not None:
            state.settle(trial, self.score)
        else:  # its place is kept until the other trial of its row is over
            state.extend(trial, state.lease)

    def text(self, *, blinded: bool) -> str:
        words = [f"trial {self.trial} {'run' if self.score is None else 'scored'}"]
        if self.score is not None and not blinded:
            words.append(f"{self.score:.3g}")
        if not blinded:
            words += [] if self.seconds is None else [f"after {self.seconds:.0f} s"]
            words += [f"[{self.tag}]"] if self.tag else []
        return " ".join([*words, f"“{self.note}”"] if self.note else words)


class Corrected(Event, kind="corrected"):
    trial: Open[int]
    reason: Open[str]
    score: Blind[float]
    answer: Blind[Any]
    salt: Blind[str]

    def change(self, state: StudyState, _: Entry) -> None:
        trial = state.known(self.trial)
        trial.first = trial.score
        for one in state.clear(trial):
            one.score = None
        state.settle(trial, self.score)

    def text(self, *, blinded: bool) -> str:
        became = "" if blinded else f" to {self.score:.3g}"
        return f"trial {self.trial} corrected{became}: {self.reason}"


class Voided(Event, kind="voided", says="trial {trial} voided"):
    trial: Open[int]
    reason: Open[str]
    redraw: Open[bool]

    def change(self, state: StudyState, _: Entry) -> None:
        for trial in state.clear(state.known(self.trial)):
            if trial.status == "released":
                trial.score = None  # it was never seen
            trial.status = "voided"
            slot = state.slot(trial)
            if slot.holder != trial.number:
                continue  # its place is free, or another trial's, which may still fill it
            slot.holder = None
            if not self.redraw and not slot.settled:
                self._drop(state, trial)

    def _drop(self, state: StudyState, trial: TrialRecord) -> None:
        """Leave the slot empty for good, and the other slot of its row if both share one answer."""
        board, together = state.board(trial), state.locked_plan.task(trial.task).judged_in_pairs
        for arm, slot in board.rows[trial.row].items():
            if arm == trial.arm or together:
                slot.dropped = True
                board.touch(trial.row, arm)


class Imported(Event, kind="imported"):
    task: Open[str]
    rows: Blind[Annotated[tuple[dict[str, float], ...], Strict(False)]]  # scores by label
    source: Open[str]
    reason: Open[str]
    again: Open[bool] = False  # other trials than those imported before, whatever their scores

    @property
    def trials(self) -> int:
        """How many trials these are."""
        return sum(map(len, self.rows))

    def change(self, state: StudyState, _: Entry) -> None:
        board = state.boards[self.task]
        state.imports.append(self)
        state.after_unblinding += 0 if state.unblinded_at is None else self.trials
        for row, scores in enumerate(self.rows, start=len(board.rows)):
            board.open_row(tuple(scores))
            for arm, score in scores.items():
                number = len(state.trials) + 1
                trial = TrialRecord(number, self.task, row, arm, status="scored")
                state.trials.append(trial)
                board.rows[row][arm].holder = number
                state.settle(trial, score)

    def text(self, *, blinded: bool) -> str:  # noqa: ARG002
        return f"{counted(len(self.rows), 'row')} imported for {self.task}"


class Amended(Event, kind="amended"):
    reason: Open[str]
    changes: Open[dict[str, Any]]

    def change(self, state: StudyState, _: Entry) -> None:
        state.amendments += 1
        if self.changes and state.plan is not None:
            state.plan = StudyPlan.model_validate({**state.plan.content(), **self.changes})

    def text(self, *, blinded: bool) -> str:  # noqa: ARG002
        changes = ", ".join(f"{name} = {value}" for name, value in self.changes.items())
        return f"{f'amended {changes}' if changes else 'remark'}: {self.reason}"


class Unblinded(Event, kind="unblinded", says="unblinded"):
    names: Blind[dict[str, str]]
    secret: Blind[str]
    reason: Open[str]

    def change(self, state: StudyState, entry: Entry) -> None:
        state.names = dict(self.names)
        if state.unblinded_at is None:
            state.unblinded_at = entry.seq


class TokenCreated(Event, kind="token created", says="token created for {name} ({role})"):
    token: Open[str]  # its id
    role: Open[str]
    name: Open[str]
    digest: Never[str]  # SHA-256 of the token itself
    expires: Open[float | None] = None  # the time after which it is void

    def change(self, state: StudyState, _: Entry) -> None:
        state.tokens[self.token] = TokenRecord(
            self.token, self.role, self.name, self.digest, expires=self.expires
        )


class TokenRevoked(Event, kind="token revoked", says="token {token} revoked"):
    token: Open[str]

    def change(self, state: StudyState, _: Entry) -> None:
        state.tokens[self.token] = replace(state.tokens[self.token], revoked=True)
