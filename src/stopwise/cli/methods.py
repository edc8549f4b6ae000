"""``stopwise methods``: all methods, with what each accepts."""

from typing import Annotated

import typer

__all__ = ["methods"]


def methods(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List all methods, with what each accepts."""
    import json

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
