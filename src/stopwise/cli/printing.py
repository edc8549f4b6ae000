"""Output as wide as the terminal; a file gets whole lines."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.given import Given
from stopwise.cli.wording import OFFERED, in_options
from stopwise.report.tables import WORDS

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

Rows = Sequence[Mapping[str, object]]


def json_of(answers: Sequence[Any]) -> str:
    """One answer, or the list of several, as JSON."""
    contents = [one if isinstance(one, dict) else one.to_dict() for one in answers]
    return json.dumps(contents[0] if len(contents) == 1 else contents, indent=2)


def tell(answers: Sequence[Any], given: Given, show: Callable[[], None] | None = None) -> None:
    """Print answers as JSON if requested, else by ``show``, or a sentence each."""
    if given.as_json:
        typer.echo(json_of(answers))
    elif show is not None:
        show()
    else:
        for answer in answers:
            say(answer.sentence, style="bold")


def say(text: str, *, style: str = "", err: bool = False) -> None:
    """Print text; a terminal wraps it between words, a file gets it as one line."""
    from rich.console import Console

    console = Console(highlight=False, stderr=err)
    console.print(text, style=style, markup=False, soft_wrap=not console.is_terminal)


def print_notes(notes: Iterable[str]) -> None:
    """Print what was assumed or left out."""
    for note in in_options(notes):
        say(f"note: {note}", style="dim")


def print_analyses(analyses: Sequence["Analysis"], *, verbose: bool = False) -> None:
    """Print the answer on several tasks: one line each, or with all tables."""
    from stopwise.report.overview import answers, merged_notes, overview_rows, shared_notes

    first = analyses[0]
    if len(analyses) == 1:
        _print_analysis(first)
        return
    for answer in answers(analyses):
        say(answer, style="bold")
    print_rows(overview_rows(analyses))
    if not verbose:
        each = "on each task, the chance of any false claim"
        every = "the chance of any false claim on any of the tasks"
        promised = first.promised(every if first.rules.elsewhere[0] else each)
        more = "; --verbose prints all tables" if "--verbose" in (OFFERED.get() or ()) else ""
        say(f"{promised} ({first.method}, {first.adjust}, {first.design} design){more}")
        print_notes(merged_notes(analyses))
        return
    shared = shared_notes(analyses)
    for analysis in analyses:
        _print_analysis(analysis, shared)
    print_notes(shared)


def _print_analysis(analysis: "Analysis", without: Collection[str] = ()) -> None:
    """Print one analysis: the answer first, then tables, what it rests on, and other notes."""
    # A file without tasks has one called "task".
    title = "" if analysis.task in (None, "task") else f"{analysis.task}: "
    say(f"{title}{analysis.headline}", style="bold")
    for caption, rows in analysis.text_tables().items():
        if caption in analysis.task_tables():
            say(f"{caption}:")
        if rows:
            print_rows(rows)
    say(analysis.sentence)
    print_notes(note for note in analysis.warnings if note not in without)


def print_rows(rows: Rows, words: Collection[str] = WORDS) -> None:
    """Print a table; ``words`` are its columns of text.

    Where there is no room for it, its rows are blocks of lines. Names are never cut: those that
    begin alike would look the same.
    """
    from rich import box, table
    from rich.console import Console
    from rich.measure import Measurement
    from rich.text import Text

    console = Console(highlight=False)
    drawn = table.Table(box=box.SIMPLE, collapse_padding=True, pad_edge=False)
    for name in rows[0]:
        justify: Any = "left" if name in words else "right"
        cells = (name, *(str(row[name]) for row in rows))
        # A number is never cut: rich takes its first word for enough.
        width = None if name in words else max(Text(cell).cell_len for cell in cells)
        drawn.add_column(Text(name), justify=justify, no_wrap=bool(width), min_width=width)
    for row in rows:
        drawn.add_row(*(Text(str(value)) for value in row.values()))
    options = console.options.update(max_width=10_000)
    if Measurement.get(console, options, drawn).minimum <= console.width:
        console.print(drawn)
        return
    for row in rows:
        (name, first), *others = row.items()
        console.print(Text(f"{first}" if name in words else f"{name} {first}", style="bold"))
        line = ""
        for text in (f"  {name}: {value}" for name, value in others if str(value)):
            if len(line + text) > console.width:
                console.print(Text(line))
                line = ""
            line += text
        console.print(Text(line))
