"""The library's settings as options: ``missing='drop'`` is ``--missing drop``."""

import shlex
from collections.abc import Collection, Iterable
from contextvars import ContextVar

from stopwise.errors import StopwiseError
from stopwise.messages import BLANK, Blank, Setting, in_short, reworded

# Maximum line length.
MOST_CHARACTERS = 500
# The options of the command that runs, so that no message names one that it does not have.
OFFERED: ContextVar[Collection[str] | None] = ContextVar("OFFERED", default=None)


def in_options(texts: Iterable[str]) -> tuple[str, ...]:
    """Notes of the library, in short and in the words of the command line."""
    return tuple(map(_capped, reworded(in_short(texts), as_option)))


def in_words(error: StopwiseError) -> str:
    """An error in the words of the command line, with the next step."""
    next_step = _next_step(error.code)
    return _capped(error.worded(as_option) + (f"; {next_step}" if next_step else ""))


def _capped(text: str) -> str:
    """A long text without its middle, so that the error and the hint stay."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[:280]} ... {text[-180:]}"


def _next_step(code: str) -> str | None:
    """Hint that depends on the command more than on the error."""
    offered = OFFERED.get() or ()
    if code == "few-policies" and "--column" in offered:
        column = as_option(Setting("columns", {"policy": BLANK}))
        return f"add a file of another policy, or name the column of policies with {column}"
    if code == "few-policies" and "--policy" in offered:
        return "give --policy once for each of them"
    if code == "no-counts":
        return "if each row is one trial, use `stopwise analyze FILE`"
    if code == "several-policy-names":
        return "to rank all policies of a file, use `stopwise analyze FILE`"
    return None


# Settings with a value that are typed in another way.
TYPED = {
    ("lower_is_better", False): "--higher-is-better",
    ("order", "time"): "--column time=NAME",
    ("order", "shuffled"): "--seed NUMBER",
    ("task_order", "random"): "--tasks random",
    ("unequal", "groups"): "--design groups",
}
# The same whatever their value is.
ANYWAY = {
    "first": "`stopwise compare 17/20 14/20`",
    "guesses": "MEAN+-SD, as in 50+-20",
    "proxy_scores": "--proxy COLUMN=FILE",
    "audit": "--proxy COLUMN=CHANCE",
    "proxy": "--proxy COLUMN",
    "weights": "--tasks mean:TASK=WEIGHT",
    "futility_chance": "--futility KIND:CHANCE",
    "wait_for_nodes": "ray_cluster(wait_for_nodes=True) in Python",
}


def as_option(setting: Setting) -> str:
    """Word a setting as the option that gives it."""
    if setting.name in ANYWAY:
        return ANYWAY[setting.name]
    if isinstance(setting.value, dict):
        return _by_name(setting.name, setting.value)
    if setting.name == "policies" and setting.value is not None:
        return f"--column policies={shlex.quote(_typed(setting.value))}"
    word = isinstance(setting.value, str | bool)
    typed = TYPED.get((setting.name, setting.value)) if word else None
    if typed is not None:
        return typed
    option, offered = f"--{setting.name.replace('_', '-')}", OFFERED.get()
    missing = offered is not None and option not in offered
    if setting.value is None or setting.value is True:
        return setting.words if missing and setting.words is not None else option
    typed = f"{option} {shlex.quote(_typed(setting.value))}"
    return f"{typed} of `stopwise analyze`" if missing else typed


def _by_name(name: str, values: dict[str, object]) -> str:
    if name == "where":
        typed = {key: _typed(value).replace("NAME", "VALUE") for key, value in values.items()}
        return " ".join(f"--where {shlex.quote(f'{key}={value}')}" for key, value in typed.items())
    if "proxy" in values and "--proxy" in (OFFERED.get() or ()):
        return f"--proxy {_typed(values['proxy'])}"
    columns = (f"{role}={_typed(choice)}" for role, choice in values.items())
    return " ".join(f"--column {shlex.quote(column)}" for column in columns)


def _typed(value: object) -> str:
    """One value as a word; a list of names to fill in shows two, so that one sees how."""
    if isinstance(value, Blank):
        return "NAME"
    if isinstance(value, list | tuple):
        names = list(map(_typed, value))
        return ",".join(names * 2 if any(isinstance(part, Blank) for part in value) else names)
    return "" if value is None else str(value)
