"""Scores typed at the terminal: what to type for each rubric, and what it means."""

from typing import Any

from stopwise.errors import InvalidInput, require


def question(rubric: dict[str, Any]) -> str:
    """Return the question to ask for a rubric."""
    kind = rubric["kind"]
    if kind == "binary":
        return "success? y/n"
    if kind == "number":
        unit = f" {rubric['unit']}" if rubric["unit"] else ""
        return f"number from {rubric['low']:g} to {rubric['high']:g}{unit}"
    if kind == "preference":
        return _preference_question(rubric)
    options = _options(rubric)
    numbered = [f"{place} {option}" for place, option in enumerate(options, 1)]
    listed = ", ".join(numbered if _may_be_numbered(options) else options)
    if kind == "milestones":
        return f"reached ({listed}): list them, or type `all` or `none`"
    return f"outcome ({listed}): which one?"


def parse_answer(rubric: dict[str, Any], typed: str) -> Any:
    """Return the answer that was typed, or raise ``InvalidInput``."""
    text, kind = typed.strip().lower(), rubric["kind"]
    if kind == "binary":
        require(text in ("y", "yes", "n", "no", "1", "0"), f"type y or n, but got {typed!r}")
        return text in ("y", "yes", "1")
    if kind == "number":
        try:
            return float(text)
        except ValueError as error:
            raise InvalidInput(f"type a number, but got {typed!r}") from error
    if kind == "preference":
        known = {"1": "first", "2": "second"} if "first" in rubric else {}
        return known.get(text, text)
    options = _options(rubric)
    if kind == "milestones":
        if text in ("all", "none"):
            return options if text == "all" else []
        parts = [text] if _named(options, text) else text.replace(",", " ").split()
        return [_option(options, part) for part in parts]
    return _option(options, text)


def _preference_question(rubric: dict[str, Any]) -> str:
    if "first" not in rubric:
        return "the first of two: watch how it goes, and type `done` when it is over"
    return f"which was better, 1 the first (CODE {rubric['first']}) or 2 this one? or type `tie`"


def in_words(answer: Any) -> str:
    """Return an answer in words, to be read back after it was stored."""
    if isinstance(answer, bool):
        return "success" if answer else "failure"
    if isinstance(answer, list):
        return ", ".join(answer) or "none"
    return f"{answer:g}" if isinstance(answer, float) else str(answer)


def _options(rubric: dict[str, Any]) -> list[str]:
    listed = rubric["milestones" if rubric["kind"] == "milestones" else "levels"]
    return [option["name"] for option in listed]


def _may_be_numbered(options: list[str]) -> bool:
    """Whether a number can only be a place in the list, and not the name of another option."""
    return not any(option.isdecimal() for option in options)


def _named(options: list[str], text: str) -> str | None:
    """Return the option of this name, in small or capital letters."""
    return next((option for option in options if option.lower() == text), None)


def _option(options: list[str], text: str) -> str:
    numbers = _may_be_numbered(options)
    if numbers and text.isdecimal() and 1 <= int(text) <= len(options):
        return options[int(text) - 1]
    found = _named(options, text)
    if found is None:
        number = f"a number from 1 to {len(options)} or " if numbers else ""
        raise InvalidInput(f"type {number}a name from the list, but got {text!r}")
    return found
