"""Shared by all commands: reading values, and failing in one clear line."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from stopwise.cli.wording import OFFERED, in_words
from stopwise.errors import InvalidInput, StopwiseError, number_of

# The class that typer's parser raises; typer has its own copy of click, so it has no other name.
UsageError: type[Any] = typer.BadParameter.__mro__[1]
# With more options than these, help shows them in panels.
FEW = 12
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")


class Mistyped(InvalidInput):
    """A usage error; the message ends with a pointer to --help."""


class Percentage(float):
    """A number typed as a percentage of the range from 0 to 1."""


def number(text: str) -> float:
    return Percentage(number_of(text)) if text.rstrip().endswith("%") else float(text)


class Command(TyperCommand):
    """A command that fails with ``stopwise NAME: what is wrong`` and exit code 2."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        with clear_errors(_name_of(parent, info_name)):
            return super().make_context(info_name, args, parent, **extra)

    def get_params(self, ctx: Any) -> list[Any]:
        return _prepared(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read ``--bounds 0 500`` as ``--bounds 0,500``."""
        words: list[str] = []
        for word in args:
            last = words[-1] if words else ""
            after = words[-2:-1] == ["--bounds"] or last.startswith("--bounds=")
            if (
                after
                and NUMBER.fullmatch(last.removeprefix("--bounds="))
                and NUMBER.fullmatch(word)
            ):
                words[-1] += f",{word}"
            else:
                words.append(word)
        return super().parse_args(ctx, words)

    def invoke(self, ctx: Any) -> Any:
        before = OFFERED.set({name for one in self.params for name in one.opts})
        try:
            with clear_errors(_name_of(ctx.parent, ctx.info_name)):
                return super().invoke(ctx)
        finally:
            OFFERED.reset(before)


class CommandGroup(TyperGroup):
    """A group that refuses an unknown command in one line."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _prepared(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        with clear_errors(_name_of(ctx.parent, ctx.info_name)):
            return super().resolve_command(ctx, args)


def _prepared(parameters: list[Any]) -> list[Any]:
    """Parameters that read their values, with flags without <bool>, and --help in a panel."""
    options = [one for one in parameters if one.param_type_name == "option"]
    for option in options:
        option.metavar = "" if option.is_flag else option.metavar
        if option.name == "help" and len(options) > FEW:
            option.rich_help_panel = "Output"
    for parameter in parameters:
        parameter.process_value = partial(_value, parameter, parameter.process_value)
    return parameters


def _value(parameter: Any, usual: Callable[[Any, Any], Any], ctx: Any, typed: Any) -> Any:
    """The value of what was typed; typer's own machinery takes a tenth of a second to load."""
    many = parameter.nargs != 1 or getattr(parameter, "multiple", False)
    if typed is None and parameter.required:
        return usual(ctx, typed)  # which says what is missing
    value: Any = typed
    if many:
        value = [_read(parameter, one) for one in typed or ()]
    elif isinstance(typed, str):
        value = _read(parameter, typed)
    return value if parameter.callback is None else parameter.callback(ctx, parameter, value)


def _read(parameter: Any, text: str) -> Any:
    kind, limits = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    kind = next(iter(get_args(kind)), kind)  # of a list
    with suppress(ValueError):
        value = number(text) if kind is float else kind(text)
        low = limits.min is None or value >= limits.min
        if low and (limits.max is None or value <= limits.max):
            return value
    wanted = "a whole number" if kind is int else "a number"
    if limits.max is not None:
        wanted += f" from {limits.min} to {limits.max}"
    elif limits.min is not None:
        wanted += f" of at least {limits.min}"
    name = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.name.upper()
    raise Mistyped(f"{name} must be {wanted}, but got {text!r}")


def _name_of(parent: Any, name: str | None) -> str:
    """Command as typed so far: ``stopwise study export``."""
    words: list[str] = []
    while parent is not None:
        words.append(str(name))
        parent, name = parent.parent, parent.info_name
    return " ".join(["stopwise", *reversed(words)])


@contextmanager
def clear_errors(command: str) -> Iterator[None]:
    """Say in one line what is wrong, in the words of the command line, and exit with 2."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader closed the pipe
    except (UsageError, StopwiseError, OSError) as error:
        if isinstance(error, StopwiseError):
            text = in_words(error)
        elif isinstance(error, UsageError):
            text = " ".join(error.format_message().split())
            lines = (error.ctx.command.help or "").splitlines() if error.ctx else []
            examples = [line.strip() for line in lines if line.strip().startswith("stopwise ")]
            if "extra argument" in text and examples:
                text += f"; give it as in `{examples[0]}`"
        elif error.filename is not None:
            text = f"{error.filename}: {error.strerror}"
        else:
            text = str(error)
        if isinstance(error, (UsageError, Mistyped)):
            see = f"ee `{command} --help`"
            text = f"{text} S{see}" if text.endswith("?") else f"{text.rstrip('.')}; s{see}"
        typer.echo(f"{command}: {text}", err=True)
        raise typer.Exit(2) from error
