"""Sentences and notes on the screen: broken between words, or one line each where piped."""

from collections.abc import Sequence

from stopwise.cli.failing import as_options

__all__ = ["say", "tell", "tell_notes"]


def tell(sentence: str, notes: Sequence[str]) -> None:
    """Print what was found and what has to be said of it."""
    say(sentence, style="bold")
    tell_notes(notes)


def tell_notes(notes: Sequence[str]) -> None:
    """Print what was assumed or left out."""
    for note in notes:
        say(f"note: {as_options(note)}", style="dim")


def say(text: str, *, style: str = "", err: bool = False) -> None:
    """Print text; a terminal breaks it between words, a file gets it as one line."""
    from rich.console import Console

    console = Console(highlight=False, stderr=err)
    console.print(text, style=style, markup=False, soft_wrap=not console.is_terminal)
