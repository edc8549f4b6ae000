"""The wheel and the archive, built once per process of the tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.release.environments import Environment, create

ROOT = Path(__file__).parents[2]


def shipped() -> set[str]:
    """Return the files of the package, which a wheel has."""
    source = ROOT / "src"
    return {
        path.relative_to(source).as_posix()
        for path in (source / "stopwise").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the archive and the wheel that was built from that archive."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    """Return the wheel."""
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def base(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment with the wheel and no extra."""
    return create(tmp_path_factory.mktemp("base"), wheel)
