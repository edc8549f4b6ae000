"""MLflow: the run that is active, or a new one in the experiment that is set."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlflow
from mlflow.entities import Metric

from stopwise.trackers.tracker import PREFIX

# MLflow takes no more at once, and no longer values.
MOST_METRICS, LONGEST_VALUE = 1000, 5000


class MlflowRun:
    """A run of MLflow, written to by its id: which run is active differs between threads."""

    def __init__(self, run: Any = None) -> None:
        run = mlflow.active_run() if run is None else run
        self._opened = run is None
        if run is None:
            run = mlflow.start_run(run_name="stopwise")
            mlflow.end_run("RUNNING")  # what the policies log is not meant for it
        self._id = run.info.run_id
        self._client = mlflow.MlflowClient()

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Keep what was declared as a tag, since an active run may have parameters of its own."""
        self._client.set_tag(self._id, "stopwise", json.dumps(dict(settings))[:LONGEST_VALUE])

    def log(self, row: int, numbers: Mapping[str, float], verdict: str | None) -> None:
        """Add the numbers after a row; the step is the row."""
        now = int(time.time() * 1000)
        metrics = [Metric(f"{PREFIX}{name}", value, now, row) for name, value in numbers.items()]
        for start in range(0, len(metrics), MOST_METRICS):
            self._client.log_batch(self._id, metrics=metrics[start : start + MOST_METRICS])
        self._tell(verdict)

    def finish(self, verdict: str | None, page: Path | None) -> None:
        """Keep the answer as a tag and the page as an artifact."""
        self._tell(verdict)
        if page is not None:
            self._client.log_artifact(self._id, str(page))
        if self._opened:
            self._client.set_terminated(self._id)

    def _tell(self, verdict: str | None) -> None:
        if verdict is not None:
            self._client.set_tag(self._id, "stopwise.verdict", verdict[:LONGEST_VALUE])
