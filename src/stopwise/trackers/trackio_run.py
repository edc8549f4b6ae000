"""Trackio: the run that is open, or a new one."""

import os
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import trackio
from trackio.context_vars import current_run

from stopwise.trackers.tracker import PREFIX


class TrackioRun:
    """A run of trackio; what trackio prints goes to standard error, where results do not."""

    def __init__(self, run: Any = None) -> None:
        run = current_run.get() if run is None else run
        self._opened = run is None
        if run is None:
            project = os.environ.get("TRACKIO_PROJECT", "stopwise")
            with redirect_stdout(sys.stderr):
                run = trackio.init(project, auto_log_cpu=False, auto_log_gpu=False)
            current_run.set(None)  # what the policies log is not meant for it
        self._run = run

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Keep what was declared in the run's configuration, which goes out with the first row."""
        self._run.config["stopwise"] = dict(settings)

    def log(self, row: int, numbers: Mapping[str, float], verdict: str | None) -> None:
        """Add the numbers after a row; the steps are the run's own."""
        told = {"row": row, **numbers, **({} if verdict is None else {"verdict": verdict})}
        self._run.log({f"{PREFIX}{name}": value for name, value in told.items()})

    def finish(self, verdict: str | None, page: Path | None) -> None:
        """Add the answer, and the page as an artifact."""
        if verdict is not None:
            self._run.log({f"{PREFIX}verdict": verdict})
        if page is not None:
            self._run.log_artifact(str(page), name="stopwise-report", type="report")
        if self._opened:
            with redirect_stdout(sys.stderr):
                self._run.finish()
