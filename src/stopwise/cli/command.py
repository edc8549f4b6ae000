"""What every command shares: it fails in one clear line, and a range may be one word or two."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from stopwise.cli.wording import OFFERED, as_option
from stopwise.errors import StopwiseError

# The class that typer's parser raises; typer has its own copy of click, so it has no other name.
UsageError: type[Any] = typer.BadParameter.__mro__[1]


class Command(TyperCommand):
    """A command that fails with ``stopwise NAME: what is wrong`` and exit code 2."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse the arguments."""
        with clear_errors(name_of(parent, info_name)):
            return super().make_context(info_name, args, parent, **extra)

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
        return super().parse_args(ctx, words)

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

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed."""
        with clear_errors(name_of(ctx.parent, ctx.info_name)):
            return super().resolve_command(ctx, args)


def options_of(command: Any) -> set[str]:
    """Return the options of a command, as they are typed."""
    return {option for parameter in command.params for option in parameter.opts}


def name_of(parent: Any, name: str | None) -> str:
    """Return what was typed up to a command: ``stopwise study export``."""
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
        raise  # the reader has seen enough
    except (UsageError, StopwiseError, OSError) as error:
        if isinstance(error, StopwiseError):
            text = error.worded(as_option)
        elif isinstance(error, UsageError):
            text = " ".join(error.format_message().split())
        else:
            text = str(error)
            if error.filename is not None:
                text = f"{error.filename}: {error.strerror}"
        typer.echo(f"{command}: {text}", err=True)
        raise typer.Exit(2) from error


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
