"""Exports of MLflow: its table of runs, and the history of a metric."""

from dataclasses import replace
from pathlib import Path

from stopwise.data.formats.delimited_file import header, read_delimited
from stopwise.data.formats.wandb import LOGGED
from stopwise.data.raw import RawTable
from stopwise.data.roles import RUNS, usual_role
from stopwise.errors import InvalidInput
from stopwise.messages import Notes

name = "mlflow"
HISTORY = {"key", "value", "step", "timestamp"}
METRICS, PARAMETERS, RUN_NAME = "metrics.", "params.", "tags.mlflow.runName"


def recognise(path: Path) -> bool:
    """Whether the columns are those of ``search_runs`` or of a metric's history."""
    names = header(path)
    runs = "run_id" in names and any(column.startswith(METRICS) for column in names)
    return runs or set(names) >= HISTORY


def read(path: Path) -> RawTable:
    """Return a row per run, with its parameters, or per logged value of one metric."""
    raw = read_delimited(path)
    if set(raw.frame.columns) >= HISTORY:
        return _history(path, raw)
    columns = raw.frame.columns
    roles = {"time": "start_time"} if "start_time" in columns else {}
    for role, prefix in (("policy", PARAMETERS), ("task", PARAMETERS), ("score", METRICS)):
        names = [c for c in columns if c.startswith(prefix)]
        usual = [c for c in names if usual_role(c.removeprefix(prefix), role)]
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
