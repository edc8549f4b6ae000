"""What every benchmark shares: it reads its options, and prints and writes what it found."""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rich.console import Console
from rich.progress import track

from benchmarks.document import fill

# Of options that several benchmarks have.
HELP = {
    "fill": "also fill in the tables of this document",
    "workers": "threads; all cores by default",
}
# Columns of what is printed, in a file as on a screen.
WIDTH = 150

Item = TypeVar("Item")
Program = Callable[..., Any]


class Found(NamedTuple):
    """Tables or text to print, and whether limits are kept.

    ``sections`` are tables by the names under which ``--fill`` puts them into a document.
    """

    shown: Iterable[Any]
    good: bool = True
    sections: Mapping[str, str] = {}


def benchmark(**options: Any) -> Callable[[Program], Program]:
    """Decorator that makes a function the program of its module; it must come last.

    It gets what was typed for the options, each of which is given by its default: a type stands for
    an option that is None unless it is given, a list for one of several values (of a type: any
    number), False for a flag. A tuple adds the help. What it returns is printed: a table, or all
    of a ``Found``; the exit code is 1 if limits are not kept.
    """

    def of(main: Program) -> Program:
        if main.__module__ == "__main__":
            sys.exit(_run(main, _typed(sys.modules["__main__"].__doc__, options)))
        return main

    return of


def tracked(items: Iterable[Item], label: str, total: int | None = None) -> Iterable[Item]:
    """Return the items, with a bar on standard error."""
    return track(items, label, total, console=Console(stderr=True))


def peer_python(name: str, *packages: str) -> Path:
    """Return the Python of an environment of their own, made on first use, that has these."""
    folder = Path(__file__).with_name(name)
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Duration of some work."""
    begin = clock()
    work()
    return clock() - begin


def _run(main: Program, typed: argparse.Namespace) -> int:
    made = main(typed) if vars(typed) else main()
    found = made if isinstance(made, Found) else Found([made])
    for part in (*found.shown, *found.sections.values()):
        if isinstance(part, str):
            print(part, end="\n\n")  # as it is: a document may take it over
        else:
            Console(width=WIDTH, markup=False).print(part)
    if vars(typed).get("fill") is not None:
        fill(typed.fill, found.sections)
    return 0 if found.good else 1


def _typed(document: str | None, options: dict[str, Any]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=document, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, given in options.items():
        default, text = given if isinstance(given, tuple) else (given, HELP.get(name))
        look: dict[str, Any] = {"help": text}
        several = isinstance(default, list)
        first = default[0] if several else default
        known = not isinstance(first, type)
        if default is False:
            look["action"] = "store_true"
        else:
            look |= {"type": type(first) if known else first, "default": default if known else None}
        if several:
            look["nargs"] = "+" if known else "*"
        parser.add_argument(f"--{name.replace('_', '-')}", **look)
    return parser.parse_args()
