"""Trials in the order in which they were completed: successes end earlier, so they come first."""

import hashlib
import math

import numpy as np
import polars as pl

from stopwise.data.growing import growing
from stopwise.messages import Message, Notes, names_listed

# Trials that could have come in so many other orders were not listed successes first by chance.
LEAST_ORDERS = 10_000


def completed_in_order(frame: pl.DataFrame, notes: Notes) -> pl.DataFrame:
    """Return the rows in an order drawn from their content where all successes come first.

    The same rows give the same order: nobody can draw again.
    """
    scores = frame["score"]
    if not bool(scores.is_in([0.0, 1.0]).all()):
        return frame
    grouped = (
        frame.with_row_index("at")
        .group_by("policy", "task", maintain_order=True)
        .agg(
            (pl.col("score").diff().fill_null(0.0) <= 0).all().alias("falling"),
            (pl.col("score").diff().fill_null(0.0) >= 0).all().alias("rising"),
            pl.col("score").sum().alias("won"),
            pl.len().alias("n"),
            (pl.col("at").max() - pl.col("at").min() + 1 == pl.len()).alias("together"),
        )
    )
    first, last = [], False
    for (policy,), own in grouped.group_by("policy", maintain_order=True):
        mixed = own.filter((pl.col("won") > 0) & (pl.col("won") < pl.col("n")))
        orders = sum(
            math.lgamma(n + 1) - math.lgamma(won + 1) - math.lgamma(n - won + 1)
            for won, n in zip(mixed["won"], mixed["n"], strict=True)
        )
        many = orders >= math.log(LEAST_ORDERS)
        last = last or (many and bool(mixed["rising"].all()))
        if many and bool((mixed["falling"] & mixed["together"]).all()):
            first.append(policy)
    if not first or last:  # sorted some other way: that is said by whoever analyses the rows
        return frame
    if growing() is not None:
        text = f"all successes of {names_listed(first)} stand before all failures, as in the order "
        text += "of completion: more looks at such rows void the guarantee"
        notes.append(Message(text, code="completion-order"))
        return frame
    seed = hashlib.sha256(frame.select("task", "policy", "score").write_csv().encode()).digest()
    rng = np.random.default_rng(int.from_bytes(seed[:8]))
    text = (
        f"all successes of {names_listed(first)} stand before all failures, as in the order of "
        "completion: rows are taken in an order drawn from the rows themselves, for one look at "
        "all of them"
    )
    notes.append(Message(text, code="completion-order"))
    return frame[rng.permutation(len(frame))]
