"""What was typed for an option as the value that the library takes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stopwise.cli.command import Mistyped
from stopwise.cli.parameters import Percentage, number
from stopwise.cli.wording import as_option
from stopwise.errors import require
from stopwise.messages import reworded

# Options of executors: of those with workers elsewhere, and of Ray alone.
FLEET = ("workers",)
RAY = ("num_cpus", "num_gpus", "resources", "runtime_env")


def refuse_percentages(typed: Mapping[str, Any], bounds: Any) -> None:
    """Raise where a percentage was typed for scores that do not range from 0 to 1."""
    if bounds in (None, (0.0, 1.0)):
        return
    for name, value in typed.items():
        if isinstance(value, Percentage):
            raise Mistyped(
                f"--{name.replace('_', '-')} is given in per cent, but the bounds are not 0,1: "
                "give it in units of the score"
            )


def trial_source(files: list[Path] | None, policies: list[str] | None) -> Any:
    """Convert arguments to what ``read_trials`` takes: a path, several, or policy: path.

    Files may be typed as NAME=FILE, too.
    """
    if bool(files) == bool(policies):
        raise Mistyped("give either FILES or --policy NAME=FILE for each policy")
    named = policies or list(map(str, files or ()))
    if policies or all("=" in name and not Path(name).exists() for name in named):
        return named_values(named, "NAME=FILE")
    assert files is not None
    return files[0] if len(files) == 1 else files


def trial_paths(files: list[Path] | None, policies: list[str] | None) -> list[Path]:
    """The files that were named."""
    source = trial_source(files, policies)
    places = source.values() if isinstance(source, dict) else source
    return [Path(place) for place in ([places] if isinstance(places, Path) else places)]


def named_values(items: list[str], form: str, *, may_be_empty: bool = False) -> dict[str, str]:
    """The values by name, or raise if a name is given twice."""
    found: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        complete = name and equals and (value or may_be_empty)
        if not complete:
            raise Mistyped(f"expected {form}, but got {item!r}")
        if name in found:
            raise Mistyped(f"{name!r} is given twice: give {form} once for each")
        found[name] = value
    return found


def column_choices(items: list[str] | None) -> dict[str, Any]:
    """The columns of each role: one, several that are joined, or none."""
    found = named_values(items or [], "ROLE=NAME", may_be_empty=True)
    return {role: name.split(",") if "," in name else name or None for role, name in found.items()}


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


def stored_scores(
    items: list[str] | None, *, quiet: bool = True, **reading: Any
) -> dict[str, list[float]]:
    """The scores of policies that were tried before, from a file each.

    Which column was taken for the score is told on standard error, unless ``quiet``.
    """
    from stopwise.cli.printing import say
    from stopwise.data.read import read_trials

    found = {}
    for name, path in named_values(items or [], "--stored NAME=FILE").items():
        trials = read_trials(path, **reading)
        codes = () if quiet else ("score-column-guessed", "score-column-default")
        taken = [note for note in trials.notes if getattr(note, "code", "") in codes]
        for note in reworded(taken, lambda setting: setting.words or as_option(setting)):
            say(f"note: {path}: {note}", err=True)
        own = trials.policies[0] if len(trials.policies) == 1 else name
        known = ", ".join(trials.policies)
        require(own in trials.policies, f"{path}: the policies are {known}, but not {name!r}")
        tasks = len(trials.tasks)
        require(tasks == 1, f"{path}: stored trials belong to one task, but there are {tasks}")
        found[name] = trials.frame.filter(trials.frame["policy"] == own)["score"].to_list()
    return found


def named_numbers(items: list[str] | None, option: str, form: str) -> dict[str, float] | None:
    """The numbers by name, or None if there are none."""
    try:
        given = {name: number(text) for name, text in named_values(items or [], form).items()}
    except ValueError as error:
        raise Mistyped(f"expected {option} {form}, but got {' '.join(items or [])}") from error
    return given or None


def numbers(text: str | None, option: str, kind: type[int] | type[float]) -> list[Any] | None:
    """The numbers of a list such as ``50,100``."""
    if text is None:
        return None
    try:
        read = number if kind is float else kind
        return [read(part) for part in text.replace(",", " ").split()]
    except ValueError as error:
        like = "whole numbers like 50,100" if kind is int else "numbers like 0.1,0.2"
        raise Mistyped(f"{option} must be {like}, but got {text!r}") from error


def runtime_environment(text: str | None) -> dict[str, Any] | None:
    """What workers get, typed as JSON or as the name of a file of it."""
    if text is None:
        return None
    try:
        found = json.loads(text if text.lstrip().startswith("{") else Path(text).read_text())
    except ValueError as error:
        raise Mistyped(f"--runtime-env must be JSON, or a file of it: {error}") from error
    if not isinstance(found, dict):
        raise Mistyped(f"--runtime-env must be an object, but got {found!r}")
    return found


def chosen_executor(name: str, **typed: Any) -> Any:
    """Make the executor of that name with what was typed for it; one without stays a name."""
    name, _, address = name.partition(":")
    require(not address or name == "ray", f"only ray has an address, not {name}")
    given = {option: value for option, value in typed.items() if value is not None}
    places = {"processes": FLEET, "ray": (*FLEET, *RAY)}
    for option in given:
        fits = [place for place, known in places.items() if option in known]
        text = f"--{option.replace('_', '-')} needs --executor {' or '.join(fits)}, not {name}"
        require(name in fits, text)
    if name not in places:
        return name
    from stopwise.rollout.executors import processes, ray_cluster  # others need none of it

    if name == "processes":
        return processes(**given)
    return ray_cluster(address=address or None, **given)
