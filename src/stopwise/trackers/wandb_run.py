"""Weights & Biases: the run that is open, or a new one."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import wandb

from stopwise.trackers.tracker import PREFIX


class WandbRun:
    """A run of wandb; rows have an axis of their own, whatever steps the run counts otherwise."""

    def __init__(self, run: Any = None) -> None:
        run = wandb.run if run is None else run
        self._opened = run is None
        if run is None:
            project = os.environ.get("WANDB_PROJECT", "stopwise")
            run = wandb.init(project=project, job_type="evaluation")
        self._run = run
        run.define_metric(f"{PREFIX}*", step_metric=f"{PREFIX}row")

    def begin(self, settings: Mapping[str, Any]) -> None:
        self._run.config.update({"stopwise": dict(settings)}, allow_val_change=True)

    def log(self, row: int, numbers: Mapping[str, float], verdict: str | None) -> None:
        values = {"row": row, **numbers, **({} if verdict is None else {"verdict": verdict})}
        self._run.log({f"{PREFIX}{name}": value for name, value in values.items()})

    def finish(self, verdict: str | None, page: Path | None) -> None:
        if verdict is not None:
            self._run.summary[f"{PREFIX}verdict"] = verdict
        if page is not None:
            artifact = wandb.Artifact("stopwise-report", type="report")
            artifact.add_file(str(page))
            self._run.log_artifact(artifact)
        if self._opened:
            self._run.finish()
