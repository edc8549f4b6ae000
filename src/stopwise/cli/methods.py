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
        listed = [{**vars(info), "parameters": dict(info.parameters)} for info in known]
        typer.echo(json.dumps(listed, indent=2))
        return
    table = Table("method", "what it is", "scores", "designs", "looks", "own parameters")
    for info in known:
        table.add_row(
            info.name,
            info.summary,
            info.scores,
            ", ".join(info.designs),
            "after every pair" if info.anytime else "only at n_max",
            ", ".join(f"{key}={value}" for key, value in info.parameters.items()) or "none",
        )
    Console().print(table)
