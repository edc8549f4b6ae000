"""How an answer at the robot becomes a score: success, milestones, levels, a number, a count."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from stopwise.core.readings.scale import Scale
from stopwise.errors import InvalidInput, require, require_choice
from stopwise.study.limits import NAME

MANY = 4096
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
    """What all rubrics have; ``asks`` is the question at the terminal, ``typed`` reads its answer.

    ``examples`` are scores that a method must take.
    """

    lower_is_better: bool = False
    in_pairs: ClassVar[bool] = False  # whether the two trials of a row have one answer

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def worst(self) -> float:
        return self.bounds[self.lower_is_better]

    @property
    def examples(self) -> tuple[float, ...]:
        return self.bounds


class Binary(_ScoreRule):
    kind: Literal["binary"] = "binary"
    asks: ClassVar[str] = "success? y/n"

    def score(self, answer: Any) -> float:
        require(
            answer is True or answer is False or (_is_number(answer) and answer in (0, 1)),
            f"the result must be true or false, but got {answer!r}",
        )
        return float(answer)

    def typed(self, text: str) -> bool:
        require(text in ("y", "n"), f"type y or n, but got {text!r}")
        return text == "y"


class Milestone(PlanPart):
    name: str = Field(min_length=1, max_length=NAME)
    weight: float = Field(default=1.0, gt=0)


class Milestones(_ScoreRule):
    kind: Literal["milestones"] = "milestones"
    milestones: Annotated[tuple[Milestone, ...], Field(min_length=1), DISTINCT]

    @property
    def examples(self) -> tuple[float, ...]:
        """Scores of every set of milestones, as far as they are few."""
        sums = {0.0}
        for step in self.milestones:
            if len(sums) < MANY:
                sums |= {reached + step.weight for reached in sums}
        total = math.fsum(step.weight for step in self.milestones)
        return tuple(min(1.0, reached / total) for reached in sums)

    def score(self, answer: Any) -> float:
        known = {step.name: step.weight for step in self.milestones}
        require(
            isinstance(answer, Sequence) and not isinstance(answer, str),
            f"the milestones reached must be a list of names, but got {answer!r}",
        )
        for name in answer:
            require_choice("a milestone", name, known)
        require(len(set(answer)) == len(answer), f"a milestone appears twice in {answer!r}")
        reached = math.fsum(known[name] for name in answer)
        return min(1.0, reached / math.fsum(known.values()))

    @property
    def asks(self) -> str:
        return f"reached ({_numbered(self.milestones)}): all that were, `all` or `none`"

    def typed(self, text: str) -> list[str]:
        if text in ("all", "none"):
            return [step.name for step in self.milestones if text == "all"]
        return [_chosen(self.milestones, part) for part in text.replace(",", " ").split()]


class Level(PlanPart):
    name: str = Field(min_length=1, max_length=NAME)
    value: float


class Levels(_ScoreRule):
    kind: Literal["levels"] = "levels"
    levels: Annotated[tuple[Level, ...], Field(min_length=2), DISTINCT]

    @model_validator(mode="after")
    def _different(self) -> "Levels":
        if self.bounds[0] == self.bounds[1]:
            raise ValueError("levels must have at least two different values")
        return self

    @property
    def examples(self) -> tuple[float, ...]:
        return tuple(level.value for level in self.levels)

    @property
    def bounds(self) -> tuple[float, float]:
        return min(self.examples), max(self.examples)

    def score(self, answer: Any) -> float:
        known = {level.name: level.value for level in self.levels}
        require_choice("a level", answer, known)
        return known[answer]

    @property
    def asks(self) -> str:
        return f"outcome ({_numbered(self.levels)}): which one?"

    def typed(self, text: str) -> str:
        return _chosen(self.levels, text)


class Number(_ScoreRule):
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
        return self.low, self.high

    @property
    def examples(self) -> tuple[float, ...]:
        """The ends, and a score that is in no list of levels."""
        return self.low, self.low + (self.high - self.low) / math.pi, self.high

    def score(self, answer: Any) -> float:
        require(_is_number(answer), f"the score must be a number, but got {answer!r}")
        scale = Scale(self.low, self.high)
        require(
            abs(answer - scale.nearest(answer)) <= scale.slack,
            f"the score must lie in [{self.low:g}, {self.high:g}], but got {answer!r}",
        )
        return float(scale.nearest(answer))

    @property
    def asks(self) -> str:
        return f"number from {self.low:g} to {self.high:g} {self.unit}".rstrip()

    def typed(self, text: str) -> float:
        try:
            return float(text)
        except ValueError as error:
            raise InvalidInput(f"type a number, but got {text!r}") from error


class Count(_ScoreRule):
    kind: Literal["count"] = "count"
    of: int = Field(ge=2, le=20)

    @property
    def examples(self) -> tuple[float, ...]:
        return tuple(number / self.of for number in range(self.of + 1))

    def score(self, answer: Any) -> float:
        whole = _is_number(answer) and answer in range(self.of + 1)
        require(whole, f"the count must be a whole number from 0 to {self.of}, but got {answer!r}")
        return float(answer / self.of)

    @property
    def asks(self) -> str:
        return f"how many of {self.of}?"

    def typed(self, text: str) -> int:
        require(text.isdecimal(), f"type a whole number, but got {text!r}")
        return int(text)


class Preference(_ScoreRule):
    """Which of a row's two trials was better, said with the second; the winner scores 1."""

    kind: Literal["preference"] = "preference"
    in_pairs: ClassVar[bool] = True
    asks: ClassVar[str] = "done (the first of two); then which was better: first, second or tie"

    @model_validator(mode="after")
    def _upwards(self) -> "Preference":
        if self.lower_is_better:
            raise ValueError("a preference names the better trial: leave lower_is_better out")
        return self

    def score(self, answer: Any) -> float | None:
        """Share won by the second trial of the row; None for the first."""
        require(
            isinstance(answer, str) and answer in (DONE, *WON),
            f"the answer must be one of {', '.join(WON)}, but got {answer!r}",
        )
        return WON.get(answer)

    def typed(self, text: str) -> str:
        return text


Rubric = Annotated[
    Binary | Milestones | Levels | Number | Count | Preference, Field(discriminator="kind")
]
RUBRIC_KINDS = tuple(rule.model_fields["kind"].default for rule in get_args(get_args(Rubric)[0]))
_ADAPTER: TypeAdapter[Any] = TypeAdapter(Rubric)


def question(shown: Mapping[str, Any]) -> str:
    """Return the question to ask at the terminal, for a rubric as an assignment shows it."""
    return str(_read(shown).asks)


def parse_answer(shown: Mapping[str, Any], typed: str) -> Any:
    return _read(shown).typed(typed.strip().lower())


def _read(shown: Mapping[str, Any]) -> Any:
    return _ADAPTER.validate_python({key: shown[key] for key in shown if key != "first"})


def in_words(answer: Any) -> str:
    if isinstance(answer, bool):
        return "success" if answer else "failure"
    if isinstance(answer, list):
        return ", ".join(answer) or "none"
    return f"{answer:g}" if isinstance(answer, float) else str(answer)


def _numbered(options: Sequence[Milestone | Level]) -> str:
    """Options to choose from, with numbers where these can only be places in the list."""
    return ", ".join(
        f"{place} {option.name}" if _has_places(options) else option.name
        for place, option in enumerate(options, 1)
    )


def _chosen(options: Sequence[Milestone | Level], text: str) -> str:
    for place, option in enumerate(options, 1):
        if text == option.name.lower() or (_has_places(options) and text == str(place)):
            return option.name
    raise InvalidInput(f"type a name from the list or its number, but got {text!r}")


def _has_places(options: Sequence[Milestone | Level]) -> bool:
    return not any(option.name.isdecimal() for option in options)


def plain_answer(answer: Any) -> Any:
    """An answer as JSON: numpy numbers and booleans become plain ones."""
    if isinstance(answer, np.generic):
        return answer.item()
    return list(answer) if isinstance(answer, tuple) else answer


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
