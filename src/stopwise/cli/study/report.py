"""``stopwise study report``: the page for readers."""

from pathlib import Path
from typing import Annotated

import typer

from stopwise.cli.study.session import Place, opened

__all__ = ["report"]


def report(
    place: Place = ".",
    html: Annotated[Path, typer.Option(help="The file to write.")] = Path("report.html"),
) -> None:
    """Check the whole journal and write the report, with amendments, voids and overshoot."""
    with opened(place, "report") as study:
        html.write_text(study.report(), encoding="utf-8")
    typer.echo(f"written: {html}")
