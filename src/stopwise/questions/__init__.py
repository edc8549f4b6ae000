"""Questions about several policies: one file per question, and the machinery of pairs."""

from collections.abc import Mapping
from typing import Any

from stopwise.core.registry import ByName
from stopwise.core.rules import Rules
from stopwise.core.snapshot import kind_of
from stopwise.errors import InvalidState, require_choice
from stopwise.questions.question import Question

__all__ = ["QUESTIONS", "for_files", "pose", "resume"]

# By the goal that is declared.
QUESTIONS: ByName[Question] = ByName(
    {
        "order": "stopwise.questions.order:OrderQuestion",
        "best": "stopwise.questions.best:BestQuestion",
    }
)


def pose(rules: Rules) -> Question:
    """Return the question that the rules ask, before the first row."""
    require_choice("goal", rules.goal, QUESTIONS)
    return QUESTIONS[rules.goal](rules)


def for_files(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with what is usual where others run the trials, as many of each policy."""
    asked = QUESTIONS.get(settings.get("goal", Rules.goal), Question)
    return {**asked.of_files, **settings}


def resume(text: str) -> Question:
    """Return a question that ``to_json`` saved; it goes on identically."""
    kind = kind_of(text)
    cls_saved = next((cls for cls in QUESTIONS.values() if cls._kind == kind), QUESTIONS["order"])
    question = cls_saved.from_json(text)
    goal = question.rules.goal
    if QUESTIONS.get(goal) is not cls_saved:
        raise InvalidState(f"this saved question does not fit together: its goal is {goal!r}")
    return question
