"""Questions about several policies: one file per question, and the machinery of pairs."""

from stopwise.core.rules import Rules
from stopwise.core.snapshot import kind_of
from stopwise.errors import require_choice
from stopwise.questions.best import BestQuestion
from stopwise.questions.order import OrderQuestion
from stopwise.questions.question import Question

__all__ = ["QUESTIONS", "pose", "resume"]

# By the goal that is declared.
QUESTIONS: dict[str, type[Question]] = {"order": OrderQuestion, "best": BestQuestion}


def pose(rules: Rules) -> Question:
    """Return the question that the rules ask, before the first row."""
    require_choice("goal", rules.goal, QUESTIONS)
    return QUESTIONS[rules.goal](rules)


def resume(text: str) -> Question:
    """Return a question that ``to_json`` saved; it goes on identically."""
    kind = kind_of(text)
    found = next((cls for cls in QUESTIONS.values() if cls._kind == kind), OrderQuestion)
    return found.from_json(text)
