"""Exports of MLflow: its table of runs, and the history of a metric."""

from dataclasses import replace
from pathlib import Path

from stopwise.data.formats.delimited_file import read_delimited
from stopwise.data.formats.text_file import Head
from stopwise.data.formats.wandb import LOGGED
from stopwise.data.names import RUNS, is_named
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput
from stopwise.messages import Notes

name = "mlflow"
HISTORY = {"key", "value", "step", "timestamp"}
METRICS, PARAMETERS, RUN_NAME = "metrics.", "params.", "tags.mlflow.runName"


def recognise(head: Head) -> bool:
    """Whether the columns are those of ``search_runs`` or of a metric's history."""
    names = head.header
    runs = "run_id" in names and any(column.startswith(METRICS) for column in names)
    return runs or set(names) >= HISTORY


def read(head: Head) -> RawTable:
    """Return a row per run, with its parameters, or per logged value of one metric."""
    path, raw = head.path, read_delimited(head)
    if set(raw.frame.columns) >= HISTORY:
        return _history(path, raw)
    columns = raw.frame.columns
    roles = {"time": "start_time"} if "start_time" in columns else {}
    for role, prefix in (("policy", PARAMETERS), ("task", PARAMETERS), ("score", METRICS)):
        names = [c for c in columns if c.startswith(prefix)]
        usual = [c for c in names if is_named(c.removeprefix(prefix), role)]
        if usual:
            roles[role] = usual[0]
    if "policy" not in roles and RUN_NAME in columns:
        roles["policy"] = RUN_NAME
    if "policy" in roles and len(raw.frame) > 1:
        policies = raw.frame[roles["policy"]]
        if policies.n_unique() == len(policies):
            raise InvalidInput(
                f"{path}: each of {roles['policy']!r} has one run, so a run seems to sum up many "
                "trials; give their single results, or a run per trial"
            )
    return replace(raw, roles=roles)


def _history(path: Path, raw: RawTable) -> RawTable:
    metrics = raw.frame["key"].unique(maintain_order=True).to_list()
    if len(metrics) > 1:
        shown = ", ".join(map(repr, metrics))
        raise InvalidInput(f"{path}: export one metric at a time; these are {shown}")
    notes = Notes(raw.notes)
    notes.add(f"{path}: {LOGGED}", code="training-log")
    roles = {"score": "value", "time": "timestamp"}
    run = next((column for column in (*RUNS, "run_id") if column in raw.frame.columns), None)
    return replace(raw, roles={**roles, **({} if run is None else {"policy": run})}, notes=notes)
