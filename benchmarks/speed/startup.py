"""Start-up time, as a ratio to a bare Python and to numpy, and the size of what is installed.

Run ``python -m benchmarks.speed.startup``. The commands take turns in several rounds, and medians
over rounds are compared, because machines are noisy. With ``--against REVISION`` (of git), a cold
analysis of 240 trials takes turns with that of the other revision, by their processor time.
"""

import importlib.metadata
import io
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from argparse import Namespace
from functools import partial
from pathlib import Path

from rich.table import Table

from benchmarks.program import Found, benchmark, seconds, tracked
from tests.release.environments import needed

STOPWISE = str(Path(sys.executable).with_name("stopwise"))
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import stopwise": [sys.executable, "-c", "import stopwise"],
    "first SequentialTest": [sys.executable, "-c", "import stopwise; stopwise.SequentialTest()"],
    "stopwise --help": [STOPWISE, "--help"],
    "stopwise methods --json": [STOPWISE, "methods", "--json"],
}
ROOT = Path(__file__).parents[2]
ANALYZE = [
    *(sys.executable, "-m", "stopwise", "analyze"),
    *(str(ROOT / "src/stopwise/data/examples/four_policies.csv"), "--bounds", "0,1"),
]
MIB = 2**20


def installed_mib(distributions: set[str]) -> float:
    """Return the size of all files of these distributions."""
    total = 0
    for name in distributions:
        for file in importlib.metadata.files(name) or []:
            path = Path(str(file.locate()))
            total += path.stat().st_size if path.is_file() else 0
    return total / MIB


def times(rounds: int) -> Table:
    """Return the median time of each command and its ratios."""
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in tracked(range(rounds), "rounds"):
        for name, command in COMMANDS.items():
            run = partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL)
            taken[name].append(seconds(run))
    median = {name: statistics.median(values) for name, values in taken.items()}
    bare, numpy = median["python -c pass"], median["import numpy"]
    table = Table(f"median of {rounds}", "time", "to a bare Python", "to import numpy")
    for name, value in median.items():
        table.add_row(name, f"{value:.3f} s", f"{value / bare:.1f}", f"{value / numpy:.2f}")
    return table


def processor_seconds(command: list[str], root: Path) -> float:
    """Return the processor time of one run of the sources there."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def against(title: str, commands: dict[str, list[str]], revision: str, rounds: int) -> Table:
    """Duration of commands relative to another revision, run in turn."""
    archived = subprocess.check_output(["git", "archive", revision], cwd=ROOT)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archived)) as archive:
            archive.extractall(folder, filter="data")
        table = Table(title, revision, "here", "ratio")
        for name, command in commands.items():
            rows = [
                [processor_seconds(command, root) for root in (Path(folder), ROOT)]
                for _ in range(rounds + 1)  # the first writes what is compiled
            ][1:]
            there, here = (statistics.median(column) for column in zip(*rows, strict=True))
            ratio = statistics.median(mine / other for other, mine in rows)
            table.add_row(name, f"{there:.3f} s", f"{here:.3f} s", f"{ratio:.2f}")
    return table


def sizes() -> Table:
    """Installed dependencies, without an extra and with each."""
    requirements = importlib.metadata.requires("stopwise") or []
    metadata = importlib.metadata.metadata("stopwise")
    base = needed(requirements)
    package = ROOT / "src" / "stopwise"
    files = (path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    table = Table("installed", "distributions", "size")
    table.add_row(
        "stopwise itself", "1", f"{sum(file.stat().st_size for file in files) / MIB:.1f} MiB"
    )
    table.add_row("what it needs", str(len(base)), f"{installed_mib(base):.0f} MiB")
    for extra in metadata.get_all("Provides-Extra") or []:
        more = needed(requirements, [extra]) - base
        table.add_row(f"more with [{extra}]", str(len(more)), f"{installed_mib(more):.0f} MiB")
    return table


@benchmark(rounds=9, against=(str, "a revision of git"))
def main(options: Namespace) -> Found:
    """Print both tables, or the comparison."""
    if options.against:
        commands = {"as it is": ANALYZE}
        commands |= {f"with --n-max {n}": [*ANALYZE, "--n-max", n] for n in ("60", "200")}
        title = "cold analysis of 240 trials"
        return Found([against(title, commands, options.against, options.rounds)])
    return Found([times(options.rounds), sizes()])
