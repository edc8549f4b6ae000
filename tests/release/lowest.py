"""The core of the tests with the lowest versions that pyproject.toml allows: ``make test-lowest``.

Each group of extras gets an environment of its own under ``.lowest``, for the oldest supported
Python. What the package itself asks for is held at its lower bound; what that asks for in turn,
and what the tests need, is as new as fits.
"""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.release import pythons

ROOT = Path(__file__).parents[2]
FRAMES = ("pandas", "pyarrow")
# An old release may use what a newer one of another package has deprecated, and Ray's leaves
# processes to the garbage collector.
TOLERATED = ("DeprecationWarning", "ResourceWarning", "pytest.PytestUnraisableExceptionWarning")
WARNINGS = [word for warning in TOLERATED for word in ("-W", f"default::{warning}")]
FOLDER = ROOT / ".lowest"
BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^]]*\])?>=(?P<version>[0-9.]+)")


@dataclass(frozen=True)
class Group:
    """Extras that are installed together, what their tests need besides, and the tests.

    ``alone`` holds only the extras at their lower bounds, because they ask for more than those of
    the package.
    """

    extras: tuple[str, ...]
    needed: tuple[str, ...]
    tests: Sequence[str]
    alone: bool = False


TOOLS = ("pytest", "pytest-xdist")
# Those with heavy dependencies of their own are tested apart: they are used apart as well.
GROUPS = {
    "core": Group(
        ("plots", "excel", "postgres", "gym"),
        (*TOOLS, "hypothesis", "pandas", "pyarrow"),
        (
            *pythons.TESTS,
            *("tests/cli", "tests/study"),
            *("tests/web/test_client.py", "tests/web/test_corrections.py"),
            *("tests/rollout/test_stop_rule.py", "tests/rollout/test_watch.py"),
        ),
    ),
    "ray": Group(
        ("ray", "gym"),
        TOOLS,
        ("tests/rollout/test_executors.py", "tests/planning/test_plan.py"),
    ),
    "openpi": Group(("openpi", "gym"), (*TOOLS, "openpi-client"), ("tests/policies",)),
    "sb3": Group(("sb3",), TOOLS, ("tests/rollout/test_sb3.py",)),
    "trackers": Group(
        ("plots", "wandb", "tensorboard"),
        (*TOOLS, "tensorboard", "torch"),
        ("tests/trackers",),
        alone=True,
    ),
    "inspect": Group(("inspect",), TOOLS, ("tests/rollout/test_inspect_ai.py",), alone=True),
}


def constraints(project: dict[str, Any], development: Sequence[str] = ()) -> list[str]:
    """Return ``name==version`` for each lower bound that the package states.

    Frames that users may give, which only the tests install, come from ``development``.
    """
    extras = project["optional-dependencies"].values()
    stated = [*project["dependencies"], *(text for extra in extras for text in extra)]
    stated += [text for text in development if text.startswith(FRAMES)]
    own = f"{project['name']}["
    return sorted({_lowest(text) for text in stated if not text.startswith(own)})


def _lowest(text: str) -> str:
    bound = BOUND.fullmatch(text)
    if bound is None:
        raise ValueError(f"{text!r} is not a lower bound alone")
    return f"{bound['name']}=={bound['version']}"


def environment(name: str, group: Group, lowest: list[str]) -> Path:
    """Return the Python of an environment with the lowest versions, made if it is not there."""
    oldest = pythons.supported()[0]
    interpreter = pythons.find(oldest)
    if interpreter is None:
        raise FileNotFoundError(f"Python {oldest} is not installed")
    python = FOLDER / name / "bin" / "python"
    if not python.exists():
        subprocess.run([interpreter, "-m", "venv", python.parents[1]], check=True)
    limits = FOLDER / f"{name}.txt"
    limits.write_text("\n".join([*lowest, ""]))
    package = f".[{','.join(group.extras)}]"
    install = ["pip", "install", "--quiet", "--constraint", str(limits), "--editable", package]
    subprocess.run([python, "-m", *install, *group.needed], check=True, cwd=ROOT)
    return python


def main(names: Sequence[str] = ()) -> int:
    """Test the groups of these names, or all of them; return how many failed."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    lowest = constraints(project, settings["dependency-groups"]["dev"])
    FOLDER.mkdir(exist_ok=True)
    failed = 0
    for name in names or GROUPS:
        group = GROUPS[name]
        extras = project["optional-dependencies"]
        own = (
            [_lowest(text) for extra in group.extras for text in extras[extra]]
            if group.alone
            else lowest
        )
        sys.stdout.write(f"{name}: {', '.join(own)}\n")
        sys.stdout.flush()
        python = environment(name, group, own)
        command = [str(python), "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider"]
        variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [*command, *WARNINGS, *group.tests], check=False, cwd=ROOT, env=variables
        )
        failed += done.returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
