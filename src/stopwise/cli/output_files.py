"""Answers written to files: a web page, and figures in a folder for each task."""

import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stopwise.cli.given import Given
from stopwise.errors import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.report.drawn import Drawn
    from stopwise.report.html import Origin

# Behind the name of a folder: how wide figures are.
WIDTH = re.compile(r":([0-9]+(?:\.[0-9]+)?)$")


def figures_folder(typed: str | None) -> Path | None:
    """The folder of ``FOLDER[:INCHES]``."""
    if typed is None:
        return None
    folder = Path(WIDTH.sub("", typed))
    text = f"figures: the width behind ':' must be inches, as in out:7.2, got {typed!r}"
    require(":" not in folder.name, text, parameter="figures")
    return folder


def check_places(html: Path | None, figures: str | None = None, *files: Path | None) -> None:
    """Raise before the work if an output file cannot be written."""
    require(
        html is None or html.suffix.lower() in {"", ".html", ".htm"},
        f"--html writes a web page, so its name must end in .html, but got '{html}'; "
        "for a PDF, print the page from a browser",
    )
    for path in filter(None, (html, *files)):
        require(path.parent.is_dir(), f"{path}: No such file or directory")
        require(not path.is_dir(), f"{path}: Is a directory")
    folder = figures_folder(figures)
    if folder is not None:
        nearest = next(place for place in (folder, *folder.parents) if place.exists())
        require(nearest.is_dir(), f"{folder}: Not a directory")


def origin_of(paths: Iterable[Path]) -> "Origin":
    """Where an answer came from: its files, and the command."""
    from stopwise.report.html import Origin

    return Origin.of(list(paths), f"stopwise {shlex.join(sys.argv[1:])}")


def write_files(
    page: Callable[[], str],
    answers: Sequence[tuple[str, "Drawn"]],
    given: Given,
    board: "Callable[[], Figure] | None" = None,
) -> None:
    """Write the page and the figures of each (task, answer) as asked, and say where.

    A ``board`` is a figure of all answers.
    """
    typed: str | None = getattr(given, "figures", None)
    html, figures = given.html, figures_folder(typed)
    if html is not None:
        html.write_text(page(), encoding="utf-8")
    if figures is not None:
        from stopwise.report.canvas import COLUMN, as_wide_as, save_as

        inches = WIDTH.search(typed or "")
        width = float(inches.group(1)) if inches else COLUMN
        for number, (task, answer) in enumerate(answers, start=1):
            name = re.sub(r"[^\w-]+", "_", task).strip("_")  # it may hold anything
            folder = figures / f"{number}-{name or 'task'}" if len(answers) > 1 else figures
            answer.save_figures(folder, width=width)
        if board is not None:
            with as_wide_as(width):
                save_as(board(), figures / "board")
    written = [path for path in (html, figures) if path is not None]
    for path in () if given.as_json else written:
        typer.echo(f"written: {path}")
