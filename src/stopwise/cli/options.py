"""Options that several commands share: one wording each, and how their values are read."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

__all__ = [
    "Address",
    "Adjust",
    "Alpha",
    "AsJson",
    "Baseline",
    "Bounded",
    "Bounds",
    "Column",
    "Design",
    "FileFormat",
    "Html",
    "Measure",
    "Method",
    "Missing",
    "NMax",
    "Order",
    "Pool",
    "Ties",
    "Workers",
    "chosen_executor",
    "column_choices",
    "json_of",
    "named_values",
    "parse_bounds",
    "refuse_unused",
    "trial_source",
]

Method = Annotated[str, typer.Option(help="See `stopwise methods`.")]
Alpha = Annotated[float, typer.Option(help="Chance of any false order.")]
NMax = Annotated[int | None, typer.Option(help="Declared greatest number of trials per policy.")]
Bounds = Annotated[
    str | None,
    typer.Option(help='Range of the score: "LOW,HIGH", or "TASK=LOW,HIGH; ...", or "data".'),
]
Order = Annotated[str, typer.Option(help="file, time or shuffled.")]
Pool = Annotated[bool, typer.Option("--pool", help="Pool all tasks into one analysis.")]
Design = Annotated[str, typer.Option(help="auto, independent, paired or stratified.")]
Adjust = Annotated[str, typer.Option(help="bonferroni, holm or closed.")]
Ties = Annotated[str, typer.Option(help="strict, or paper.")]
Baseline = Annotated[str | None, typer.Option(help="Compare with this policy only.")]
Measure = Annotated[str | None, typer.Option(help="Which column or measure to compare.")]
Column = Annotated[
    list[str] | None,
    typer.Option(help="ROLE=NAME, e.g. policy=algo; task=env,task joins two; trial= is none."),
]
Missing = Annotated[str, typer.Option(help="error, or drop to leave out trials without a score.")]
FileFormat = Annotated[str | None, typer.Option("--format", help="Format of the files.")]
Workers = Annotated[int | None, typer.Option(help="Of processes or ray.")]
Address = Annotated[str | None, typer.Option(help="Of an existing Ray cluster.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Html = Annotated[Path | None, typer.Option(help="Write the report to this file.")]


def trial_source(files: list[Path] | None, policies: list[str] | None) -> Any:
    """Return what ``read_trials`` takes: a path, several, or policy: path."""
    from stopwise.errors import InvalidInput

    if bool(files) == bool(policies):
        raise InvalidInput("give either FILES or --policy NAME=FILE for each policy")
    if policies:
        return named_values(policies, "NAME=FILE")
    assert files is not None
    return files[0] if len(files) == 1 else files


def named_values(items: list[str], form: str) -> dict[str, str]:
    """Return the values by name, or raise if one is given twice."""
    from stopwise.errors import require

    found: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        require(bool(name and equals and value), f"expected {form}, but got {item!r}")
        require(name not in found, f"{name!r} is given twice, but must be once: {form}")
        found[name] = value
    return found


def column_choices(items: list[str] | None) -> dict[str, Any]:
    """Return the columns of each role: one, several that are joined, or none."""
    from stopwise.errors import require

    found: dict[str, Any] = {}
    for item in items or []:
        role, equals, value = item.partition("=")
        require(bool(role and equals), f"expected ROLE=NAME, but got {item!r}")
        require(role not in found, f"{role!r} is given twice, but must be once: ROLE=NAME")
        found[role] = value.split(",") if "," in value else value or None
    return found


def parse_bounds(text: str | None) -> Any:
    """Return (low, high), a range per task, "data" or None."""
    from stopwise.errors import InvalidInput

    if text is None or text == "data":
        return text
    try:
        if "=" in text:
            parts = named_values([part.strip() for part in text.split(";")], "TASK=LOW,HIGH")
            return {task: parse_bounds(value) for task, value in parts.items()}
        low, high = (float(end) for end in text.replace(",", " ").split())
    except ValueError as error:
        raise InvalidInput(f'bounds must be given as "LOW,HIGH", but got {text!r}') from error
    return low, high


def json_of(contents: list[dict[str, Any]]) -> str:
    """Return one answer, or the list of several, as JSON."""
    return json.dumps(contents[0] if len(contents) == 1 else contents, indent=2)


class Bounded(TyperCommand):
    """A command whose range may be one word or two: ``--bounds 0,500`` or ``--bounds 0 500``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Make two words one, and go on as usual."""
        words: list[str] = []
        for word in args:
            last = words[-1] if words else ""
            after = words[-2:-1] == ["--bounds"] or last.startswith("--bounds=")
            if after and _is_float(last.removeprefix("--bounds=")) and _is_float(word):
                words[-1] += f",{word}"
            else:
                words.append(word)
        return super().parse_args(ctx, words)


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def refuse_unused(context: typer.Context, names: tuple[str, ...], reason: str) -> None:
    """Raise if an option that has no effect was given, instead of passing over it."""
    from stopwise.errors import require

    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        given = source is not None and source.name != "DEFAULT"
        unused = given and parameter.name in names
        require(not unused, f"{parameter.opts[0]} has no effect {reason}")


def chosen_executor(name: str, workers: int | None, address: str | None, batch: int = 1) -> Any:
    """Return the executor of that name; one without workers stays a name."""
    from stopwise.errors import require
    from stopwise.rollout.executors import processes, ray_cluster

    require(address is None or name == "ray", "--address needs --executor ray")
    if name == "processes":
        return processes(workers, batch=batch)
    if name == "ray":
        given: dict[str, Any] = {} if workers is None else {"workers": workers}
        return ray_cluster(**given, address=address, batch=batch)
    require(batch == 1, f"--batch needs --executor processes or ray, not {name}")
    require(workers is None, f"--workers needs --executor processes or ray, not {name}")
    return name
