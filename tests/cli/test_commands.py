"""The commands as a user runs them, in a process of their own."""

import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

STOPWISE = Path(sys.executable).with_name("stopwise")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [STOPWISE, *arguments], capture_output=True, text=True, timeout=600, check=False
    )


def test_demo_plays_stops_and_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("demo")

    assert done.returncode == 0
    assert "Policy 1 is better than policy 0" in done.stdout
    assert "A fixed plan of 50 trials per policy costs 100 trials" in done.stdout
    pairs = done.stdout.count("e =")
    assert f"We used {2 * pairs} and saved {100 - 2 * pairs}" in done.stdout
    assert "run the demo in a terminal" in done.stdout
    assert (tmp_path / "stopwise-demo.html").is_file()


def test_demo_serves_a_live_study_in_a_terminal(tmp_path: Path) -> None:
    terminal, side = pty.openpty()
    command = [sys.executable, "-m", "stopwise", "demo", "--pause", "0"]
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, cwd=tmp_path) as demo:
        os.close(side)
        shown = ""
        while "Press Ctrl-C" not in shown:
            shown += os.read(terminal, 4096).decode()
        (link,) = re.findall(r"(http://\S+)#sw_", shown)
        page = httpx.get(link, trust_env=False, timeout=600)
        demo.send_signal(signal.SIGINT)
        while demo.poll() is None:  # the terminal may hold only so much
            with suppress(OSError):
                os.read(terminal, 4096)
    os.close(terminal)
    assert page.is_success
