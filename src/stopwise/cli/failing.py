"""How every command fails: one clear line, in the words of the command line, and exit code 2."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import typer

__all__ = ["as_options", "clear_errors"]

COLUMNS = re.compile(r"columns=\{'(\w+)': (?:'(\w+)'|(None|\[\.\.\.\]|\.\.\.))\}")
PLACEHOLDERS = {"None": "", "[...]": "NAME,NAME", "...": "NAME"}
# Of ``study import``.
AGAIN = "again=True"
# A guess of ``plan``.
MOMENTS = "(mean, standard deviation)"
ARGUMENT = re.compile(r"\b(score|format|missing|order|on_error|design|bounds)=(?:'([^']*)'|\B)")


def as_options(text: str) -> str:
    """Return a message of the library with its arguments as they are typed: --missing drop."""
    text = COLUMNS.sub(
        lambda found: f"--column {found[1]}={found[2] or PLACEHOLDERS[found[3]]}", text
    )

    def option(found: re.Match[str]) -> str:
        name = f"--{found[1].replace('_', '-')}"
        return f"{name} {found[2]}" if found[2] else name

    return ARGUMENT.sub(
        option, text.replace(MOMENTS, "MEAN+-SD, as in 50+-20").replace(AGAIN, "--again")
    )


@contextmanager
def clear_errors(command: str, *, options: bool = True) -> Iterator[None]:
    """Say in one line what is wrong, and exit with 2.

    Parameters
    ----------
    command
        What was typed after ``stopwise``.
    options
        Whether the arguments of the library are options of the command.
    """
    from stopwise.errors import StopwiseError

    try:
        yield
    except (StopwiseError, OSError) as error:
        text = str(error)
        if not isinstance(error, StopwiseError) and error.filename is not None:
            text = f"{error.filename}: {error.strerror}"
        typer.echo(f"stopwise {command}: {as_options(text) if options else text}", err=True)
        raise typer.Exit(2) from error
