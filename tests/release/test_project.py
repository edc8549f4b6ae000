"""The files around the package say the same as the package."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import yaml

import stopwise as sw
from docs.reference import commands
from tests.release.compatibility import GROUPS, PROJECT, supported
from tests.release.conftest import ROOT, shipped

CONTAINER = (ROOT / "Containerfile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_there_is_one_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))

    assert PROJECT["version"] == citation["version"] == sw.__version__


def test_workflows_only_call_make() -> None:
    """What runs there runs here: each step is a target of the Makefile."""
    targets = set(
        re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    contents = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in WORKFLOWS]
    jobs = [job for content in contents for job in content["jobs"].values()]
    runs = [step["run"] for job in jobs for step in job["steps"] if "run" in step]

    assert "make test" in runs
    assert {run.removeprefix("make ") for run in runs} <= targets


def test_every_extra_is_tested_with_lowest_versions() -> None:
    tested = {extra for extras, *_ in GROUPS.values() for extra in extras}
    assert tested | {"study"} == set(PROJECT["optional-dependencies"])  # which postgres asks for
    assert all((ROOT / path).exists() for *_, tests in GROUPS.values() for path in tests)


def test_workflows_test_every_supported_python() -> None:
    path = ROOT / ".github" / "workflows" / "test.yml"
    matrix = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]["test"]["strategy"]["matrix"]

    assert matrix["python"] == supported()


def test_the_container_gets_all_that_the_wheel_is_built_from(tmp_path: Path) -> None:
    """No container is built here, but what is copied is enough to build the package."""
    sent = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for line in CONTAINER.splitlines():
        if line.startswith("COPY "):
            *sources, target = line.split()[1:]
            for source in sources:
                assert f"!{source}" in sent
                _copy(ROOT / source, tmp_path / target)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr + done.stdout
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    content = zipfile.ZipFile(wheel).namelist()
    assert {name for name in content if ".dist-info/" not in name} == shipped()


def _copy(source: Path, target: Path) -> None:
    """Copy as COPY does: a file into the folder, a folder as the target."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def test_the_container_starts_a_command_that_exists() -> None:
    words = json.loads(CONTAINER.rpartition("\nCMD ")[2])
    command = dict(commands.commands())[f"stopwise {words[0]} {words[1]}"]
    options = {option for parameter in command.params for option in parameter.opts}

    assert {word for word in words if word.startswith("--")} <= options
