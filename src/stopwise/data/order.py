"""The order of trials: of completion, and one in which further trials would change earlier rows."""

import hashlib
from collections.abc import Sequence

import numpy as np
import polars as pl

from stopwise.core.arrays import Floats, Ints
from stopwise.data.growing import growing
from stopwise.data.reading import Reading
from stopwise.messages import IN_TURN, Message, Notes, names_listed, one_look

# So few runs of like outcomes are no chance.
UNLIKELY = 1e-4
MANY = 1000  # with so many trials the number of runs is close to normal
# With fewer trials of a policy no test decides at an alpha of up to .2.
LEAST_DECIDED = 4


def in_chance_order(frame: pl.DataFrame, notes: Notes) -> pl.DataFrame:
    """Rows in an order drawn from their content where like outcomes stand together.

    So they do if a batch lists its successes first, or a file is sorted by its scores. The same
    rows give the same order: nobody can draw again.
    """
    from scipy.special import gammaincc  # loaded only where rows are counted

    keys = ("policy", "task")
    high = pl.col("score") > pl.col("score").mean().over(keys)
    outcomes = frame.drop_nulls("score").select(*keys, high.alias("high"))
    groups = outcomes.group_by(keys, maintain_order=True).agg(
        (pl.col("high") != pl.col("high").shift(1)).sum().alias("changes"),
        pl.col("high").sum(),
        pl.len(),
    )
    together = []
    for (policy,), sizes_of_policy in groups.group_by("policy", maintain_order=True):
        logs = [
            log_of_few_runs(*sizes)
            for sizes in sizes_of_policy.select("changes", "high", "len").rows()
        ]
        # The product of so many probabilities, were all orders as likely (Fisher).
        if gammaincc(len(logs), -sum(logs)) < UNLIKELY:
            together.append(policy)
    if not together:
        return frame
    text = (
        f"like outcomes of {names_listed(together)} stand together beyond chance (listed by "
        "outcome or in the order of completion, or something changed along the way)"
    )
    if growing() is not None:
        text += ": more looks at such rows void the guarantee"
        notes.append(Message(text, code="completion-order"))
        return frame
    seed = hashlib.sha256(frame.select("task", "policy", "score").write_csv().encode()).digest()
    rng = np.random.default_rng(int.from_bytes(seed[:8]))
    notes.append(one_look(f"{text}, so rows are taken in an order drawn from the rows themselves"))
    return frame[rng.permutation(len(frame))]


def log_of_few_runs(changes: int, high: int, n: int) -> float:
    """Log of the chance of at most so many changes if every order is equally likely."""
    from scipy.special import log_ndtr  # loaded only where rows are counted

    low = n - high
    if min(high, low) < 1:
        return 0.0
    if n > MANY:
        mean = 2 * high * low / n
        spread = np.sqrt(max(mean * (mean - 1), 1e-9) / (n - 1))
        return float(log_ndtr((changes + 0.5 - mean) / spread))
    runs = np.arange(2, changes + 2)
    of_high, of_low = runs // 2, (runs + 1) // 2  # runs of the one and of the other
    terms = np.logaddexp(
        _log_choose(high - 1, of_high - 1) + _log_choose(low - 1, of_low - 1),
        _log_choose(high - 1, of_low - 1) + _log_choose(low - 1, of_high - 1),
    )
    return min(float(np.logaddexp.reduce(terms) - _log_choose(n, np.array(high))), 0.0)


def _log_choose(n: int, k: Ints) -> Floats:
    from scipy.special import gammaln  # loaded only where rows are counted

    inside = np.clip(k, 0, n)
    logs: Floats = gammaln(n + 1) - gammaln(inside + 1) - gammaln(n - inside + 1)
    return np.where(k > n, -np.inf, logs)


def tell_looks(frames: Sequence[pl.DataFrame], reading: Reading, notes: Notes) -> None:
    """Say if the rows, with further trials or at an earlier look, would not come first."""
    if growing() is not None:
        return
    if reading.order == "shuffled":
        notes.append(one_look("the order of more trials would be another"))
    sizes = pl.concat([frame.group_by("task", "policy").len() for frame in frames])
    if sizes.filter(pl.col("len") > 1).select("task", "policy").is_duplicated().any():
        text = "trials of a policy come from several files, and more in the first would come "
        notes.append(one_look(f"{text}between"))
    if any(came_in_turn(frame, "policy") for frame in frames):
        notes.append(one_look("policies came one after the other", code=IN_TURN))


def came_in_turn(frame: pl.DataFrame, name: str) -> bool:
    """Whether others could have been compared before one policy, or task, had its first trial."""
    within, others = ("task", 2) if name == "policy" else ("policy", 1)
    at = pl.int_range(pl.len()).over(within).alias("at")
    places = frame.select(name, within, at).group_by(name, within)
    spans = places.agg(
        pl.col("at").first().alias("first"),
        pl.col("at").get(LEAST_DECIDED - 1, null_on_oob=True).alias("enough"),
    )
    enough = pl.col("enough").sort(nulls_last=True).get(others - 1, null_on_oob=True)
    groups = spans.group_by(within).agg(pl.col("first").max(), enough)
    return bool((groups["enough"] < groups["first"]).any())
