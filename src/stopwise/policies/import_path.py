"""Objects by import path: ``package.module:name``."""

import importlib
import inspect
import os
import re
from functools import partial
from pathlib import Path
from typing import Any

from stopwise.errors import InvalidInput, require

_PLACE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def is_place(text: str) -> bool:
    """Whether the text is an import path (gymnasium's "module:Env-v0" is not)."""
    return _PLACE.fullmatch(text) is not None


def load(place: str) -> Any:
    """Return the object at ``package.module:name``, or raise naming what is missing."""
    require(is_place(place), f"expected package.module:name, but got {place!r}")
    module, _, name = place.partition(":")
    try:
        target: Any = importlib.import_module(module)
    except ImportError as error:
        raise InvalidInput(f"{place}: the module cannot be imported: {error}") from error
    for part in name.split("."):
        if not hasattr(target, part):
            raise InvalidInput(f"{place}: {target.__name__} has no {part!r}")
        target = getattr(target, part)
    return target


def made(thing: Any) -> Any:
    """Return the thing itself, or what it makes if it is a class or can do without arguments.

    A text that names a place in a module stands for what is there, the address of a policy server
    for the policy that it serves, and a folder for the policy that LeRobot saved there; any other
    is left as it is.
    """
    if isinstance(thing, str) and thing.startswith(("ws://", "wss://")):
        from stopwise.policies.openpi import ServedPolicy

        return ServedPolicy(thing)
    if isinstance(thing, str) and _saved_by_lerobot(os.path.join(thing, "config.json")):
        from stopwise.policies.lerobot import LeRobotPolicy

        return LeRobotPolicy(thing)
    if isinstance(thing, str) and is_place(thing):
        thing = load(thing)
    return thing() if _is_factory(thing) else thing


def _saved_by_lerobot(path: str) -> bool:
    """Whether the file has what LeRobot writes; models of other libraries have one of that name."""
    return os.path.isfile(path) and '"input_features"' in Path(path).read_text(encoding="utf-8")


def _is_factory(thing: Any) -> bool:
    """Whether it makes a policy: one that acts needs an observation, so it needs an argument."""
    if isinstance(thing, type) or (isinstance(thing, partial) and isinstance(thing.func, type)):
        return True
    acts = any(hasattr(thing, name) for name in ("predict", "act", "reset"))
    return callable(thing) and not acts and (arguments(thing) or (1, 1))[0] == 0


def parameters_of(function: Any) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def arguments(function: Any) -> tuple[int, int] | None:
    """Smallest and largest number of positional arguments of a callable; None if unknown."""
    parameters = parameters_of(function)
    if parameters is None or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return sum(p.default is p.empty for p in positional), len(positional)
