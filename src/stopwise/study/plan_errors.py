"""What is wrong with a plan, in plain words: the rule and the value, once for each fault."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from stopwise.study.plan_parts import Policy, Task
from stopwise.study.study_plan import Place, StudyPlan

KNOWN = (*StudyPlan.model_fields, *Task.model_fields, *Policy.model_fields)
PLAIN = {
    "missing": "is missing",
    "union_tag_not_found": "needs a kind: binary, milestones, levels or number",
}
COMPARED = {
    "greater_than": "above {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "below {lt:g}",
    "less_than_equal": "at most {le:g}",
    "finite_number": "a finite number",
    "literal_error": "{expected}",
    "union_tag_invalid": "one of {expected_tags}",
}
KINDS = {
    "int": "a whole number",
    "float": "a number",
    "string": "text (in quotes)",
    "tuple": "a list",
    "dict": "`name: value` lines",
    "model": "`name: value` lines",
}


def faults(error: ValidationError) -> list[tuple[Place, str]]:
    """Return each fault with its place; what only follows from a fault below it is left out."""
    problems = error.errors(include_url=False)
    places = [problem["loc"] for problem in problems]
    return [
        (place, in_words(problem))
        for place, problem in zip(places, problems, strict=True)
        if not any(len(other) > len(place) > 0 and other[: len(place)] == place for other in places)
    ]


def in_words(problem: Mapping[str, Any]) -> str:
    """Return what is wrong, without the name of the place."""
    kind, given, context = problem["type"], problem["input"], problem.get("ctx", {})
    if kind in PLAIN:
        return PLAIN[kind]
    if kind == "extra_forbidden":
        close = get_close_matches(str(problem["loc"][-1]), KNOWN, n=1)
        return f"there is no such entry{f'; did you mean {close[0]}?' if close else ''}"
    if kind == "too_short":
        return f"needs at least {context['min_length']}, but has {context['actual_length']}"
    if kind in COMPARED:
        got = context.get("tag", given)
        return f"must be {COMPARED[kind].format(**context)}, but got {got!r}"
    expected = KINDS.get(kind.split("_")[0])
    if expected and kind.endswith(("_type", "_parsing", "_from_float")):
        return f"must be {expected}, but got {given!r}"
    return str(problem["msg"]).removeprefix("Value error, ")
