"""How an answer at the robot becomes a score: success, milestones, levels, number, preference."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from stopwise.core.readings.scale import Scale
from stopwise.errors import InvalidInput, require
from stopwise.study.limits import NAME

MANY = 4096
# What may be typed in the terminal instead of a score, as the first word.
COMMANDS = ("release", "quit")
SETS = ("all", "none")  # of milestones
DONE = "done"  # the answer to the first trial of a row that is judged by preference
# What the second trial of such a row has won, by the answer to which was better.
WON = {"first": 0.0, "second": 1.0, "tie": 0.5}


class PlanPart(BaseModel):
    """Part of a plan: frozen, without unknown entries, every number finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _distinct_names(items: tuple[Any, ...]) -> tuple[Any, ...]:
    if len({item.name for item in items}) < len(items):
        raise ValueError("names must be distinct")
    return items


DISTINCT = AfterValidator(_distinct_names)


class _ScoreRule(PlanPart):
    """How a trial is scored; from 0 to 1, unless it says otherwise, and more is better."""

    lower_is_better: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the score."""
        return 0.0, 1.0

    @property
    def worst(self) -> float:
        """The worst score."""
        return self.bounds[self.lower_is_better]

    @property
    def examples(self) -> tuple[float, ...]:
        """Scores that a method must take."""
        return self.bounds


class Binary(_ScoreRule):
    """Success or failure; the answer is true or false, the score 1 or 0."""

    kind: Literal["binary"] = "binary"

    def score(self, answer: Any) -> float:
        """Return 1 for success and 0 for failure."""
        require(
            answer is True or answer is False or (_is_number(answer) and answer in (0, 1)),
            f"the result must be true or false, but got {answer!r}",
        )
        return float(answer)


class Milestone(PlanPart):
    """One step of the task that may be reached, and its share of the score."""

    name: str = Field(min_length=1, max_length=NAME)
    weight: float = Field(default=1.0, gt=0)


class Milestones(_ScoreRule):
    """A checklist; the answer names the milestones reached, the score is their share of weight."""

    kind: Literal["milestones"] = "milestones"
    milestones: Annotated[tuple[Milestone, ...], Field(min_length=1), DISTINCT]

    @property
    def examples(self) -> tuple[float, ...]:
        """Scores that a method must take: of every set of milestones, as far as they are few."""
        sums = {0.0}
        for step in self.milestones:
            if len(sums) < MANY:
                sums |= {reached + step.weight for reached in sums}
        total = math.fsum(step.weight for step in self.milestones)
        return tuple(min(1.0, reached / total) for reached in sums)

    def score(self, answer: Any) -> float:
        """Return the weight of the milestones reached as a share of all."""
        known = {step.name: step.weight for step in self.milestones}
        require(
            isinstance(answer, Sequence) and not isinstance(answer, str),
            f"the milestones reached must be a list of names, but got {answer!r}",
        )
        for name in answer:
            _require_known(name, known, "a milestone")
        require(len(set(answer)) == len(answer), f"a milestone appears twice in {answer!r}")
        reached = math.fsum(known[name] for name in answer)
        return min(1.0, reached / math.fsum(known.values()))


class Level(PlanPart):
    """One outcome and its score."""

    name: str = Field(min_length=1, max_length=NAME)
    value: float


class Levels(_ScoreRule):
    """Ordered outcomes, of which exactly one is named; the score is its value."""

    kind: Literal["levels"] = "levels"
    levels: Annotated[tuple[Level, ...], Field(min_length=2), DISTINCT]

    @model_validator(mode="after")
    def _different(self) -> "Levels":
        if self.bounds[0] == self.bounds[1]:
            raise ValueError("levels must have at least two different values")
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the score."""
        values = [level.value for level in self.levels]
        return min(values), max(values)

    @property
    def examples(self) -> tuple[float, ...]:
        """Scores that a method must take."""
        return tuple(level.value for level in self.levels)

    def score(self, answer: Any) -> float:
        """Return the value of the named level."""
        known = {level.name: level.value for level in self.levels}
        _require_known(answer, known, "a level")
        return known[answer]


class Number(_ScoreRule):
    """A number within a range; the score is the number."""

    kind: Literal["number"] = "number"
    low: float
    high: float
    step: float | None = Field(default=None, gt=0)
    unit: str = Field(default="", max_length=40)

    @model_validator(mode="after")
    def _ordered(self) -> "Number":
        if not self.low < self.high:
            raise ValueError(f"low must be below high, but got {self.low:g} and {self.high:g}")
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the score."""
        return self.low, self.high

    @property
    def examples(self) -> tuple[float, ...]:
        """Scores that a method must take; one of them is in no list of levels."""
        return self.low, self.low + (self.high - self.low) / math.pi, self.high

    def score(self, answer: Any) -> float:
        """Return the number, which must lie within the range."""
        require(_is_number(answer), f"the score must be a number, but got {answer!r}")
        scale = Scale(self.low, self.high)
        require(
            abs(answer - scale.nearest(answer)) <= scale.slack,
            f"the score must lie in [{self.low:g}, {self.high:g}], but got {answer!r}",
        )
        return float(scale.nearest(answer))


class Preference(_ScoreRule):
    """Which of the two trials of a row was better: one answer, given with the second of them.

    The first is only said to be done. The score is what a trial has won: 1, 0, or 1/2 at a tie.
    """

    kind: Literal["preference"] = "preference"

    @model_validator(mode="after")
    def _upwards(self) -> "Preference":
        if self.lower_is_better:
            raise ValueError("a preference names the better trial: leave lower_is_better out")
        return self

    def score(self, answer: Any) -> float | None:
        """Return what the second trial of the row has won; None if this is the first."""
        require(
            isinstance(answer, str) and answer in (DONE, *WON),
            f"the answer must be one of {', '.join(WON)}, but got {answer!r}",
        )
        return WON.get(answer)


Rubric = Annotated[Binary | Milestones | Levels | Number | Preference, Field(discriminator="kind")]
KINDS = tuple(rule.model_fields["kind"].default for rule in get_args(get_args(Rubric)[0]))


def confusing_name(rubric: Rubric) -> tuple[int, str] | None:
    """Return the first name, by its place, that could not be typed for what it is, and why."""
    steps = [step.name for step in rubric.milestones] if isinstance(rubric, Milestones) else []
    names = [level.name for level in rubric.levels] if isinstance(rubric, Levels) else steps
    seen: dict[str, str] = {}
    for place, name in enumerate(names):
        typed = name.strip().lower()
        if typed in seen:
            return place, f"{seen[typed]!r} and {name!r} cannot be told apart when typed"
        if typed.partition(" ")[0] in COMMANDS or (steps and typed in SETS):
            return place, f"{name!r} has another meaning when typed: choose another name"
        seen[typed] = name
    return None


def plain_answer(answer: Any) -> Any:
    """Return an answer as JSON has it: a number or a truth value of numpy, too."""
    if isinstance(answer, np.generic):
        return answer.item()
    return list(answer) if isinstance(answer, tuple) else answer


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _require_known(name: Any, known: dict[str, float], what: str) -> None:
    if not isinstance(name, str) or name not in known:
        raise InvalidInput(f"{what} must be one of {', '.join(known)}, but got {name!r}")
