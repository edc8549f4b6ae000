"""Reading and writing ``study.yaml``: each fault is told in plain words, with the line it is on."""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from stopwise.errors import InvalidInput, NotAllowed, StoreFailed, require
from stopwise.files import PRIVATE, replace_file
from stopwise.study.rubric import RUBRIC_KINDS
from stopwise.study.study_plan import Place, Policy, StudyPlan, Task

FILE_NAME = "study.yaml"
KNOWN = (*StudyPlan.model_fields, *Task.model_fields, *Policy.model_fields)
# pydantic's messages in our wording.
WORDS = {
    "missing": "is missing",
    "union_tag_not_found": f"needs a kind: {', '.join(RUBRIC_KINDS[:-1])} or {RUBRIC_KINDS[-1]}",
    "union_tag_invalid": f"must be one of {', '.join(RUBRIC_KINDS)}",
    "string_type": "must be text (in quotes)",
    "int_parsing": "must be a whole number",
    "float_parsing": "must be a number",
}


def template(name: str = FILE_NAME) -> str:
    return files("stopwise.study").joinpath("template", name).read_text(encoding="utf-8")


def read_plan(path: Path) -> StudyPlan:
    return parse_plan(read_text(path), str(path))


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: not UTF-8 text: {error.reason}") from error


def store_in(text: str) -> str | None:
    """The store that a plan names, whatever else is wrong with the plan."""
    try:
        content = yaml.safe_load(text)
    except (ValueError, yaml.YAMLError):
        return None
    place = content.get("store") if isinstance(content, dict) else None
    return place if isinstance(place, str) else None


def parse_plan(text: str, source: str = FILE_NAME) -> StudyPlan:
    try:
        _refuse_aliases(text, source)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except InvalidInput:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "not readable"
        raise InvalidInput(f"{source}{line}: not valid YAML: {problem}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source}: not valid YAML: {error}") from error
    if not isinstance(content, dict):
        raise InvalidInput(f"{source}: a plan must consist of `name: value` lines")
    lines: dict[Place, int] = {}
    _note_lines(root, (), lines, source)
    content.pop("store", None)  # where a study lives is no part of what is declared
    try:
        plan = StudyPlan.model_validate(content)
    except ValidationError as error:
        raise InvalidInput("\n".join(_complaints(error, lines, source))) from error
    for location, problem in plan.unfit_rubrics():
        place, number = _deepest(location, lines)
        raise InvalidInput(f"{source}, line {number}: {'.'.join(map(str, place))}: {problem}")
    return plan


def plan_text(plan: Mapping[str, Any] | str | None) -> str:
    text = template() if plan is None else plan
    if not isinstance(text, str):
        text = yaml_text(text)
    parse_plan(text)
    return text


def yaml_text(plan: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(plan), sort_keys=False, allow_unicode=True)


def rewrite_plan(folder: Path, text: str) -> None:
    path = folder / FILE_NAME
    require(
        store_in(text) == store_in(read_text(path)),
        "`store` says where the study is kept and cannot change while the study is open",
    )
    try:
        replace_file(path, text.encode())
        path.chmod(PRIVATE)
    except OSError as error:
        raise StoreFailed(f"{path}: {error.strerror}") from error


def write_plan(folder: Path, text: str, store: str | None) -> None:
    path = folder / FILE_NAME
    if path.exists():
        raise NotAllowed(f"{path} already exists: choose another folder")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=PRIVATE)
    path.write_text(text if store is None else f"{text}\nstore: {store}\n", encoding="utf-8")


def _refuse_aliases(text: str, source: str) -> None:
    """Raise at the first alias: they can make a small file endless."""
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent) and event.start_mark is not None:
            line = event.start_mark.line + 1
            raise InvalidInput(f"{source}, line {line}: aliases (*) are not allowed in a plan")


def _note_lines(node: Any, place: Place, lines: dict[Place, int], source: str) -> None:
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inside, line = (*place, str(key.value)), key.start_mark.line + 1
            if inside in lines:
                raise InvalidInput(f"{source}, line {line}: {str(key.value)!r} appears twice")
            lines[inside] = line
            _note_lines(value, inside, lines, source)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _note_lines(value, (*place, index), lines, source)


def _complaints(error: ValidationError, lines: dict[Place, int], source: str) -> list[str]:
    complaints = []
    for location, fault in faults(error):
        place, line = _deepest(location, lines)
        if fault == "is missing":
            place = (*place, location[-1])
        elif not place:
            line = lines.get(("method",), line)  # the test as a whole does not exist
        name = ".".join(map(str, place))
        name = f"{name}: " if name and not fault.startswith(f"{name} ") else ""
        complaints.append(f"{source}, line {line}: {name}{fault}")
    return complaints


def _deepest(location: Place, lines: dict[Place, int]) -> tuple[Place, int]:
    """Deepest place in the file that a validation error names."""
    place: Place = ()
    for part in location:
        if (*place, part) in lines:
            place = (*place, part)
    return place, lines[place]


def faults(error: ValidationError) -> list[tuple[Place, str]]:
    """Faults with their places, without those that follow from a deeper one."""
    problems = error.errors(include_url=False)
    places = [problem["loc"] or _setting_of(problem) for problem in problems]
    return [
        (place, _in_words(problem))
        for place, problem in zip(places, problems, strict=True)
        if not any(len(other) > len(place) > 0 and other[: len(place)] == place for other in places)
    ]


def _setting_of(problem: Mapping[str, Any]) -> Place:
    """The entry that a fault of the plan as a whole is about."""
    named = getattr(problem.get("ctx", {}).get("error"), "parameter", None)
    return (named,) if named in StudyPlan.model_fields else ()


def _in_words(problem: Mapping[str, Any]) -> str:
    kind, given = problem["type"], problem["input"]
    if kind == "extra_forbidden":
        close = get_close_matches(str(problem["loc"][-1]), KNOWN, n=1)
        return f"there is no such entry{f'; did you mean {close[0]}?' if close else ''}"
    if kind == "too_short":
        return "needs at least {min_length}, but has {actual_length}".format(**problem["ctx"])
    usual = str(problem["msg"]).replace("Input should be", "must be")
    words = WORDS.get(kind, usual)
    if kind in ("missing", "union_tag_not_found", "value_error"):
        return words.removeprefix("Value error, ")
    return f"{words}, but got {repr(given)[:80]}"
