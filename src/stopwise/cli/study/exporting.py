"""``stopwise study export``: the trials as a table."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from stopwise.cli.study.session import Place, opened

__all__ = ["export"]


def export(
    file: Annotated[Path, typer.Argument(help="A file that ends in .csv, .jsonl or .parquet.")],
    place: Place = ".",
    used: Annotated[
        bool, typer.Option("--used", help="Only the trials that the verdict rests on.")
    ] = False,
) -> None:
    """Write one row per trial, with labels instead of names until the study is unblinded."""
    with opened(place, "export") as study:
        from stopwise.errors import InvalidInput

        frame = study.records()
        if used:
            frame = frame.filter(frame["used"])
        writers: dict[str, Callable[[Path], Any]] = {
            ".csv": frame.write_csv,
            ".jsonl": frame.write_ndjson,
            ".parquet": frame.write_parquet,
        }
        if file.suffix not in writers:
            raise InvalidInput(f"the file must end in {', '.join(writers)}, but got {file.name}")
        writers[file.suffix](file)
    typer.echo(f"written: {file}, {len(frame)} trials")
