"""The command in a process of its own: how it is started, and how Ctrl-C ends it."""

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import stopwise as sw
from tests.cli.processes import environment

WAYS = {
    "command": [str(Path(sys.executable).with_name("stopwise"))],
    "package": [sys.executable, "-m", "stopwise"],
}
# In place of a module that takes long: it says that it was begun, and is never done.
ENDLESS = "import time\nprint('here', flush=True)\ntime.sleep(600)\n"


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_start_it_is_the_same_command(way: str) -> None:
    answers = [
        subprocess.run([*WAYS[way], *words], capture_output=True, text=True, check=False)
        for words in (["--version"], ["methods", "--json"], ["nonsense"])
    ]

    assert answers[0].stdout == f"stopwise {sw.__version__}\n"
    assert '"nscore-plus"' in answers[1].stdout
    assert [answer.returncode for answer in answers] == [0, 0, 2]
    assert "Traceback" not in answers[2].stderr


def interrupted(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run a command with modules of this folder; press Ctrl-C when one of them has begun."""
    with subprocess.Popen(
        [*WAYS["package"], *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(folder),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        while process.stdout.readline() != "here\n":
            assert process.poll() is None
        while process.poll() is None:  # a signal that comes just before a wait is seen after it
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=1)
        said = process.stderr.read() if process.stderr else ""
    return process.returncode, said


def test_ctrl_c_while_it_loads_is_a_clean_end(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(ENDLESS)

    assert interrupted(tmp_path, "methods") == (130, "")


def test_ctrl_c_while_a_command_loads_is_a_clean_end(tmp_path: Path) -> None:
    (tmp_path / "polars.py").write_text(ENDLESS)
    (tmp_path / "a.csv").write_text("policy,score\n")

    assert interrupted(tmp_path, "analyze", str(tmp_path / "a.csv")) == (130, "")


THREAD = """
import threading
def wait():
    threading.main_thread().join()
    print("here", flush=True)
    threading.Event().wait()
threading.Thread(target=wait).start()
"""


def test_ctrl_c_leaves_behind_what_keeps_it_from_ending(tmp_path: Path) -> None:
    """A thread that never ends, when the work is done."""
    (tmp_path / "sitecustomize.py").write_text(THREAD)

    assert interrupted(tmp_path, "methods") == (130, "")


LAST = """
import atexit
import time
def last():
    print("here", flush=True)
    time.sleep(0.5)
atexit.register(last)
"""


def test_ctrl_c_at_the_very_end_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LAST)

    assert interrupted(tmp_path, "methods") == (0, "")
