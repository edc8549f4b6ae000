"""Columns that change what a row means: checkpoints, phases, flags, and points of a curve."""

from collections.abc import Sequence

import polars as pl

from stopwise.data.names import (
    ALL_NAMES,
    CHECKPOINTS,
    RISING,
    STARTS,
    STEPS,
    short_name,
    sounds_like_outcome,
    words_of,
)
from stopwise.data.raw import RawTable
from stopwise.data.reading import Reading, plain
from stopwise.data.roles import Roles
from stopwise.errors import InvalidInput, require
from stopwise.messages import BLANK, Message, Notes, Setting, counted, names_listed

CURVE = frozenset((*STEPS, *CHECKPOINTS, "checkpoint_step", "ckpt_step"))
SPLIT = frozenset(
    (
        *("eval_mode", "is_train", "is_eval", "train"),
        *("type", "event", "kind", "record_type", "event_type", "row_type", "entry_type"),
    )
)
# Also within a longer name, such as "invalid reason".
SPLIT_WORDS = frozenset(
    (
        *("phase", "split", "partition", "subset", "valid", "invalid", "excluded", "exclude"),
        *("discard", "discarded", "aborted", "included", "include", "usable", "void", "outlier"),
        *("quarantined", "rejected", "accepted"),
    )
)
# What is judged, where several people judge one trial.
RECORDED = frozenset(("video", "clip", "recording", "item", "case", "trial", "episode", "rollout"))
# Words in the names of columns that number the attempts at one thing.
RETRIES = frozenset(("attempt", "try", "retry", "rep", "repeat", "repetition", "replicate"))
# Blocks of trials that belong to one policy each tell only if they are so long.
LEAST_RUN = 5
# Columns with more values do not tell scorers or settings apart.
MOST_CROSSED = 6
# What can be answered: the setting, its role or value, and what it does.
ONE = "where", "", " reads those with one value"
ALL = "columns", "ignore", " takes all alike"
POLICY = "columns", "policy", " makes each a policy"
CURVE_OPTIONS = (
    ONE,
    ("at", "last", " the last of each training run"),
    POLICY,
    ALL,
)
AXIS_OPTIONS = (
    ("columns", "step", " with "),
    ("at", "last", " the last of each training run"),
    ONE,
    ALL,
)
SPLIT_OPTIONS = ONE, ("columns", "block", " makes them strata"), ALL
BLOCK_OPTIONS = (
    ONE,
    ("columns", "seed", " makes each a training run"),
    ("columns", "policy", " a policy"),
    ALL,
)
GROUP = ("task", "policy", "seed")


def require_one_meaning(raw: RawTable, frame: pl.DataFrame, roles: Roles, reading: Reading) -> None:
    """Raise if rows of a policy differ in a column that says what they are, without a role.

    ``frame`` holds the roles of the rows, before any is left out.
    """
    if raw.defined:
        return
    trial = ["trial"] if "trial" in frame.columns else []
    names = [name for name in GROUP if name in frame.columns]
    free = [n for n in raw.frame.columns if n not in roles.used and n not in reading.where]
    starts = [name for name in free if STARTS & words_of(name)]
    raters = roles.columns.get("evaluator", ()) if "evaluator" in roles.guessed else ()
    for name in raters:
        judged = [*roles.columns.get("block", ()), *free]
        judged = [other for other in judged if (STARTS | RECORDED) & words_of(other)]
        if _is_crossed(raw, frame.with_columns(raw.frame[name].alias("_own")), judged):
            raise _question(raw, name, *SPLIT_OPTIONS)
    for name in sorted(free, key=lambda name: short_name(name) not in CURVE | SPLIT | SPLIT_WORDS):
        own = frame.select(*names, *trial).with_columns(raw.frame[name].alias("_own"))
        several = own.group_by("policy").agg(pl.col("_own").n_unique())["_own"].max()
        if not isinstance(several, int) or several < 2:
            continue
        short = short_name(name)
        if short in RISING and trial and _is_length(own, names):
            continue
        rises = short in RISING and (_rises(own, names) or _rises(own, [*names, *trial]))
        if rises or (short in CURVE and not _constant(own)):
            raise _question(raw, name, *CURVE_OPTIONS)
        if short not in ALL_NAMES and _is_axis(own, names):
            raise _question(raw, name, *AXIS_OPTIONS)
        if SPLIT_WORDS & words_of(name) or short in SPLIT:
            raise _question(raw, name, *SPLIT_OPTIONS)
        finer = [n for n in starts if raw.frame[n].n_unique() > own["_own"].n_unique()]
        is_free = not sounds_like_outcome(name) and not RETRIES & words_of(name)
        if is_free and _is_crossed(raw, own, finer):
            named = "policy" in roles.columns
            raise _question(raw, name, *(SPLIT_OPTIONS if named else (POLICY, *SPLIT_OPTIONS)))
        if RETRIES & words_of(name) and _until_success(raw, frame, name, starts):
            raise _question(raw, name, ONE, ALL)
        if short not in ALL_NAMES and _in_blocks(own):
            raise _question(raw, name, *BLOCK_OPTIONS)


def _is_crossed(raw: RawTable, own: pl.DataFrame, starts: Sequence[str]) -> bool:
    """Whether each start has a row of every value, as of two scorers of one question."""
    values = own["_own"]
    if values.dtype.is_float() or values.n_unique() > MOST_CROSSED:
        return False
    names = [n for n in GROUP if n in own.columns]
    for start in starts:
        rows = own.select(*names, "_own", raw.frame[start].alias("_start"))
        sizes = rows.group_by(*names, "_start").agg(pl.len(), pl.col("_own").n_unique())
        if bool((sizes["len"] == sizes["_own"]).all()) and bool((sizes["len"] > 1).all()):
            return True
    return False


def _until_success(raw: RawTable, frame: pl.DataFrame, name: str, starts: Sequence[str]) -> bool:
    """Whether there are later attempts, but none after a success."""
    keys = [key for key in (*GROUP, "block") if key in frame.columns]
    table = frame.select(*keys, "score").with_columns(
        raw.frame[name].cast(pl.Float64, strict=False).alias("_own"),
        *(raw.frame[start].alias(f"_{start}") for start in starts),
    )
    keys += [f"_{start}" for start in starts]
    won = (
        table.sort("_own", maintain_order=True)
        .group_by(keys)
        .agg(
            pl.col("score").arg_max().alias("first"),
            pl.col("score").max(),
            pl.len(),
            pl.col("_own").n_unique().alias("own"),
        )
    )
    several = won.filter((pl.col("len") > 1) & (pl.col("own") == pl.col("len")))
    if (
        len(several) < LEAST_RUN
        or len(several) == len(won)
        or not won["score"].is_in([0.0, 1.0]).all()
    ):
        return False
    ended = (several["score"] == 0) | (several["first"] == several["len"] - 1)
    return bool(ended.all())


def _is_length(own: pl.DataFrame, names: Sequence[str]) -> bool:
    """Whether each row is a trial of its own and steps stop at the same number: a time limit."""
    if own.select(*names, "trial").is_duplicated().any():
        return False
    steps = own["_own"].cast(pl.Float64, strict=False).drop_nulls()
    return len(steps) > 0 and int((steps == steps.max()).sum()) > own["policy"].n_unique()


def _constant(own: pl.DataFrame) -> bool:
    """Whether each training run has one value: then it says no more than the run does."""
    if "seed" not in own.columns:
        return False
    runs = own.group_by("policy", "seed").agg(pl.col("_own").n_unique())["_own"]
    return bool((runs == 1).all())


def _rises(own: pl.DataFrame, names: Sequence[str]) -> bool:
    """Whether the values never fall along the rows of any group of several rows."""
    numbers = own.with_columns(pl.col("_own").cast(pl.Float64, strict=False))
    steps = numbers.select(pl.col("_own").diff().over(names))["_own"].drop_nulls()
    return len(steps) > 2 and bool((steps >= 0).all()) and bool((steps > 0).any())


def _is_axis(own: pl.DataFrame, names: Sequence[str]) -> bool:
    """Whether fractions rise along each of several training runs, as a clock or a step does."""
    if "seed" not in names or not own["_own"].cast(pl.Float64, strict=False).is_not_null().all():
        return False
    steps = own.select(pl.col("_own").cast(pl.Float64).diff().over(names))["_own"].drop_nulls()
    runs = own.select(names).n_unique()
    rises = bool((steps > 0).all()) and not bool((steps == 1).all())
    return runs > 1 and len(steps) >= LEAST_RUN * runs and rises


def _in_blocks(own: pl.DataFrame) -> bool:
    """Whether each policy's values come in runs of several rows, and belong to it alone."""
    if own["_own"].dtype.is_float() or own["_own"].null_count():
        return False
    values = own["_own"].n_unique()
    if values < 3 or values * LEAST_RUN > len(own):
        return False
    pairs = own.select(
        pl.struct("policy", "_own").n_unique(), tasks=pl.struct("task", "_own").n_unique()
    )
    if pairs["policy"][0] != values or pairs["tasks"][0] == own["task"].n_unique():
        return False
    number = pl.int_range(pl.len()).over("policy").alias("_at")
    ends = own.with_columns(number).group_by("policy", "_own")
    spans = ends.agg(pl.col("_at").min().alias("low"), pl.col("_at").max().alias("high"), pl.len())
    runs = bool((spans["high"] - spans["low"] + 1 == spans["len"]).all())
    return runs and bool((spans["len"] >= LEAST_RUN).all())


def _question(raw: RawTable, name: str, *options: tuple[str, str, str]) -> InvalidInput:
    values = raw.frame[name].unique(maintain_order=True).drop_nulls().to_list()
    shown = names_listed([str(value) for value in values[:4]])
    more = f" and {len(values) - 4} more" if len(values) > 4 else ""
    parts: list[str | Setting] = []
    for setting, role, words in options:
        given = {"where": {name: BLANK}, "at": role, "columns": {role: name}}[setting]
        before = "; " if not parts else "" if str(parts[-1]).endswith(" ") else ", "
        parts += [before, Setting(setting, given), words]
    return InvalidInput(
        f"{raw.source}: rows of a policy differ in {name!r} ({shown}{more}), which changes what a "
        "row means: say which are meant",
        *parts,
        code="which-rows",
    )


def at_point(
    frame: pl.DataFrame, at: str | float, source: str, notes: Notes, *, lower: bool
) -> tuple[pl.DataFrame, pl.Series]:
    """Return one score per training run, from its learning curve, and the row each stands in.

    Without a column of runs, the trials at that point are those of one checkpoint, and stay.
    """
    require(
        "step" in frame.columns,
        Setting("at", at),
        f" needs a column of training steps, and {source} has none; name it with ",
        Setting("columns", {"step": BLANK}),
        code="no-step-column",
    )
    runs = [name for name in GROUP if name in frame.columns]
    if "trial" in frame.columns and "seed" not in runs:
        several = frame.group_by(*runs, "trial").len()["len"]
        runs += ["trial"] if bool((several > 1).any()) else []
    total = len(frame)
    frame = frame.with_row_index("_row").drop_nulls(["step", "score"])
    if at in ("best", "auc"):
        require(
            "seed" in runs,
            Setting("at", at),
            " takes one value per training run, so it needs a column of runs; name it with ",
            Setting("columns", {"seed": BLANK}),
            code="no-seed-column",
        )
    else:
        point = pl.col("step").max().over(runs) if at == "last" else pl.lit(float(at))
        there = frame.filter(pl.col("step") == point)
        lacking = frame.join(there, on=runs, how="anti").select(runs).unique()
        require(
            lacking.is_empty(),
            f"{source}: {counted(len(lacking), 'training run has', 'training runs have')} no step "
            f"{plain(at)}, such as "
            f"{names_listed(lacking.rows()[0] if len(lacking) else ())}",
            parameter="at",
        )
        if not {"seed", "trial"} & {*runs}:
            sizes = frame.group_by(*runs, "step").len()["len"]
            require(
                sizes.median() != 1 or len(there) == frame.select(runs).n_unique(),
                f"{source}: {counted(len(there), 'row has', 'rows have')} the step {plain(at)}, "
                "and most other steps one each, as lengths of episodes do: read all without ",
                Setting("at", at),
                code="lengths-of-episodes",
            )
            text = f"{source}: {len(there)} of {total} rows are at the step that was asked for: "
            notes.append(Message(f"{text}{at}", code="at-point"))
            return there.drop("_row", "step"), there["_row"]
        frame = there
    points = frame.group_by(*runs, "step", maintain_order=True).agg(
        pl.col("score").mean(), pl.col("_row").first()
    )
    points = points.sort("step", maintain_order=True)
    grouped = points.group_by(runs, maintain_order=True)
    if at == "auc":
        width = pl.col("step").diff().fill_null(0.0)
        middle = (pl.col("score") + pl.col("score").shift(1)) / 2
        area = (width * middle).sum() / width.sum()
        score = pl.when(pl.len() > 1).then(area).otherwise(pl.col("score").first())
    elif at == "best":
        score = pl.col("score").min() if lower else pl.col("score").max()
    else:
        score = pl.col("score").first()
    found = grouped.agg(score.alias("score"), pl.col("_row").first()).sort("_row")
    text = f"{source}: one score per training run, {counted(len(found), 'run')}: {at}"
    if at == "best":
        text += " (of several points the best is too good; better on average, not in any one run)"
    notes.append(Message(text, code="at-point"))
    return found.drop("_row"), found["_row"]
