"""The paper's tables and figures, recomputed and compared with the published figures.

``--all`` recomputes all of them, ``--only`` some. The exit code is 1 if any of them disagrees.
"""

import argparse
import json
from pathlib import Path

from rich.console import Console
from rich.markup import escape

import stopwise
from benchmarks.paper.catalogue import REPRODUCTIONS, Reproduction
from benchmarks.paper.datasets import DATA
from benchmarks.paper.rendering import grids, markdown
from benchmarks.paper.result import Result
from benchmarks.paper.settings import Settings
from benchmarks.program import WIDTH, Found, benchmark
from stopwise.display import bar

# Share of the paper's redraws in a quick run.
QUICK = 0.1


def reproduce(one: Reproduction, settings: Settings, out: Path | None, console: Console) -> bool:
    console.print(f"\n[bold]{one.name}[/bold]: {one.title}", soft_wrap=True)
    missing = one.missing(settings.data)
    if missing:
        console.print(f"{one.name} needs, in the folder given by --data:")
        for line in missing:
            console.print(f"  {line}", soft_wrap=True)
        return True
    result = one.run(settings)
    for table in grids(result):
        console.print(table)
    conclude(console, result, settings)
    if out is not None:
        write(one.name, result, settings, out)
    return not result.disagreements


def conclude(console: Console, result: Result, settings: Settings) -> None:
    for note in result.notes:
        console.print(f"[dim]{escape(note)}[/dim]", soft_wrap=True)
    if not settings.full and result.simulated:
        console.print(
            f"[dim]A quick run: {settings.share:.0%} of the paper's redraws, so the standard "
            "errors and with them the tolerance are larger.[/dim]",
            soft_wrap=True,
        )
    if result.disagreements:
        for line in result.disagreements:
            console.print(f"[bold red]does not agree:[/bold red] {escape(line)}", soft_wrap=True)
    elif result.compared:
        differ, of_all = len(result.known_differences), result.published
        verb = "differs" if differ == 1 else "differ"
        agree = f"{of_all - differ} of {of_all} agree, {differ} {verb} as stated"
        console.print(
            f"Compared with the paper: {agree if differ else f'{of_all}, all agree'} "
            "(decisions on recorded data exactly, those of a randomised rule as some seed gives, "
            "means within four standard errors of the difference).",
            soft_wrap=True,
        )


def write(name: str, result: Result, settings: Settings, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    run = {"version": stopwise.__version__, "seed": settings.seed, "share": settings.share}
    content = json.dumps({"name": name, **run, **result.to_dict()}, indent=2)
    (out / f"{name}.json").write_text(content, encoding="utf-8")
    (out / f"{name}.md").write_text(markdown(result), encoding="utf-8")
    for figure, draw in result.figures.items():
        drawn = draw()
        for ending in ("png", "svg"):
            drawn.savefig(out / f"{name}-{figure}.{ending}", dpi=130)


@benchmark(
    all=(False, "recompute all of them"),
    only=([str], f"recompute some: {', '.join(REPRODUCTIONS)}"),
    data=(DATA, "the folder of the published data; STOPWISE_DATA may name it instead"),
    seed=(0, "of everything that is drawn"),
    quick=(False, "a tenth of the redraws, with a wider tolerance"),
    out=(Path, "write JSON, Markdown, PNG and SVG files to this folder"),
)
def main(typed: argparse.Namespace) -> Found:
    names = list(REPRODUCTIONS) if typed.all else typed.only or []
    unknown = [name for name in names if name not in REPRODUCTIONS]
    if unknown or not names:
        raise SystemExit(f"give --all, or --only with any of: {', '.join(REPRODUCTIONS)}")
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDTH
    agree = []
    for name in names:
        with bar(name) as show:
            settings = Settings(
                data=typed.data,
                seed=typed.seed,
                share=QUICK if typed.quick else 1.0,
                report=lambda done, show=show: show(round(1000 * done), 1000),  # type: ignore[misc]
            )
            agree.append(reproduce(REPRODUCTIONS[name], settings, typed.out, console))
    return Found([], good=all(agree))
