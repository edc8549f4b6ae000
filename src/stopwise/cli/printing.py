"""Sentences, notes and tables on the screen, as wide as a terminal; a file gets whole lines."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stopwise.cli.wording import in_options

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from stopwise.questions.analysis import Analysis

# Columns of text in the tables of an analysis; all others are numbers.
WORDS = ("policy", "letters", "verdict", "pair", "better", "task")
# Names are not broken into shorter pieces than this.
BROKEN = 12


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


def print_tables(analysis: "Analysis", title: str | None = None) -> None:
    """Print the tables of an analysis: its policies, its pairs, and tasks beside a mean."""
    from rich.console import Console
    from rich.markup import escape

    of_tasks, console = analysis.task_tables(), Console(highlight=False)
    for caption, rows in analysis.text_tables().items():
        if caption in of_tasks or "of" in caption.split():  # not all pairs are shown
            title = caption
        if rows:
            console.print(table_of(rows, WORDS, title=None if title is None else escape(title)))
        title = None


def table_of(
    rows: Sequence[Mapping[str, object]], words: Collection[str], **look: Any
) -> "FittingTable":
    """Return a table whose columns are the keys of its rows; ``words`` are columns of text.

    Long names are broken, never cut: names that begin alike would look the same. Where a screen is
    too narrow for that, each row is a block of lines.
    """
    from rich.markup import escape
    from rich.table import Table

    table = Table(title_justify="left", **look)
    for name in rows[0]:
        if name in words:
            table.add_column(escape(name), overflow="fold")
        else:
            table.add_column(escape(name), justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(escape(str(value)) for value in row.values()))
    return FittingTable(table, rows, words)


class FittingTable:
    """A table where there is room for it, else its rows as blocks of lines."""

    def __init__(
        self, table: "Table", rows: Sequence[Mapping[str, object]], words: Collection[str]
    ) -> None:
        self.table, self.rows, self.words = table, rows, set(words)

    def least_width(self, console: Any) -> int:
        """Return how narrow the table may be: numbers stand in one line, text may be broken."""
        from rich.measure import Measurement

        options = console.options.update(max_width=10_000)
        width = Measurement.get(console, options, self.table).maximum
        for name in self.words & self.rows[0].keys():
            longest = max(len(str(text)) for text in (name, *(row[name] for row in self.rows)))
            width -= max(0, longest - BROKEN)
        return width

    def __rich_console__(self, console: Any, options: Any) -> Iterator["RenderableType"]:
        from rich.text import Text

        if self.least_width(console) <= options.max_width:
            yield self.table
            return
        if self.table.title:
            yield Text.from_markup(str(self.table.title), style="italic")
        for row in self.rows:
            (name, first), *others = row.items()
            yield Text(f"{first}" if name in self.words else f"{name} {first}", style="bold")
            line = ""
            for text in (f"  {name}: {value}" for name, value in others if str(value)):
                if len(line + text) > options.max_width:
                    yield Text(line)
                    line = ""
                line += text
            yield Text(line)
