"""Answers written to files: a web page, and figures in a folder for each task."""

import errno
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stopwise.cli.options import OutputOptions
from stopwise.cli.printing import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.report.drawn import Drawn
    from stopwise.report.html import Origin


def check_places(html: Path | None, figures: Path | None) -> None:
    """Raise before the work if the page or the figures cannot be written there."""
    from stopwise.errors import require

    require(
        html is None or html.suffix.lower() in {"", ".html", ".htm"},
        f"--html writes a web page, so its name must end in .html, but got '{html}'; "
        "for a PDF, print the page from a browser",
    )
    if html is not None:
        check_file(html)
    if figures is not None:
        nearest = next(folder for folder in (figures, *figures.parents) if folder.exists())
        if not nearest.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(figures))


def origin_of(paths: Sequence[Path]) -> "Origin":
    """Say from which files an answer came, and what was typed."""
    from stopwise.report.html import Origin

    return Origin.of(paths, f"stopwise {shlex.join(sys.argv[1:])}")


def check_file(path: Path) -> None:
    """Raise before the work if no file can be written there."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def write_files(
    page: Callable[[], str],
    answers: Sequence[tuple[str, "Drawn"]],
    output: OutputOptions,
    board: "Callable[[], Figure] | None" = None,
) -> None:
    """Write the page and the figures of each (task, answer) as asked, and say where.

    A ``board`` is a figure of all answers.
    """
    from stopwise.report.canvas import as_wide_as, save_as

    html, figures = output.html, output.folder
    if html is not None:
        html.write_text(page(), encoding="utf-8")
    if figures is not None:
        for number, (task, answer) in enumerate(answers, start=1):
            folder = figures / f"{number}-{_file_name(task)}"
            answer.save_figures(folder if len(answers) > 1 else figures, width=output.width)
    if figures is not None and board is not None:
        with as_wide_as(output.width):
            save_as(board(), figures / "board")
    for path in (html, figures):
        if path is not None and not output.as_json:
            typer.echo(f"written: {path}")
    if html is None and figures is None:
        return
    for note in {answer.figure_note() for _, answer in answers} - {None}:
        say(f"note: {note}", style="dim", err=True)


def _file_name(task: str) -> str:
    """A name for a folder; a task may hold slashes, dots or anything else."""
    return re.sub(r"[^\w-]+", "_", task).strip("_") or "task"
