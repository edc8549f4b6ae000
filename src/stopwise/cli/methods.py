"""``stopwise methods``: the statistical tests to choose from."""

import json

import typer

from stopwise.cli.options import AsJson


def methods(as_json: AsJson = False) -> None:
    """List the statistical tests: when to choose each, and which scores and designs it accepts."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    from stopwise.core import registry

    known = registry.methods().values()
    if as_json:
        typer.echo(json.dumps([vars(info) for info in known], indent=2))
        return
    columns = ("method", "when to choose it", "scores", "designs")
    table = Table(*columns, box=SIMPLE, collapse_padding=True, pad_edge=False)
    for info in known:
        table.add_row(info.name, info.advice, info.scores, "\n".join(info.designs))
    Console(highlight=False).print(table)
    typer.echo("How each works, what to cite and its own parameters: stopwise methods --json")
