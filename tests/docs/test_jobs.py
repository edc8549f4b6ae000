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
BASH = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with the programs of the page, and commands that start those of this environment."""
    for name, text in PYTHON:
        (tmp_path / name).write_text(text)
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for name, words in {"python": "", "stopwise": "-m stopwise "}.items():
        (bin_ / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}"$@"\n')
        (bin_ / name).chmod(0o755)
    return tmp_path


def bash(script: str, folder: Path, **variables: str) -> "subprocess.Popen[str]":
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    command = ["bash", "-euc", script]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_job_array_ends_when_the_watch_says_so(here: Path) -> None:
    (here / "results").mkdir()
    array, watch = BASH[:2]
    first, last = re.findall(r"--array=(\d+)-(\d+)", array)[0]
    watching = bash(watch, here)
    numbers = range(int(first), int(last) + 1)
    jobs = [bash(array, here, SLURM_ARRAY_TASK_ID=str(number)) for number in numbers]
    # One is killed in between, and started again, as schedulers do.
    jobs[0].kill()
    jobs[0].communicate()
    jobs[0] = bash(array, here, SLURM_ARRAY_TASK_ID="0")

    said, noise = watching.communicate(timeout=600)
    assert watching.returncode == 0, noise
    assert [job.communicate(timeout=600)[1] for job in jobs] == [""] * len(jobs)
    assert "stop: no more trials are needed" in said
    assert said.count("rows, every pair is decided") == 2
    assert "new is better than base" in said
    assert json.loads((here / "results.json").read_text())


def test_a_sweep_of_hydra_is_read(here: Path) -> None:
    sweep = bash(BASH[2], here)
    said, noise = sweep.communicate(timeout=600)

    assert sweep.returncode == 0, noise
    assert said.count("rows, every pair is decided") == 2
    assert "new is better than base" in said
    assert len(list((here / "swept").glob("*.csv"))) == 4
