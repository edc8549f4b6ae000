"""The guide to Slurm and Hydra, run as it stands: separate processes, and a watch beside them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guides" / "jobs.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE, re.DOTALL)
ARRAY, WATCH, SWEEP = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the programs of the page, and commands that start those of this environment."""
    (tmp_path / "bin").mkdir()
    for name, text in PYTHON:
        (tmp_path / name).write_text(text)
    for name, words in {"python": "", "stopwise": "-m stopwise "}.items():
        command = tmp_path / "bin" / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}"$@"\n')
        command.chmod(0o755)
    return tmp_path


def bash(script: str, folder: Path, **variables: str) -> "subprocess.Popen[str]":
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.Popen(
        ["bash", "-euc", script],
        cwd=folder,
        env={**os.environ, "PATH": path, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_job_array_ends_when_the_watch_says_so(folder: Path) -> None:
    (folder / "results").mkdir()
    watching = bash(WATCH, folder)
    jobs = [bash(ARRAY, folder, SLURM_ARRAY_TASK_ID=str(number)) for number in range(4)]
    # One is killed in between, and started again, as schedulers do.
    jobs[0].kill()
    jobs[0].communicate()
    jobs[0] = bash(ARRAY, folder, SLURM_ARRAY_TASK_ID="0")

    output, errors = watching.communicate(timeout=600)
    assert watching.returncode == 0, errors
    assert [job.communicate(timeout=600)[1] for job in jobs] == [""] * len(jobs)
    assert output.count("rows, every pair is decided") == 2
    assert "new is better than base" in output
    assert json.loads((folder / "results.json").read_text())


def test_a_sweep_of_hydra_is_read(folder: Path) -> None:
    sweep = bash(SWEEP, folder)
    output, errors = sweep.communicate(timeout=600)

    assert sweep.returncode == 0, errors
    assert output.count("rows, every pair is decided") == 2
    assert len(list((folder / "swept").glob("*.csv"))) == 4
