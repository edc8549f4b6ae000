"""The commands as a user runs them, in a process of their own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw

STOPWISE = Path(sys.executable).with_name("stopwise")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [STOPWISE, *arguments], capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture(scope="module")
def demo() -> dict[str, Any]:
    """What the demo says as JSON."""
    content: dict[str, Any] = json.loads(run("demo", "--json").stdout)
    return content


def test_demo_plays_stops_and_counts(demo: dict[str, Any]) -> None:
    done = run("demo")

    assert done.returncode == 0
    assert "Policy 1 is better than policy 0" in done.stdout
    assert "A fixed plan of 50 trials per policy costs 100 trials" in done.stdout
    assert "/join#sw_" in done.stdout  # the live study was served, and the demo ended by itself
    assert done.stdout.count("e =") == demo["n"]


def test_demo_json_is_what_the_library_says(demo: dict[str, Any]) -> None:
    assert demo["decision"] == "policy1"
    assert demo["trials_used"] + demo["trials_saved"] == 100
    assert demo["sentence"].startswith("Policy 1 is better")


def test_demo_says_where_it_cannot_write() -> None:
    done = run("demo", "--report", "/nonexistent/report.html")

    assert done.returncode == 2
    assert done.stderr == "stopwise demo: /nonexistent/report.html: No such file or directory\n"


def test_methods_lists_all() -> None:
    listed = json.loads(run("methods", "--json").stdout)
    table = run("methods")

    assert [entry["name"] for entry in listed] == list(sw.methods())
    assert table.returncode == 0
    assert all(info.name in table.stdout for info in sw.methods().values())
    assert "the default: any" in table.stdout


def test_version_and_help() -> None:
    assert run("--version").stdout.strip() == f"stopwise {sw.__version__}"
    assert "demo" in run("--help").stdout


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--pause", "-1"]])
def test_bad_commands_are_refused(arguments: list[str]) -> None:
    done = run(*arguments)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
