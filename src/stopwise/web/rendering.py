"""Rendering of pages; the templates escape all text."""

import functools
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from stopwise import __version__
from stopwise.study import limits


def render(template: str, **content: Any) -> str:
    return _environment().get_template(template).render(version=__version__, **content)


@functools.cache
def _environment() -> Environment:
    folder = files("stopwise.web").joinpath("templates")
    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")),
    )
    environment.filters["clock"] = _clock
    environment.filters["duration"] = duration
    environment.filters["percent"] = _percent
    environment.globals["limits"] = limits
    return environment


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def duration(minutes: float) -> str:
    """Write a time in the unit in which people would say it."""
    if minutes < 1.5:
        return f"{60 * minutes:.0f} seconds"
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.2g} hours"


def _percent(chance: float) -> str:
    if 0.005 <= chance <= 0.995:
        return f"{100 * chance:.0f} %"
    return "below 1 %" if chance < 0.5 else "above 99 %"
