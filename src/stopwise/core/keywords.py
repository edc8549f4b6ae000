"""Flat, typed keywords that are declared once and taken by many functions."""

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from stopwise.core.rules import FROM_TRIALS, Rules
from stopwise.errors import InvalidInput, number_for
from stopwise.messages import counted

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

# The names of an entry of a docstring, and the entry that stands for all keywords.
NAMES = r"\**\w+(?:, \**\w+)*"
SETTINGS = re.compile(r"^( *)(.*?)(?:, )?\*\*settings\n(?:\1 +\S.*\n)+", re.MULTILINE)


class _Default:
    """What a signature shows for a keyword whose default is the method's own."""

    def __repr__(self) -> str:
        return "..."


# Those of the rules, where an entry does not say otherwise; they come first in a signature.
DEFAULTS = {
    entry.name: entry.default
    for entry in fields(Rules)
    if entry.name not in ("policies", "parameters", *FROM_TRIALS)
}


def flat(
    settings: type, *, by_position: str = "", **defaults: Any
) -> Callable[[Function], Function]:
    """Give a function the keys of the ``TypedDict`` of its ``**settings`` as keywords of its own.

    ``defaults`` are those to show that differ from the usual ones, ``by_position`` the right calls
    to name where too much is given by position.
    """
    shown = {**DEFAULTS, **defaults}

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        taken = signature.parameters.values()
        named = [parameter for parameter in taken if parameter.kind is not parameter.VAR_KEYWORD]
        hints = {name: hint for name, (hint, _) in _hints(settings).items()}
        ordered = dict.fromkeys([*(name for name in shown if name in hints), *hints])
        keyword = functools.partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)
        more = [
            keyword(name, default=shown.get(name, _Default()), annotation=hints[name])
            for name in ordered
        ]
        known = {parameter.name: parameter.annotation for parameter in (*named, *more)}
        placed = [parameter for parameter in named if parameter.kind is not parameter.KEYWORD_ONLY]

        @functools.wraps(function)
        def checked(*args: Any, **keywords: Any) -> Any:
            for name in keywords:
                if name not in known:
                    raise InvalidInput(_unknown(function, name, known), parameter=name)
            if by_position and len(args) > len(placed):
                number = counted(len(placed), "argument")
                taken = f"{function.__name__} takes {number} without a keyword"
                raise InvalidInput(f"{taken}, but got {len(args)}: {by_position}")
            for name, value in keywords.items():
                hint = known[name]
                kinds = {hint} if get_origin(hint) is tuple else {hint, *get_args(hint)}
                if isinstance(value, str) and kinds & {int, float} and str not in kinds:
                    raise number_for(value, name)
            return function(*args, **keywords)

        vars(checked)["__signature__"] = signature.replace(parameters=[*named, *more])
        descriptions = {name: _hints(settings)[name][1] for name in ordered}
        vars(checked)["described"] = descriptions
        checked.__doc__ = _described(function.__doc__, descriptions)
        return cast(Function, checked)

    return decorate


def described(cls: Class) -> Class:
    """Describe each keyword of a flat ``__init__`` in the docstring of its class."""
    cls.__doc__ = _described(cls.__doc__, vars(vars(cls)["__init__"])["described"])
    return cls


@functools.cache
def _hints(settings: type) -> dict[str, tuple[Any, str]]:
    """Type and description of each keyword."""
    hints = get_type_hints(settings, include_extras=True)
    return {name: (hint.__origin__, hint.__metadata__[0]) for name, hint in hints.items()}


def _described(text: str | None, descriptions: Mapping[str, str]) -> str | None:
    match = None if text is None else SETTINGS.search(text)
    if text is None or match is None:
        return text
    margin, others = match[1], match[2]
    entries = re.findall(rf"^{margin}({NAMES})$", text, re.MULTILINE)
    there = set(", ".join(entries).split(", "))
    missing = [
        f"{margin}{name}\n{margin}    {said}\n"
        for name, said in descriptions.items()
        if name not in there
    ]
    kept = match[0].replace(", **settings", "") if others else ""
    return text[: match.start()] + kept + "".join(missing) + text[match.end() :]


def _unknown(function: Callable[..., Any], name: str, known: Iterable[str]) -> str:
    called = function.__qualname__.removesuffix(".__init__")
    # Underscores are what is forgotten most.
    plain = {word.replace("_", ""): word for word in sorted(known)}
    close = get_close_matches(name.replace("_", "").lower(), plain, n=1)
    meant = f"; did you mean {plain[close[0]]!r}?" if close else ""
    return f"{called} has no keyword {name!r}{meant}"
