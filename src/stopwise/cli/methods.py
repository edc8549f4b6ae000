"""``stopwise methods``: the statistical tests to choose from."""

import json

import typer

from stopwise.cli.options import AsJson


def methods(as_json: AsJson = False) -> None:
    """List the statistical tests, with the scores and designs that each accepts."""
    from rich.console import Console
    from rich.table import Table

    from stopwise.core import registry

    known = registry.methods().values()
    if as_json:
        typer.echo(json.dumps([vars(info) for info in known], indent=2))
        return
    table = Table("method", "what it is", "designs", "looks")
    for info in known:
        own = ", ".join(f"{key}={value}" for key, value in info.parameters.items())
        described = f"{info.summary}; scores: {info.scores}" + (f"; {own}" if own else "")
        looks = "after every pair" if info.anytime else "only at n_max"
        table.add_row(info.name, described, "\n".join(info.designs), looks)
    Console().print(table)
