"""Sentences, notes and tables on the screen, as wide as a terminal; a file gets whole lines."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stopwise.cli.wording import OFFERED, in_options
from stopwise.report.tables import WORDS

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from stopwise.questions.analysis import Analysis

# Names are not broken into shorter pieces than this.
BROKEN = 12


def print_finding(sentence: str, notes: Iterable[str]) -> None:
    """Print what was found, and what was assumed or left out."""
    say(sentence, style="bold")
    print_notes(notes)


def print_notes(notes: Iterable[str]) -> None:
    """Print what was assumed or left out."""
    for note in in_options(notes):
        say(f"note: {note}", style="dim")


def say(text: str, *, style: str = "", err: bool = False) -> None:
    """Print text; a terminal wraps it between words, a file gets it as one line."""
    from rich.console import Console

    console = Console(highlight=False, stderr=err)
    console.print(text, style=style, markup=False, soft_wrap=not console.is_terminal)


def print_analysis(analysis: "Analysis", title: str = "", without: Collection[str] = ()) -> None:
    """Print one analysis: the answer first, then tables, what it rests on, and other notes."""
    say(f"{title}{analysis.headline}", style="bold")
    for caption, rows in analysis.text_tables().items():
        if caption in analysis.task_tables():
            say(f"{caption}:")
        if rows:
            print_rows(rows)
    say(analysis.sentence)
    print_notes(note for note in analysis.warnings if note not in without)


def print_analyses(analyses: Sequence["Analysis"], *, verbose: bool = False) -> None:
    """Print the answer on several tasks: one line each, or with all tables."""
    from stopwise.report.overview import answers, merged_notes, overview_rows, shared_notes

    if len(analyses) == 1:
        print_analysis(analyses[0], _title(analyses[0]))
        return
    for answer in answers(analyses):
        say(answer, style="bold")
    print_rows(overview_rows(analyses))
    if not verbose:
        first = analyses[0]
        each = "on each task, the chance of any false claim"
        every = "the chance of any false claim on any of the tasks"
        promised = first.promised(every if first.rules.elsewhere[0] else each)
        more = "; --verbose prints all tables" if "--verbose" in (OFFERED.get() or ()) else ""
        say(f"{promised} ({first.method}, {first.adjust}, {first.design} design){more}")
        print_notes(merged_notes(analyses))
        return
    shared = shared_notes(analyses)
    for analysis in analyses:
        print_analysis(analysis, _title(analysis), shared)
    print_notes(shared)


def _title(analysis: "Analysis") -> str:
    """Name of the task before its answer; a file without tasks has one called "task"."""
    return "" if analysis.task in (None, "task") else f"{analysis.task}: "


def print_rows(rows: Sequence[Mapping[str, object]], words: Collection[str] = WORDS) -> None:
    """Print a table."""
    from rich.console import Console

    Console(highlight=False).print(table_of(rows, words))


def table_of(
    rows: Sequence[Mapping[str, object]], words: Collection[str], **look: Any
) -> "FittingTable":
    """A table whose columns are the keys of its rows; ``words`` are columns of text.

    Long names are broken, never cut: names that begin alike would look the same. Where a screen is
    too narrow for that, each row is a block of lines.
    """
    from rich.box import SIMPLE
    from rich.markup import escape
    from rich.table import Table

    table = Table(title_justify="left", box=SIMPLE, collapse_padding=True, pad_edge=False, **look)
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
        """How narrow the table may be: numbers stand in one line, text may be broken."""
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
