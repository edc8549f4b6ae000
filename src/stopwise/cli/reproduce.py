"""``stopwise reproduce``: the paper's tables and figures, recomputed and compared with it."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.option_groups import argument, flag, grouped, option
from stopwise.cli.options import AsJson

if TYPE_CHECKING:
    from types import ModuleType

# Share of the paper's redraws in a quick run.
QUICK = 0.1
PACKAGE = "stopwise.reproduce"
NO_FIGURES = '; figures need matplotlib: pip install "stopwise[plots]"'
# Columns in a file or a pipe, where nothing says how wide it is.
WIDTH = 160


@grouped
def reproduce(
    names: list[str] | None = argument("Tables and figures, by the names that --list shows."),
    everything: bool = flag("Recompute all of them.", "--all"),
    listed: bool = flag("List the tables and figures.", "--list"),
    data: Path | None = option("Folder of the published data.", envvar="STOPWISE_DATA"),
    seed: int = option("Seed of the simulations.", 0, min=0),
    quick: bool = option("A tenth of the redraws, with a wider tolerance.", False),
    out: Path | None = option("Write JSON, Markdown, PNG and SVG files to this folder."),
    fresh: bool = option("Recompute even if there is a cached result.", False),
    as_json: AsJson = False,
) -> None:
    """Recompute the paper's tables and figures; exit with code 1 if any of them disagrees."""
    chosen = _chosen(names or [], everything, listed)
    if listed:
        _show_list(chosen, data, as_json=as_json)
        return
    share = QUICK if quick else 1.0
    contents = [
        _run(one, data, seed, share, out=out, fresh=fresh, as_json=as_json) for one in chosen
    ]
    if as_json:
        typer.echo(
            json.dumps(contents if everything or len(contents) > 1 else contents[0], indent=2)
        )
    if any(content["disagreements"] for content in contents):
        raise typer.Exit(1)
    if not everything and any(content["missing"] for content in contents):
        raise typer.Exit(2)


def _scripts(module: str) -> "ModuleType":
    """Return one of the scripts: part of a wheel, ``benchmarks/paper`` in the source tree."""
    if importlib.util.find_spec(PACKAGE) is None:
        from stopwise.errors import StopwiseError

        folder = Path(__file__).parents[3] / "benchmarks" / "paper"
        spec = importlib.util.spec_from_file_location(
            PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        if spec is None or spec.loader is None or not folder.is_dir():
            raise StopwiseError(f"the scripts are neither in the package nor in {folder}")
        package = importlib.util.module_from_spec(spec)
        sys.modules[PACKAGE] = package
        spec.loader.exec_module(package)
    return importlib.import_module(f"{PACKAGE}.{module}")


def _chosen(names: list[str], everything: bool, listed: bool) -> list[Any]:
    from stopwise.errors import InvalidInput

    known = _scripts("catalogue").REPRODUCTIONS
    for name in names:
        if name not in known:
            raise InvalidInput(f"expected one of {', '.join(known)}, but got {name!r}")
    if bool(names) == (everything or listed):
        raise InvalidInput("give the names of tables and figures, or --all, or --list")
    return [known[name] for name in names or known]


def _show_list(chosen: list[Any], data: Path | None, *, as_json: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    if as_json:
        entries = [{"name": o.name, "title": o.title, "needs": list(o.needs)} for o in chosen]
        typer.echo(json.dumps(entries, indent=2))
        return
    table = Table("name", "what it is", "data it needs")
    for one in chosen:
        state = "" if not one.needs else " (missing)" if one.missing(data) else " (there)"
        table.add_row(one.name, one.title, ", ".join(one.needs) + state)
    Console().print(table)


def _run(
    one: Any,
    data: Path | None,
    seed: int,
    share: float,
    *,
    out: Path | None,
    fresh: bool,
    as_json: bool,
) -> dict[str, Any]:
    """Run one, print it unless JSON is wanted, and return it for JSON."""
    from rich.console import Console

    from stopwise.display import bar

    console = Console(quiet=as_json, highlight=False)
    if not console.is_terminal:
        console.width = WIDTH
    content = {"name": one.name, "title": one.title, "missing": one.missing(data)}
    console.print(f"\n[bold]{one.name}[/bold]: {one.title}", soft_wrap=True)
    if content["missing"]:
        typer.echo(f"{one.name} needs, in the folder given by --data (or STOPWISE_DATA):", err=True)
        for line in content["missing"]:
            typer.echo(f"  {line}", err=True)
        return {**content, "disagreements": []}
    runner, settings = _scripts("runner"), _scripts("settings").Settings
    with bar(one.name) as show:
        chosen = settings(
            data=data, seed=seed, share=share, report=lambda done: show(round(1000 * done), 1000)
        )
        outcome = runner.reproduce(one, chosen, fresh=fresh)
    for table in _scripts("rendering").grids(outcome.result):
        console.print(table)
    _conclude(console, outcome, share)
    if out is not None:
        runner.copy(outcome, out)
        console.print(f"written to {out}{'' if runner.can_draw() else NO_FIGURES}", markup=False)
    return {**content, **outcome.result.to_dict(), "kept": outcome.kept}


def _conclude(console: Any, outcome: Any, share: float) -> None:
    """Print notes, how agreement was judged, and what does not agree."""
    from rich.markup import escape

    result = outcome.result
    for note in result.notes:
        console.print(f"[dim]{escape(note)}[/dim]", soft_wrap=True)
    if share < 1 and result.simulated:
        console.print(
            f"[dim]A quick run: {share:.0%} of the paper's redraws, so the standard errors and "
            "with them the tolerance are larger.[/dim]",
            soft_wrap=True,
        )
    if outcome.kept:
        console.print("[dim]A cached result of the same version, settings and data.[/dim]")
    if result.disagreements:
        for line in result.disagreements:
            console.print(f"[bold red]does not agree:[/bold red] {escape(line)}", soft_wrap=True)
    elif result.compared:
        differ, of_all = len(result.known_differences), result.published
        verb = "differs" if differ == 1 else "differ"
        found = f"{of_all - differ} of {of_all} agree, {differ} {verb} as stated"
        console.print(
            f"Compared with the paper: {found if differ else f'{of_all}, all agree'} "
            "(decisions on recorded data exactly, those of a randomised rule as some seed gives, "
            "means within four standard errors of the difference).",
            soft_wrap=True,
        )
