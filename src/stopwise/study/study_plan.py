"""The plan of a study: what is compared, how it is scored, and when it is enough."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    BaseModel,
    Field,
    create_model,
    field_validator,
    model_validator,
)

from stopwise.core.rules import Rules
from stopwise.errors import StopwiseError, require
from stopwise.questions import for_files, pose
from stopwise.questions.reach import out_of_reach
from stopwise.rows.task_mean import MEAN, shares
from stopwise.study.design import DESIGNS, Independent
from stopwise.study.limits import NAME, TEXT
from stopwise.study.rubric import DISTINCT, Binary, PlanPart, Rubric

CheckName = Annotated[str, Field(min_length=1, max_length=NAME)]
Place = tuple[str | int, ...]  # of an entry, by the names and numbers that lead to it

# What may change after the lock: nothing that the guarantee rests on.
AMENDABLE = ("name", "description", "lease_minutes", "look_ahead", "tags", "checks")


class Policy(PlanPart):
    name: str = Field(min_length=1, max_length=NAME)
    run: str | None = Field(default=None, max_length=4000)


class Conditions(PlanPart):
    listed: tuple[str, ...] = ()
    drawn: dict[str, tuple[float, float]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_of_both(self) -> "Conditions":
        if bool(self.listed) == bool(self.drawn):
            raise ValueError("give either listed or drawn conditions")
        for name, (low, high) in self.drawn.items():
            if not low < high:
                raise ValueError(f"the range of {name} must be [low, high] with low below high")
        return self


class Task(PlanPart):
    name: str = Field(min_length=1, max_length=NAME)
    instructions: str = Field(default="", max_length=TEXT)
    score: Rubric = Field(default_factory=Binary)
    conditions: Conditions | None = None
    # A fixed list of starts, from each of which every policy is tried once, in an order drawn at
    # random. Claims are then about these starts, in this study.
    starts: tuple[str, ...] = ()

    @field_validator("starts")
    @classmethod
    def _once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        twice = next((start for start in value if value.count(start) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice!r} is listed twice: each start is tried once")
        return value

    @model_validator(mode="after")
    def _one_way_to_begin(self) -> "Task":
        if self.starts and self.conditions is not None:
            raise ValueError("give starts, each of them once, or conditions to draw, but not both")
        return self

    @property
    def begins(self) -> Conditions | None:
        return Conditions(listed=self.starts) if self.starts else self.conditions

    @property
    def judged_in_pairs(self) -> bool:
        return self.score.in_pairs

    @field_validator("score", mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"kind": value} if isinstance(value, str) else value


class _Compared(PlanPart):
    """What stands first in a plan."""

    name: str = Field(min_length=1, max_length=NAME)
    description: str = Field(default="", max_length=TEXT)
    policies: Annotated[tuple[Policy, ...], Field(min_length=1, max_length=100), DISTINCT]
    tasks: Annotated[tuple[Task, ...], Field(min_length=1, max_length=100), DISTINCT]


# The rules of each task that a plan declares as they are: ``Rules`` says what is usual, and checks.
SAME = (
    *("reference", "method", "adjust", "baseline", "ties", "goal"),
    *("indifference", "equivalence", "n_max", "margin"),
)
_of_rules: dict[str, Any] = {
    field.name: (field.type, field.default) for field in fields(Rules) if field.name in SAME
}
_WithRules: Any = create_model("_WithRules", __base__=_Compared, **_of_rules)


class StudyPlan(_WithRules, _Compared):  # type: ignore[misc]  # its base is made of the rules
    design: Literal["independent", "blocks"] = "independent"
    parameters: dict[str, Any] = Field(default_factory=dict)
    alpha: float = Field(default=Rules.alpha, gt=0, lt=1)
    # Whether alpha is split over all tasks, or holds for each.
    alpha_for: Literal["study", "task"] = "study"
    # Each task is asked by itself, or there is one question about their mean, with these weights (1
    # where none is given): the task of each row is then drawn at random.
    over_tasks: Literal["each", "mean"] = "each"
    weights: dict[str, float] = Field(default_factory=dict)
    # Policies that were tried before the study, with the number of their trials on each task, at
    # least n_max: these are imported before the first trial, and only the other policies are tried.
    stored: dict[str, int] = Field(default_factory=dict)
    # Say when a decision by n_max has become unlikely, or end there, undecided.
    futility: Literal["advisory", "binding"] | None = "advisory"
    # Enters the random order; what makes it unpredictable is a secret in the store.
    seed: int = Field(default=0, ge=0)
    blinding: Literal["trial", "none"] = "trial"  # a fresh code per trial, or names throughout
    # Minutes without a result after which a trial may be handed out again.
    lease_minutes: float = Field(default=30.0, gt=0)
    # How many rows may be open beyond the first that is not settled; None for no limit.
    look_ahead: int | None = Field(default=None, ge=0)
    # Stations may choose the task of the next trial, or go through tasks one after the other.
    task_order: Literal["chosen", "blocked"] = "chosen"
    tags: tuple[str, ...] = ()  # of failures, that operators may choose from
    # What is to be checked at each station before the first trial of a day.
    checks: Annotated[tuple[CheckName, ...], Field(max_length=50)] = ()

    @field_validator("policies", "tasks", mode="before")
    @classmethod
    def _names_alone(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        # What is no text is refused as a name: YAML takes 1 and no for something else.
        return [
            item if isinstance(item, dict | BaseModel | list) else {"name": item} for item in value
        ]

    @field_validator("parameters")
    @classmethod
    def _own_parameters(cls, value: dict[str, Any]) -> dict[str, Any]:
        declared = {*cls.model_fields, "bounds", "lower_is_better", "by"} & set(value)
        if declared:
            raise ValueError(f"{min(declared)} is set by the plan itself, not under parameters")
        return value

    @model_validator(mode="after")
    def _test_exists(self) -> "StudyPlan":
        few = "a plan needs at least 2 policies, or a reference, a number"
        require(len(self.policies) > 1 or self.reference is not None, few, parameter="policies")
        for contradicts, message in self._contradictions():
            require(not contradicts, message)
        for task in self.tasks:
            pose(self.rules(task))
        return self

    @property
    def drawing(self) -> Independent:
        return DESIGNS[self.design]

    def _contradictions(self) -> Iterator[tuple[bool, str]]:
        together, blocked = self.together, self.task_order == "blocked"
        apart, starts = not self.drawing.shared, any(task.starts for task in self.tasks)
        pairs, number = any(task.judged_in_pairs for task in self.tasks), len(self.policies)
        yield (
            pairs and apart,
            "a preference compares the two trials of a row: the plan needs design: blocks",
        )
        yield (
            pairs and number != 2,
            f"a preference compares two policies, but the plan has {number}",
        )
        yield pairs and together, "a preference says who wins: it has no mean over tasks"
        yield (
            starts and apart,
            "starts are a list from which all policies are tried: the plan needs design: blocks",
        )
        yield starts and together, "starts are of one task: leave out over_tasks: mean"
        yield (
            blocked and (starts or together),
            "what is drawn at random, starts of a list or the task of each row, is in that order: "
            "leave out task_order: blocked",
        )
        yield bool(self.weights) and not together, "weights belong to over_tasks: mean"
        if not together:
            return
        yield len(self.tasks) < 2, "over_tasks: mean needs at least 2 tasks"
        yield bool(self.stored), "stored trials need over_tasks: each, since they were not drawn"
        self.shares  # noqa: B018 - raises if a weight is wrong
        scales = {(*task.score.bounds, task.score.lower_is_better) for task in self.tasks}
        yield (
            len(scales) > 1,
            "over_tasks: mean needs one range of scores, and one lower_is_better, for all tasks",
        )

    @property
    def shares(self) -> dict[str, float] | None:
        if not self.together:
            return None
        return shares([task.name for task in self.tasks], self.weights)

    @property
    def together(self) -> bool:
        """Whether the mean over tasks is compared, not each task."""
        return self.over_tasks == "mean"

    def questions(self) -> dict[str, Rules]:
        if self.together:
            return {MEAN: self.rules(self.tasks[0])}
        return {task.name: self.rules(task) for task in self.tasks}

    def hopeless(self) -> tuple[str, ...]:
        posed = map(pose, self.questions().values())
        return tuple(dict.fromkeys(note for question in posed for note in out_of_reach(question)))

    def unfit_rubrics(self) -> Iterator[tuple[Place, str]]:
        """Not asked of a plan that was locked: its journal may be fine all the same."""
        for number, task in enumerate(self.tasks):
            try:
                pose(self.rules(task)).comparison.check(np.array(task.score.examples), "the rubric")
            except StopwiseError as error:
                yield ("tasks", number, "score"), str(error)

    @property
    def policy_names(self) -> tuple[str, ...]:
        return tuple(policy.name for policy in self.policies)

    def task(self, name: str) -> Task:
        return next(task for task in self.tasks if task.name == name)

    def rules(self, task: Task) -> Rules:
        split = self.alpha_for == "study" and not self.together
        unusual = {} if self.futility == "advisory" else {"futility": self.futility}
        settings = {
            **{name: getattr(self, name) for name in SAME},
            "policies": self.policy_names,
            "alpha": self.alpha / (len(self.tasks) if split else 1),
            "list_size": len(task.starts) or None,
            "bounds": task.score.bounds,
            "lower_is_better": task.score.lower_is_better,
            "by": "wins" if task.judged_in_pairs else "means",
            "design": self.drawing.tested,
            "groups": self.stored,
            "stored": tuple(self.stored),
            "parameters": {**self.parameters, **unusual},
        }
        return Rules(**for_files(settings))

    def content(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    @property
    def digest(self) -> str:
        text = json.dumps(self.content(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
