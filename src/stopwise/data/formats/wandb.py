"""Exports of Weights & Biases: the CSV of a chart, and the history of a run."""

from dataclasses import replace

import polars as pl

from stopwise.data.formats.delimited_file import read_delimited
from stopwise.data.formats.text_file import Head
from stopwise.data.names import direction_note, is_named
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput, require
from stopwise.messages import Notes

name = "wandb"
# A chart has the least and the greatest value of each bin of steps beside each run.
SPREAD = ("__MIN", "__MAX")
# In a chart's column: the run, then the metric.
JOINED = " - "
STEPS = {"_step", "_runtime"}
LOGGED = (
    "values logged along a run are trials only if each is one episode of one fixed policy; those "
    "of a training run belong to a policy that changes"
)


def recognise(head: Head) -> bool:
    """Whether the columns are those of a chart, or of a history."""
    names = head.header
    return any(column.endswith(SPREAD) for column in names) or set(names) >= STEPS


def read(head: Head) -> RawTable:
    """Return every logged value; in a chart each run is a policy."""
    path, raw, notes = head.path, read_delimited(head), Notes()
    notes.add(f"{path}: {LOGGED}", code="training-log")
    if not any(column.endswith(SPREAD) for column in raw.frame.columns):
        return _history(replace(raw, notes=(*raw.notes, *notes)))
    columns = [column for column in raw.frame.columns if not column.endswith(SPREAD)]
    step, *runs = columns
    parts = [
        raw.frame.select(
            pl.lit(column.rpartition(JOINED)[0] or column).alias("run"),
            pl.lit(column.rpartition(JOINED)[2]).alias("metric"),
            pl.col(column).alias("value"),
            pl.col(step).alias("step"),
            pl.int_range(pl.len()).alias("_row"),
        ).filter(pl.col("value").fill_null("") != "")
        for column in runs
    ]
    require(len(parts) > 0, f"{path}: there is no run in it")
    long = pl.concat(parts).sort("_row", maintain_order=True)
    metrics = long["metric"].unique(maintain_order=True).to_list()
    if len(metrics) > 1:
        shown = ", ".join(map(repr, metrics))
        raise InvalidInput(f"{path}: export one metric at a time; these are {shown}")
    less = direction_note(metrics[0])
    notes.extend([] if less is None else [less])
    defined = replace(raw, roles={"policy": "run", "score": "value"})
    return defined.arranged(long.drop("_row"), long["_row"], *notes)


def _history(raw: RawTable) -> RawTable:
    """Return the history with its usual score, one that is of an evaluation if there is any."""
    roles = {"time": "_timestamp"} if "_timestamp" in raw.frame.columns else {}
    scores = [c for c in raw.frame.columns if is_named(c.rpartition("/")[2], "score")]
    if not scores:
        return replace(raw, roles=roles)
    roles["score"] = min(scores, key=lambda column: not column.startswith(("eval", "test")))
    filled = raw.frame[roles["score"]].fill_null("") != ""
    return replace(raw, roles=roles).taking(filled)
