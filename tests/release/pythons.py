"""The core of the tests with every other supported Python at hand: ``make test-pythons``.

Each interpreter gets an environment of its own under ``.pythons``, with the package, some
extras and what these tests need.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".pythons"
NEEDED = ["pytest", "pytest-xdist", "hypothesis", "pandas", "pyarrow"]
TESTS = [
    "tests/contracts",
    "tests/core",
    "tests/data",
    "tests/questions",
    "tests/rows",
    "tests/report",
]
TESTS += ["tests/test_package.py", "tests/docs/test_examples.py", "README.md"]
TESTS += ["docs/first-steps.md", "docs/guides/files.md", "docs/methods.md"]


def supported() -> list[str]:
    """Return the versions of Python that the package says it supports."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = (line.rpartition(" :: ")[2] for line in project["classifiers"])
    return [version for version in versions if version.startswith("3.")]


def find(version: str) -> Path | None:
    """Return an interpreter of this version: on the path, or one that pyenv installed."""
    candidates = [shutil.which(f"python{version}")]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=True).stdout
        installed = Path(root.strip(), "versions").glob(f"{version}.*/bin/python{version}")
        candidates += sorted(map(str, installed))
    for candidate in candidates:
        # A shim of pyenv is on the path even where its version is not switched on.
        if (
            candidate
            and subprocess.run(
                [candidate, "-c", ""], check=False, stderr=subprocess.DEVNULL
            ).returncode
            == 0
        ):
            return Path(candidate)
    return None


def environment(version: str, interpreter: Path) -> Path:
    """Return the Python of an environment with the package, made if it is not there."""
    python = FOLDER / version / "bin" / "python"
    if not python.exists():
        subprocess.run([interpreter, "-m", "venv", python.parents[1]], check=True)
    install = ["pip", "install", "--quiet", "--editable", ".[plots,excel,study,gym]", *NEEDED]
    subprocess.run([python, "-m", *install], check=True, cwd=ROOT)
    return python


def main() -> int:
    """Test with each version but the running one; return how many failed."""
    failed = 0
    for version in supported():
        if sys.version.startswith(f"{version}."):
            continue
        interpreter = find(version)
        if interpreter is None:
            sys.stdout.write(f"Python {version}: not found\n")
            continue
        sys.stdout.write(f"Python {version}: {interpreter}\n")
        sys.stdout.flush()
        python = environment(version, interpreter)
        command = [
            str(python),
            "-m",
            "pytest",
            "-q",
            "-n",
            "auto",
            "-p",
            "no:cacheprovider",
            *TESTS,
        ]
        variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        failed += subprocess.run(command, check=False, cwd=ROOT, env=variables).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
