"""Option values as typed, parsed into keywords of the library."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stopwise.cli.command import Mistyped, Percentage, number
from stopwise.cli.wording import in_options
from stopwise.errors import require

GUESSED = ("score-column-guessed", "score-column-default")
# Options in units of the score.
IN_UNITS = ("margin", "equivalence", "reference", "indifference", "not_worse_anywhere")
KINDS_OF_FUTILITY = ("advisory", "binding", "none")


def named_values(items: list[str], form: str, *, may_be_empty: bool = False) -> dict[str, str]:
    """The values by name, or raise if a name is given twice."""
    by_name: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not (name and equals and (value or may_be_empty)):
            raise Mistyped(f"expected {form}, but got {item!r}")
        if name in by_name:
            raise Mistyped(f"{name!r} is given twice: give {form} once for each")
        by_name[name] = value
    return by_name


def named_numbers(items: list[str], option: str, form: str) -> dict[str, float] | None:
    try:
        return {name: number(text) for name, text in named_values(items, form).items()} or None
    except ValueError as error:
        raise Mistyped(f"expected {option} {form}, but got {' '.join(items)}") from error


def numbers(name: str, kind: type[int] | type[float], text: str | None) -> dict[str, Any]:
    """The numbers of a list such as ``50,100``."""
    if text is None:
        return {name: None}
    try:
        read = number if kind is float else kind
        return {name: [read(part) for part in text.replace(",", " ").split()]}
    except ValueError as error:
        like = "whole numbers like 50,100" if kind is int else "numbers like 0.1,0.2"
        option = f"--{name.replace('_', '-')}"
        raise Mistyped(f"{option} must be {like}, but got {text!r}") from error


def parse_bounds(text: str | None, option: str = "--bounds") -> Any:
    """Return (low, high), a range per task, "data" or None."""
    if text is None or text == "data":
        return text
    try:
        if "=" in text:
            parts = named_values([part.strip() for part in text.split(";")], "TASK=LOW,HIGH")
            return {task: parse_bounds(value, option) for task, value in parts.items()}
        low, high = (float(end) for end in text.replace(",", " ").split())
    except ValueError as error:
        raise Mistyped(f'{option} must be given as "LOW,HIGH", but got {text!r}') from error
    return low, high


def bounds(text: str | None) -> dict[str, Any]:
    return {"bounds": parse_bounds(text)}


def one_range(text: str) -> dict[str, Any]:
    bounds = parse_bounds(text)
    known = isinstance(bounds, tuple)
    require(known, f'--bounds must be given as "LOW,HIGH", but got {text!r}')
    return {"bounds": bounds}


def refuse_percentages(typed: Mapping[str, Any], limits: Any) -> None:
    """Raise where a percentage was typed for scores that do not range from 0 to 1."""
    for name in IN_UNITS:
        if isinstance(typed.get(name), Percentage) and limits not in (None, (0.0, 1.0)):
            raise Mistyped(
                f"--{name.replace('_', '-')} is given in per cent, but the bounds are not 0,1: "
                "give it in units of the score"
            )


def columns(items: list[str]) -> dict[str, Any]:
    """The columns of each role: one, several that are joined, or none."""
    typed = named_values(items, "ROLE=NAME", may_be_empty=True)
    roles: dict[str, Any] = {
        role: name.split(",") if "," in name else name or None for role, name in typed.items()
    }
    policies = roles.pop("policies", None)
    several = [policies] if isinstance(policies, str) else policies
    return {"columns": roles, **({} if policies is None else {"policies": several})}


def order(seed: int | None) -> dict[str, Any]:
    return {"seed": seed, "order": "file" if seed is None else "shuffled"}


def design(typed: str) -> dict[str, Any]:
    """Parse ``auto`` as None: the library detects the design."""
    unequal = {"unequal": "groups"} if typed == "groups" else {}
    return {"design": None if typed in ("auto", "groups") else typed, **unequal}


def futility(typed: str | None) -> dict[str, Any]:
    """Read ``binding:0.1`` as a kind and a chance."""
    if typed is None:
        return {}
    kind, _, chance = typed.partition(":")
    if kind not in KINDS_OF_FUTILITY:
        raise Mistyped(
            f"--futility must be advisory, binding or none, but got {typed!r} (a chance of its own "
            "follows the word: --futility advisory:0.1)"
        )
    settings: dict[str, Any] = {"futility": None if kind == "none" else kind}
    if chance:
        (settings["futility_chance"],) = numbers("futility KIND:CHANCE", float, chance).popitem()[1]
    return settings


def tasks(typed: str | None) -> dict[str, Any]:
    """Read ``random:reach=2,lift=1`` as a kind of mean over tasks and its weights."""
    if typed is None:
        return {"tasks": None, "task_order": "rounds", "weights": None}
    kind, _, weights = typed.partition(":")
    if kind not in ("mean", "independent", "random"):
        raise Mistyped(
            "--tasks must be mean, independent or random (each task has an answer of its own "
            f"without it), but got {kind!r}"
        )
    parts = [part.strip() for part in weights.split(",") if part.strip()]
    return {
        "tasks": "mean" if kind in ("random", "independent") else kind,
        "task_order": "rounds" if kind == "mean" else kind,
        "weights": named_numbers(parts, "--tasks mean:", "TASK=WEIGHT,..."),
    }


def scenes(typed: str | None) -> dict[str, Any]:
    return {"scenes": int(typed) if typed and typed.isdecimal() else typed}


def trial_source(files: list[Path], policies: list[str]) -> Any:
    """What ``read_trials`` takes: a path, several, or policy: path.

    Files may be typed as NAME=FILE, too.
    """
    if bool(files) == bool(policies):
        raise Mistyped("give either FILES or --policy NAME=FILE for each policy")
    named = policies or list(map(str, files))
    if policies or all("=" in name and not Path(name).exists() for name in named):
        return named_values(named, "NAME=FILE")
    return files[0] if len(files) == 1 else files


def stored_scores(items: list[str], **reading: Any) -> dict[str, Any]:
    """The scores of policies that were tried before, from a file each."""
    from stopwise.cli.printing import say
    from stopwise.data.read import read_trials

    stored = {}
    for name, path in named_values(items, "--stored NAME=FILE").items():
        trials = read_trials(path, **reading)
        guesses = [note for note in trials.notes if getattr(note, "code", "") in GUESSED]
        for note in in_options(guesses):
            say(f"note: {path}: {note}", err=True)
        policy = trials.policies[0] if len(trials.policies) == 1 else name
        known = ", ".join(trials.policies)
        require(policy in trials.policies, f"{path}: the policies are {known}, but not {name!r}")
        count = len(trials.tasks)
        require(count == 1, f"{path}: stored trials belong to one task, but there are {count}")
        stored[name] = trials.frame.filter(trials.frame["policy"] == policy)["score"].to_list()
    return stored


def resources(items: list[str]) -> dict[str, Any]:
    return {"resources": named_numbers(items, "--resources", "NAME=NUMBER")}


def runtime_environment(text: str | None) -> dict[str, Any]:
    """Ray's runtime environment, typed as JSON or as a JSON file."""
    if text is None:
        return {"runtime_env": None}
    try:
        content = json.loads(text if text.lstrip().startswith("{") else Path(text).read_text())
    except ValueError as error:
        raise Mistyped(f"--runtime-env must be JSON, or a file of it: {error}") from error
    if not isinstance(content, dict):
        raise Mistyped(f"--runtime-env must be an object, but got {content!r}")
    return {"runtime_env": content}


def chosen_executor(name: str, **typed: Any) -> Any:
    """Make the named executor with its options; without any it stays a name."""
    name, _, address = name.partition(":")
    require(not address or name == "ray", f"only ray has an address, not {name}")
    given = {option: value for option, value in typed.items() if value is not None}
    for option in given:
        fits = ("processes", "ray") if option == "workers" else ("ray",)
        text = f"--{option.replace('_', '-')} needs --executor {' or '.join(fits)}, not {name}"
        require(name in fits, text)
    if name not in ("processes", "ray"):
        return name
    from stopwise.rollout.executors import processes, ray_cluster  # others need none of it

    if name == "processes":
        return processes(**given)
    return ray_cluster(address=address or None, **given)


def with_current_folder() -> None:
    """Make modules in the current folder importable, as with ``python -m``."""
    sys.path.insert(0, os.getcwd())


def function_on_row(name: str | None) -> dict[str, Any]:
    if name is None:
        return {"on_row": None}
    from stopwise.policies.import_path import load

    with_current_folder()
    return {"on_row": load(name)}
