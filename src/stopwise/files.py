"""Files that are never seen half-written, and names that every tracker accepts."""

import os
import re
import sys
import time
from collections.abc import Iterable
from itertools import chain, count
from pathlib import Path

PRIVATE = 0o600  # of files that hold names or secrets


def replace_file(path: Path, content: bytes) -> None:
    """Write a file in one step: readers, and a crash, see the old content or the new one."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.{time.monotonic_ns()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def state_folder() -> Path:
    """Folder for state that is kept between runs, as the platform has it."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return base / "stopwise"


def plain_names(names: Iterable[str]) -> list[str]:
    """Return names of letters, digits, dots and dashes only, still all different.

    Examples
    --------
    >>> from stopwise.files import plain_names
    >>> plain_names(["a/b", "a b", ".."])
    ['a_b', 'a_b_2', '_']
    """
    names_so_far: list[str] = []
    for name in names:
        plain = re.sub(r"[^\w.-]|^\.+$", "_", name)
        numbered = (f"{plain}_{number}" for number in count(2))
        names_so_far.append(
            next(each for each in chain([plain], numbered) if each not in names_so_far)
        )
    return names_so_far
