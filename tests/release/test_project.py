"""The files around the package say the same as the package."""

import json
import re
import tomllib

import yaml

import stopwise as sw
from docs.reference import commands
from tests.release.conftest import ROOT
from tests.release.pythons import supported

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_there_is_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))

    assert project["project"]["version"] == citation["version"] == sw.__version__


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


def test_workflows_test_every_supported_python() -> None:
    path = ROOT / ".github" / "workflows" / "test.yml"
    matrix = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]["test"]["strategy"]["matrix"]

    assert matrix["python"] == supported()


def test_the_container_starts_a_command_that_exists() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    words = json.loads(text.rpartition("\nCMD ")[2])
    command = dict(commands.commands())[f"stopwise {words[0]} {words[1]}"]
    options = {option for parameter in command.params for option in parameter.opts}

    assert {word for word in words if word.startswith("--")} <= options
