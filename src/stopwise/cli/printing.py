"""Sentences and notes on the screen: wrapped in a terminal, one line each in a file or a pipe."""

from collections.abc import Sequence

from stopwise.cli.wording import in_options

__all__ = ["print_finding", "print_notes", "say"]


def print_finding(sentence: str, notes: Sequence[str]) -> None:
    """Print what was found, and what was assumed or left out."""
    say(sentence, style="bold")
    print_notes(notes)


def print_notes(notes: Sequence[str]) -> None:
    """Print what was assumed or left out."""
    for note in in_options(notes):
        say(f"note: {note}", style="dim")


def say(text: str, *, style: str = "", err: bool = False) -> None:
    """Print text; a terminal wraps it between words, a file gets it as one line."""
    from rich.console import Console

    console = Console(highlight=False, stderr=err)
    console.print(text, style=style, markup=False, soft_wrap=not console.is_terminal)
