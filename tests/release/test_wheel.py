"""The wheel as a user gets it: complete, typed, and working with no more than it says it needs."""

import importlib.metadata
import json
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import stopwise as sw
from docs.reference import commands
from tests.release.conftest import ROOT, shipped
from tests.release.environments import Environment, create, needed

# What each extra is for, as one statement that needs it and nothing beyond it.
EXTRAS = {
    "plots": "import stopwise as sw; sw.analyze({'a': [0, 1], 'b': [1, 1]}).to_html()",
    "study": "import stopwise as sw; from stopwise.web import app, server, client\n"
    "study = sw.Study.create('cups'); study.lock(); app.create_app(study).openapi()",
    "postgres": "from stopwise.study import database as d; d.connect(d.database_url('postgresql://h/d'))",
    "gym": "import stopwise as sw; zero = lambda observation: 0\n"
    "sw.race({'a': zero, 'b': zero}, 'CartPole-v1', bounds=(0, 500), n_max=2)",
    "ray": "import ray; import stopwise.rollout.executors.ray_cluster",
    "sb3": "import stopwise.rollout.sb3",
    "inspect": "import stopwise.rollout.inspect_ai",
    "excel": "import fastexcel, polars; import stopwise.data.formats",
    "openpi": "import stopwise.policies.openpi",
    "tensorboard": "import stopwise; stopwise.StopRule(['a', 'b'], report_to='tensorboard')",
}
# Large, and installed by ``tests.release.lowest``, which runs their tests.
ELSEWHERE = {"wandb"}
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PUBLIC = """
import json, stopwise
outcome = {}
for name in stopwise.__all__:
    try:
        getattr(stopwise, name)
        outcome[name] = ""
    except Exception as error:
        outcome[name] = f"{type(error).__name__}: {error}"
print(json.dumps(outcome))
"""


ARCHIVE = pytest.mark.slow(
    "builds the archive, and the wheel from it; adds what the archive forgets"
)
INSTALLED = pytest.mark.slow(
    "installs the wheel in a clean environment; adds what is not beside it"
)


@ARCHIVE
def test_the_archive_and_the_wheel_are_complete(built: Path, wheel: Path) -> None:
    """The wheel was built from the archive, so what the archive forgets is missing here."""
    wanted = shipped()
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        top = {Path(name).parts[1] for name in files.getnames()}

    content = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in content if ".dist-info/" not in name} == wanted
    assert "stopwise/py.typed" in wanted
    assert {"LICENSE", "README.md", "tests", "docs", "Makefile"} <= top
    assert not top & {".venv", ".ci", "site", "dist"}


@INSTALLED
def test_base_install_works_without_any_extra(base: Environment) -> None:
    scores = base.folder / "scores.csv"
    scores.write_text("policy,score\n" + "a,0\nb,1\n" * 30)

    absent = base.python("import matplotlib, pytest")
    version = base.run("stopwise", "--version")
    analysis = base.run("stopwise", "analyze", "scores.csv", "--bounds", "0,1", "--json")
    report = base.run("stopwise", "analyze", "scores.csv", "--bounds", "0,1", "--html", "r.html")

    assert "No module named" in absent.stderr
    assert version.stdout == f"stopwise {sw.__version__}\n"
    assert json.loads(analysis.stdout)["order_text"] == "b > a"
    assert report.returncode == 2
    assert report.stderr.count("\n") == 1
    assert "stopwise[plots]" in report.stderr


@INSTALLED
def test_every_command_has_help_in_the_base_install(base: Environment) -> None:
    """Help must not need an extra: it is how one learns that an extra is needed."""
    names = [name.split()[1:] for name, _ in commands.commands()]
    done = base.python(
        "from typer.testing import CliRunner; from stopwise.cli import app\n"
        f"for name in {names}:\n"
        "    done = CliRunner().invoke(app, [*name, '--help'])\n"
        "    assert done.exit_code == 0 and 'Usage: ' in done.output, (name, done.output)"
    )

    assert base.run("stopwise", "--help").returncode == 0
    assert done.returncode == 0, done.stderr


@INSTALLED
def test_every_public_name_needs_at_most_an_extra_that_is_named(base: Environment) -> None:
    done = base.python(PUBLIC)
    outcome = json.loads(done.stdout)

    assert set(outcome) == set(sw.__all__)
    assert [text for text in outcome.values() if text and "stopwise[" not in text] == []


def test_each_extra_is_tried() -> None:
    assert set(DECLARED["optional-dependencies"]) == {*EXTRAS, *ELSEWHERE}


@INSTALLED
@pytest.mark.parametrize("extra", EXTRAS)
def test_each_extra_alone_is_enough(extra: str, wheel: Path, tmp_path: Path) -> None:
    environment = create(tmp_path / extra, wheel, extra)

    done = environment.python(EXTRAS[extra])

    assert done.returncode == 0, done.stderr
    assert environment.python("import pytest").returncode == 1


def test_an_extra_brings_what_it_says_and_the_base_does_not() -> None:
    requirements = importlib.metadata.requires("stopwise") or []

    assert "matplotlib" not in needed(requirements)
    assert "matplotlib" in needed(requirements, ["plots"])
    assert {"psycopg", "sqlalchemy"} <= needed(requirements, ["postgres"])


@INSTALLED
def test_users_code_passes_strict_typing(base: Environment) -> None:
    """Against the installed wheel, so that py.typed and the lazy names are what users get."""
    script = Path(__file__).with_name("users_code.py")
    options = ["--strict", "--config-file", "", "--cache-dir", os.devnull]
    options += ["--python-executable", str(base.folder / "bin" / "python")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(script)],
        capture_output=True, text=True, check=False, cwd=base.folder,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
