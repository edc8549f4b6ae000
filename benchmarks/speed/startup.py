"""Start-up time, as a ratio to a bare Python and to numpy, and the size of what is installed.

Run ``python -m benchmarks.speed.startup``. The commands take turns in several rounds, and medians
over rounds are compared, because machines are noisy.
"""

import argparse
import importlib.metadata
import statistics
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

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
MIB = 2**20


def seconds(command: list[str]) -> float:
    """Return the wall time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def installed_mib(distributions: set[str]) -> float:
    """Return the size of all files of these distributions."""
    total = 0
    for name in distributions:
        for file in importlib.metadata.files(name) or []:
            path = Path(str(file.locate()))
            total += path.stat().st_size if path.is_file() else 0
    return total / MIB


def show_times(rounds: int) -> None:
    """Print the median time of each command and its ratios."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in track(range(rounds), "rounds", console=Console(stderr=True), transient=True):
        for name, command in COMMANDS.items():
            times[name].append(seconds(command))
    median = {name: statistics.median(values) for name, values in times.items()}
    bare, numpy = median["python -c pass"], median["import numpy"]
    table = Table(f"median of {rounds}", "time", "to a bare Python", "to import numpy")
    for name, value in median.items():
        table.add_row(name, f"{value:.3f} s", f"{value / bare:.1f}", f"{value / numpy:.2f}")
    Console().print(table)


def show_sizes() -> None:
    """Print what the package brings along, without an extra and with each."""
    requirements = importlib.metadata.requires("stopwise") or []
    metadata = importlib.metadata.metadata("stopwise")
    base = needed(requirements)
    package = Path(__file__).parents[2] / "src" / "stopwise"
    files = (path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    table = Table("installed", "distributions", "size")
    table.add_row(
        "stopwise itself", "1", f"{sum(file.stat().st_size for file in files) / MIB:.1f} MiB"
    )
    table.add_row("what it needs", str(len(base)), f"{installed_mib(base):.0f} MiB")
    for extra in metadata.get_all("Provides-Extra") or []:
        more = needed(requirements, [extra]) - base
        table.add_row(f"more with [{extra}]", str(len(more)), f"{installed_mib(more):.0f} MiB")
    Console().print(table, markup=False)


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    show_times(arguments.rounds)
    show_sizes()
    return 0


if __name__ == "__main__":
    sys.exit(main())
