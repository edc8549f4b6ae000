"""``stopwise methods``: the available statistical tests."""

import json

import typer

from stopwise.cli.given import Given
from stopwise.cli.options import takes


@takes("methods")
def methods(given: Given) -> None:
    """List the statistical tests: when to choose each, and which scores and designs it accepts."""
    from stopwise.cli.printing import print_rows
    from stopwise.core import registry

    known = registry.methods().values()
    if given.as_json:
        typer.echo(json.dumps([vars(info) for info in known], indent=2))
        return
    columns = ("method", "when to choose it", "scores", "designs")
    cells = ((one.name, one.advice, one.scores, ", ".join(one.designs)) for one in known)
    print_rows([dict(zip(columns, row, strict=True)) for row in cells], columns)
    typer.echo("How each works, what to cite and its own parameters: stopwise methods --json")
