"""Files that are never seen half-written."""

import os
import time
from pathlib import Path

__all__ = ["replace_file"]


PRIVATE = 0o600  # of files that hold names or secrets


def replace_file(path: Path, content: bytes) -> None:
    """Write a file in one step: readers, and a crash, see the old content or the new one."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.{time.monotonic_ns()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
