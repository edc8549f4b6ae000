"""What a plan is made of: policies, tasks, conditions, and what is checked each day."""

from typing import Any

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from stopwise.study.limits import NAME, TEXT
from stopwise.study.rubric import Binary, PlanPart, Rubric


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

    @model_serializer(mode="wrap")
    def _without_what_is_not_there(self, content: SerializerFunctionWrapHandler) -> Any:
        found = content(self)
        return found if self.starts else {key: own for key, own in found.items() if key != "starts"}

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
