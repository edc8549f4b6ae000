"""Commands in processes of their own: where they find modules, and when they wait for an answer."""

import os
import sys
import time
from pathlib import Path

# The number of the system call, on either kind of processor, and which file.
READING = ["0", "0x0"], ["63", "0x0"]


def environment(*folders: Path) -> dict[str, str]:
    """Return the environment of a process that looks for modules in these folders first."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, folders), *sys.path])}


def wait_for_a_question(process: int) -> None:
    """Wait until the process reads from its standard input."""
    call = Path(f"/proc/{process}/task/{process}/syscall")
    while call.read_text().split()[:2] not in READING:
        time.sleep(0.01)
