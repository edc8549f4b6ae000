"""What every command shares: it fails in one clear line, and a range may be one word or two."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from stopwise.cli.panels import in_panels
from stopwise.cli.parameters import read_plainly
from stopwise.cli.wording import OFFERED, in_words
from stopwise.errors import InvalidInput, StopwiseError

# The class that typer's parser raises; typer has its own copy of click, so it has no other name.
UsageError: type[Any] = typer.BadParameter.__mro__[1]
WHOLE, NUMBER, LIMITS = "a whole number", "a number", ("min", "max")


class Mistyped(InvalidInput):
    """A usage error; the message ends with a pointer to --help."""


class Command(TyperCommand):
    """A command that fails with ``stopwise NAME: what is wrong`` and exit code 2."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse the arguments."""
        with clear_errors(name_of(parent, info_name)):
            return super().make_context(info_name, args, parent, **extra)

    def get_params(self, ctx: Any) -> list[Any]:
        """List arguments and options, by panel."""
        return in_panels(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read ``--bounds 0 500`` as ``--bounds 0,500``, then parse as usual."""
        words: list[str] = []
        for word in args:
            last = words[-1] if words else ""
            after = words[-2:-1] == ["--bounds"] or last.startswith("--bounds=")
            if after and _is_float(last.removeprefix("--bounds=")) and _is_float(word):
                words[-1] += f",{word}"
            else:
                words.append(word)
        annotations = _annotations(self.callback)
        for parameter in self.get_params(ctx):
            read_plainly(parameter, annotations.get(parameter.name))
        try:
            return self._parsed(ctx, words)
        except UsageError as error:
            found = self._no_number(ctx, words, getattr(error, "param", None))
            raise error if found is None else found from error

    def _parsed(self, ctx: Any, words: list[str]) -> list[str]:
        """Parse; where all but a first argument that may be left out are there, it is left out."""
        try:
            return super().parse_args(ctx, list(words))
        except typer.BadParameter as error:
            arguments = [one for one in self.params if one.param_type_name == "argument"]
            first = arguments[0] if arguments else None
            if first is None or first.required or not any(one.required for one in arguments):
                raise
            try:
                return super().parse_args(ctx, [str(first.default), *words])
            except UsageError:
                raise error from None

    def _no_number(self, ctx: Any, words: list[str], parameter: Any) -> Mistyped | None:
        """What to say of a parameter that is given, and wants a number that it is not."""
        if parameter is None:
            return None
        wanted = number_wanted(_annotations(self.callback).get(parameter.name))
        typed = self.make_parser(ctx).parse_args(list(words))[0].get(parameter.name)
        if wanted is None or not isinstance(typed, str):
            return None
        name = parameter.opts[0]
        name = name if name.startswith("-") else name.upper()
        return Mistyped(f"{name} must be {wanted}, but got {typed!r}")

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        before = OFFERED.set(options_of(self))
        try:
            with clear_errors(name_of(ctx.parent, ctx.info_name)):
                return super().invoke(ctx)
        finally:
            OFFERED.reset(before)


class CommandGroup(TyperGroup):
    """Commands, of which an unknown one is refused in one line too."""

    def get_params(self, ctx: Any) -> list[Any]:
        """List the options as those of a command."""
        return in_panels(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as usual, but what is not given at once."""
        for parameter in self.get_params(ctx):
            read_plainly(parameter, None)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed."""
        with clear_errors(name_of(ctx.parent, ctx.info_name)):
            return super().resolve_command(ctx, args)


def options_of(command: Any) -> set[str]:
    """The options of a command, as they are typed."""
    return {option for parameter in command.params for option in parameter.opts}


def name_of(parent: Any, name: str | None) -> str:
    """What was typed up to a command: ``stopwise study export``."""
    words: list[str] = []
    while parent is not None:
        words.append(str(name))
        parent, name = parent.parent, parent.info_name
    return " ".join(["stopwise", *reversed(words)])


def number_wanted(annotation: Any) -> str | None:
    """Which number a parameter takes, in words; None if it takes none.

    Examples
    --------
    >>> from typing import Annotated
    >>> number_wanted(Annotated[int | None, typer.Option(min=1)])
    'a whole number of at least 1'
    """
    kind, *information = get_args(annotation) or (annotation,)
    kinds = get_args(kind) or (kind,)
    if int not in kinds and float not in kinds:
        return None
    number = WHOLE if int in kinds else NUMBER
    least, most = (getattr(information[0], end, None) if information else None for end in LIMITS)
    if least is not None and most is not None:
        return f"{number} from {least} to {most}"
    return number if least is None else f"{number} of at least {least}"


@contextmanager
def clear_errors(command: str) -> Iterator[None]:
    """Say in one line what is wrong, in the words of the command line, and exit with 2."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has seen enough
    except (UsageError, StopwiseError, OSError) as error:
        if isinstance(error, StopwiseError):
            text = in_words(error)
        elif isinstance(error, UsageError):
            text = " ".join(error.format_message().split())
        else:
            text = str(error)
            if error.filename is not None:
                text = f"{error.filename}: {error.strerror}"
        if isinstance(error, (UsageError, Mistyped)):
            text = with_help(text, command)
        typer.echo(f"{command}: {text}", err=True)
        raise typer.Exit(2) from error


def with_help(text: str, command: str) -> str:
    """A line on a wrong call, with where to read about the right one."""
    see = f"see `{command} --help`"
    return f"{text} S{see[1:]}" if text.endswith("?") else f"{text.rstrip('.')}; {see}"


def _annotations(command: Any) -> dict[str | None, Any]:
    """What a command says of its parameters; typer adds others, such as --help."""
    parameters = {} if command is None else inspect.signature(command).parameters
    return {name: parameter.annotation for name, parameter in parameters.items()}


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
