"""Clean environments with exactly what a wheel and some of its extras need, made in a second.

A new virtual environment gets the wheel by pip, and each distribution in the transitive closure
of its requirements as links to the copy beside the running interpreter. What is not in the
closure is not there: no blocker, no trick of the import system.
"""

import importlib.metadata
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@dataclass(frozen=True)
class Environment:
    """A virtual environment in a folder."""

    folder: Path

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run one of its programs, away from the repository and without its settings."""
        program, *arguments = command
        return subprocess.run(
            [self.folder / "bin" / program, *arguments],
            capture_output=True, text=True, timeout=600, check=False, cwd=self.folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "COLUMNS": "120"},
        )  # fmt: skip

    def python(self, code: str) -> subprocess.CompletedProcess[str]:
        """Run code."""
        return self.run("python", "-c", code)


def create(folder: Path, wheel: Path, *extras: str) -> Environment:
    """Return a new environment with the wheel, what it needs, and what the extras need."""
    venv.create(folder, with_pip=False, symlinks=True)
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install"]
    subprocess.run([*pip, *options, str(wheel)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (stopwise,) = importlib.metadata.distributions(path=[str(packages)])
    for name in needed(stopwise.requires or [], extras):
        _link(importlib.metadata.distribution(name), packages)
    return Environment(folder)


def needed(requirements: Iterable[str], extras: Iterable[str] = ()) -> set[str]:
    """Return all distributions that these requirements of a package with extras lead to."""
    found: set[str] = set()
    waiting = [(text, extra) for text in requirements for extra in ("", *extras)]
    seen = set(waiting)
    while waiting:
        text, extra = waiting.pop()
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            name = canonicalize_name(requirement.name)
            # An extra that asks for another one of the package itself: postgres for study.
            own = name == "stopwise"
            below = list(requirements) if own else importlib.metadata.requires(name) or []
            more = {(line, extra) for line in below for extra in ("", *requirement.extras)} - seen
            found |= set() if own else {str(name)}
            seen |= more
            waiting += more
    return found


def _link(distribution: importlib.metadata.Distribution, packages: Path) -> None:
    """Link the top folders and files of a distribution; programs and caches are left out."""
    tops = {path.parts[0] for path in distribution.files or []} - {"..", "__pycache__"}
    for top in tops:
        place = packages / top
        if not place.exists():
            place.symlink_to(Path(str(distribution.locate_file(top))).resolve())
