"""The core of the tests with other Pythons, and with the lowest versions that are allowed.

``make test-pythons`` takes every other supported Python at hand. ``make test-lowest`` takes the
oldest one, and each group of extras with what the package asks for at its lower bound; what that
asks for in turn, and what the tests need, is as new as fits. Environments are kept in ``.others``.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".others"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
TOOLS = ("pytest", "pytest-xdist")
FRAMES = ("pandas", "pyarrow")  # which users may give, and only the tests install
CORE = [f"tests/{name}" for name in ("contracts", "core", "data", "questions", "rows", "report")]
CORE += ["tests/test_package.py", "tests/docs/test_examples.py", "README.md"]
CORE += ["docs/first-steps.md", "docs/guides/files.md", "docs/methods.md"]
STUDY = ["tests/cli", "tests/study", "tests/web/test_client.py", "tests/web/test_corrections.py"]
# Extras that are tested together, what their tests need besides, and the tests. Those with heavy
# dependencies of their own are tested apart: they are used apart as well.
GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...], Sequence[str]]] = {
    "core": (("plots", "excel", "postgres", "gym"), ("hypothesis", *FRAMES), [*CORE, *STUDY]),
    "ray": (("ray", "gym"), (), ["tests/rollout/test_executors.py"]),
    "openpi": (("openpi", "gym"), ("openpi-client",), ["tests/policies"]),
    "sb3": (("sb3",), (), ["tests/rollout/test_sb3.py"]),
    "trackers": (("plots", "wandb", "tensorboard"), ("tensorboard", "torch"), ["tests/trackers"]),
    "inspect": (("inspect",), (), ["tests/rollout/test_inspect_ai.py"]),
}
# These ask for more than the lower bounds of the others.
ALONE = ("trackers", "inspect")
# An old release may use what a newer one of another package has deprecated, and Ray's leaves
# processes to the garbage collector.
TOLERATED = ("DeprecationWarning", "ResourceWarning", "pytest.PytestUnraisableExceptionWarning")
WARNINGS = [word for warning in TOLERATED for word in ("-W", f"default::{warning}")]


def supported() -> list[str]:
    """Return the versions of Python that the package says it supports."""
    versions = (line.rpartition(" :: ")[2] for line in PROJECT["classifiers"])
    return [version for version in versions if version.startswith("3.")]


def lowest(stated: Iterable[str]) -> list[str]:
    """Return ``name==version`` for each lower bound."""
    bounds = [re.fullmatch(r"([\w.-]+)(\[[^]]*\])?>=([\d.]+)", text) for text in stated]
    return sorted({f"{bound[1]}=={bound[3]}" for bound in bounds if bound})


def find(version: str) -> Path | None:
    """Return an interpreter of this version: on the path, or one that pyenv installed."""
    candidates = [shutil.which(f"python{version}")]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=True).stdout
        installed = Path(root.strip(), "versions").glob(f"{version}.*/bin/python{version}")
        candidates += sorted(map(str, installed))
    for candidate in filter(None, candidates):
        # A shim of pyenv is on the path even where its version is not switched on.
        if subprocess.run([candidate, "-c", ""], check=False, capture_output=True).returncode == 0:
            return Path(candidate)
    return None


def passes(name: str, version: str, install: Sequence[str], tests: Sequence[str]) -> bool:
    """Whether the tests pass in an environment of this name, made if it is not there."""
    interpreter = find(version)
    sys.stdout.write(f"{name}: {interpreter or 'not found'}\n")
    sys.stdout.flush()
    if interpreter is None:
        return False
    python = FOLDER / name / "bin" / "python"
    if not python.exists():
        subprocess.run([interpreter, "-m", "venv", python.parents[1]], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *install], check=True, cwd=ROOT)
    command = [str(python), "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *WARNINGS]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*command, *tests], check=False, cwd=ROOT, env=variables)
    return done.returncode == 0


def main(what: str) -> int:
    """Test what is asked for; return how many failed."""
    if what == "pythons":
        install = ["--editable", ".[plots,excel,study,gym]", *TOOLS, "hypothesis", *FRAMES]
        others = [one for one in supported() if not sys.version.startswith(f"{one}.")]
        return sum(not passes(one, one, install, CORE) for one in others if find(one))
    every = [*PROJECT["dependencies"], *(text for extra in EXTRAS.values() for text in extra)]
    every += [text for text in SETTINGS["dependency-groups"]["dev"] if text.startswith(FRAMES)]
    FOLDER.mkdir(exist_ok=True)
    failed = 0
    for name, (extras, needed, tests) in GROUPS.items():
        own = [text for extra in extras for text in EXTRAS[extra]]
        limits = FOLDER / f"{name}.txt"
        limits.write_text("\n".join([*lowest(own if name in ALONE else every), ""]))
        install = ["--constraint", str(limits), "--editable", f".[{','.join(extras)}]"]
        failed += not passes(f"lowest-{name}", supported()[0], [*install, *TOOLS, *needed], tests)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
