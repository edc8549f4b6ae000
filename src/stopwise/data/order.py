"""The order of trials: of completion, and one in which further trials would change earlier rows."""

import hashlib
import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from stopwise.data.growing import growing
from stopwise.data.reading import Reading
from stopwise.messages import IN_TURN, Message, Notes, names_listed, one_look

# Trials that could have come in so many other orders were not listed successes first by chance.
LEAST_ORDERS = 10_000
# With fewer trials of a policy no test decides at an alpha of up to .2.
LEAST_DECIDED = 4


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
        "completion, so rows are taken in an order drawn from the rows themselves"
    )
    notes.append(one_look(text))
    return frame[rng.permutation(len(frame))]


def tell_looks(frames: Sequence[pl.DataFrame], reading: Reading, notes: Notes) -> None:
    """Say if with further trials, or at an earlier look, the rows would not be the first of these.

    ``frames`` are the trials of each file.
    """
    if growing() is not None:
        return
    if reading.order == "shuffled":
        notes.append(one_look("the order of more trials would be another"))
    several = pl.concat(
        [own.group_by("task", "policy").len() for own in frames], how="vertical"
    ).filter(pl.col("len") > 1)
    if several.select("task", "policy").is_duplicated().any():
        text = (
            "trials of a policy come from several files, and more in the first would come between"
        )
        notes.append(one_look(text))
    if any(came_in_turn(own, "policy") for own in frames):
        notes.append(one_look("policies came one after the other", code=IN_TURN))


def came_in_turn(frame: pl.DataFrame, name: str) -> bool:
    """Whether others could have been compared before one policy, or task, had its first trial."""
    within, others = ("task", 2) if name == "policy" else ("policy", 1)
    at = pl.int_range(pl.len()).over(within).alias("at")
    places = (
        frame.select(name, within, at)
        .group_by(name, within)
        .agg(
            pl.col("at").first().alias("first"),
            pl.col("at").get(LEAST_DECIDED - 1, null_on_oob=True).alias("enough"),
        )
    )
    enough = pl.col("enough").sort(nulls_last=True).get(others - 1, null_on_oob=True)
    groups = places.group_by(within).agg(pl.col("first").max(), enough)
    return bool((groups["enough"] < groups["first"]).any())
