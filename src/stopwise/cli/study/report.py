"""``stopwise study report``: the page for readers."""

from pathlib import Path
from typing import Annotated

import typer

from stopwise.cli.failing import clear_errors
from stopwise.cli.study.session import Place, opened
from stopwise.cli.writing import check_places

__all__ = ["report"]


def report(
    place: Place = ".",
    html: Annotated[Path, typer.Option(help="The file to write.")] = Path("report.html"),
) -> None:
    """Check the whole journal and write the report, with amendments, voids and overshoot."""
    with clear_errors("study report", options=False):
        check_places(html, None)
    with opened(place, "report") as study:
        html.write_text(study.report(), encoding="utf-8")
    typer.echo(f"written: {html}")
