"""``stopwise study export``: the trials as a table."""

from pathlib import Path
from typing import Annotated

import typer

from stopwise.cli.failing import clear_errors
from stopwise.cli.study.session import Place, opened

__all__ = ["export"]

WRITERS = {".csv": "write_csv", ".jsonl": "write_ndjson", ".parquet": "write_parquet"}


def export(
    file: Annotated[Path, typer.Argument(help="A file that ends in .csv, .jsonl or .parquet.")],
    place: Place = ".",
    used: Annotated[
        bool, typer.Option("--used", help="Only the trials that the verdict rests on.")
    ] = False,
) -> None:
    """Write one row per trial; until the study is unblinded those that count, by label."""
    with clear_errors("study export", options=False):
        from stopwise.errors import require

        require(
            file.suffix in WRITERS,
            f"the file must end in {', '.join(WRITERS)}, but got {str(file)!r}",
        )
    with opened(place, "export") as study:
        frame = study.exported(used=used)
        getattr(frame, WRITERS[file.suffix])(file)
    typer.echo(f"written: {file}, {len(frame)} trials")
