"""TensorBoard: a log of its own in ``runs/``, or a writer that is given."""

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stopwise.trackers.tracker import PREFIX


class TensorboardLog:
    """A writer of event files, that of tensorboardX or of torch; the page lies beside its files."""

    def __init__(self, writer: Any = None) -> None:
        self._opened = writer is None
        if writer is None:
            from tensorboardX import SummaryWriter

            writer = SummaryWriter(comment="-stopwise")
            sys.stderr.write(f"tensorboard: written to {writer.logdir}\n")
        self._writer = writer

    def begin(self, settings: Mapping[str, Any]) -> None:
        self._writer.add_text(f"{PREFIX}settings", json.dumps(dict(settings)), 0)

    def log(self, row: int, numbers: Mapping[str, float], verdict: str | None) -> None:
        for name, value in numbers.items():
            self._writer.add_scalar(f"{PREFIX}{name}", value, row)
        self._tell(verdict, row)
        self._writer.flush()  # someone may be looking

    def finish(self, verdict: str | None, page: Path | None) -> None:
        self._tell(verdict, None)
        if page is not None:
            folder = getattr(self._writer, "logdir", None) or self._writer.log_dir
            shutil.copy(page, folder)
        self._writer.close() if self._opened else self._writer.flush()

    def _tell(self, verdict: str | None, row: int | None) -> None:
        if verdict is not None:
            self._writer.add_text(f"{PREFIX}verdict", verdict, row)
