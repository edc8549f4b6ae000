"""Options that several commands share: one wording each, and how their values are read."""

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "Adjust",
    "Alpha",
    "AsJson",
    "Baseline",
    "Column",
    "Design",
    "FileFormat",
    "Html",
    "Measure",
    "Method",
    "NMax",
    "Ties",
    "name_and_value",
    "parse_bounds",
    "trial_source",
]

Method = Annotated[str, typer.Option(help="See `stopwise methods`.")]
Alpha = Annotated[float, typer.Option(help="Chance of any false order.")]
NMax = Annotated[int | None, typer.Option(help="Declared greatest number of trials per policy.")]
Design = Annotated[str, typer.Option(help="auto, independent, paired or stratified.")]
Adjust = Annotated[str, typer.Option(help="bonferroni, holm or closed.")]
Ties = Annotated[str, typer.Option(help="strict, or paper.")]
Baseline = Annotated[str | None, typer.Option(help="Compare with this policy only.")]
Measure = Annotated[str | None, typer.Option(help="Which column or measure to compare.")]
Column = Annotated[
    list[str] | None, typer.Option(help="ROLE=NAME, e.g. policy=algo or block=seed.")
]
FileFormat = Annotated[str | None, typer.Option("--format", help="Format of the files.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Html = Annotated[Path | None, typer.Option(help="Write the report to this file.")]


def trial_source(files: list[Path] | None, policies: list[str] | None) -> Any:
    """Return what ``read_trials`` takes: a path, several, or policy: path."""
    from stopwise.errors import InvalidInput

    if bool(files) == bool(policies):
        raise InvalidInput("give either FILES or --policy NAME=FILE for each policy")
    if policies:
        return dict(name_and_value(item, "NAME=FILE") for item in policies)
    assert files is not None
    return files[0] if len(files) == 1 else files


def name_and_value(item: str, form: str) -> tuple[str, str]:
    """Return both sides of NAME=VALUE, or raise naming the form that is expected."""
    from stopwise.errors import InvalidInput

    name, equals, value = item.partition("=")
    if not (name and equals and value):
        raise InvalidInput(f"expected {form}, but got {item!r}")
    return name, value


def parse_bounds(text: str | None) -> Any:
    """Return (low, high), a range per task, "data" or None."""
    from stopwise.errors import InvalidInput

    if text is None or text == "data":
        return text
    try:
        if "=" in text:
            parts = (name_and_value(part.strip(), "TASK=LOW,HIGH") for part in text.split(";"))
            return {task: parse_bounds(value) for task, value in parts}
        low, high = (float(end) for end in text.replace(",", " ").split())
    except ValueError as error:
        raise InvalidInput(f'bounds must be given as "LOW,HIGH", but got {text!r}') from error
    return low, high
