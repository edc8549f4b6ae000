"""Columns that change what a row means: checkpoints, phases, flags, and points of a curve."""

from collections.abc import Callable, Sequence

import polars as pl

from stopwise.data.names import (
    ALL_NAMES,
    CHECKPOINTS,
    MEASURES,
    RISING,
    STARTS,
    STEPS,
    each_of,
    short_name,
    sounds_like_outcome,
    words_of,
)
from stopwise.data.raw import LIST, RawTable
from stopwise.data.reading import Reading, plain
from stopwise.data.roles import Roles
from stopwise.errors import InvalidInput, require
from stopwise.messages import BLANK, Message, Notes, Setting, counted, names_listed

CURVE = frozenset((*STEPS, *CHECKPOINTS, "checkpoint_step", "ckpt_step"))
SPLIT = frozenset(MEASURES) | frozenset(
    each_of(
        "eval_mode is_train is_eval train type event kind record_type event_type row_type "
        "entry_type"
    )
)
# Also within a longer name, such as "invalid reason".
SPLIT_WORDS = frozenset(
    each_of(
        "phase split partition subset valid invalid excluded exclude discard discarded aborted "
        "included include usable void outlier quarantined rejected accepted"
    )
)
# What a trial starts from, or what several people judge.
JUDGED = STARTS | {"video", "clip", "recording", "item", "case", "trial", "episode", "rollout"}
# Words in the names of columns that number the attempts at one thing.
RETRIES = frozenset(("attempt", "try", "retry", "rep", "repeat", "repetition", "replicate"))
# Blocks of trials that belong to one policy each tell only if they are so long.
LEAST_RUN = 5
# Standard errors by which the scores of a learning curve rise.
BEYOND_CHANCE = 4.0
# Columns with more values do not tell scorers or settings apart.
MOST_CROSSED = 6
# What can be answered: the setting, its role or value, and what it does.
ONE = "where", "", " reads those with one value"
ALL = "columns", "ignore", " takes all alike"
POLICY = "columns", "policy", " makes each a policy"
LAST = "at", "last", " the last of each training run"
CURVE_OPTIONS = ONE, LAST, POLICY, ALL
AXIS_OPTIONS = ("columns", "step", " with "), LAST, ONE, ALL
SPLIT_OPTIONS = ONE, ("columns", "block", " makes them strata"), ALL
SEED = "columns", "seed", " makes each a training run"
BLOCK_OPTIONS = ONE, SEED, ("columns", "policy", " a policy"), ALL
LIST_OPTIONS = SEED, ("columns", "block", " names what a list starts from"), ALL
GROUP = ("task", "policy", "seed")
Options = tuple[tuple[str, str, str], ...]


def require_one_meaning(raw: RawTable, frame: pl.DataFrame, roles: Roles, reading: Reading) -> None:
    """Raise if rows of a policy differ in a column without a role that says what they are."""
    if raw.defined:
        return
    used = {name for names in roles.columns.values() for name in names}
    free = [n for n in raw.frame.columns if n not in used and n not in reading.where]
    raters = roles.columns.get("evaluator", ()) if "evaluator" in roles.guessed else ()
    for name in raters:
        judged = [*roles.columns.get("block", ()), *free]
        judged = [other for other in judged if JUDGED & words_of(other)]
        if _is_crossed(raw, frame.with_columns(raw.frame[name].alias("_own")), judged):
            raise _question(raw, name, SPLIT_OPTIONS)
    keys = [name for name in (*GROUP, "trial", "block", "score") if name in frame.columns]
    for name in sorted(free, key=lambda name: short_name(name) not in CURVE | SPLIT | SPLIT_WORDS):
        keyed = frame.select(keys).with_columns(raw.frame[name].alias("_own"))
        several = keyed.group_by("policy").agg(pl.col("_own").n_unique())["_own"]
        options = _open(raw, name, keyed, free) if (several > 1).any() else ()
        if options:
            with_policy = (POLICY, *options) if options == SPLIT_OPTIONS else options
            raise _question(raw, name, options if "policy" in roles.columns else with_policy)
    if "seed" in keys and reading.names("seed") is None and reading.at is None:
        _refuse_curves(raw, roles.columns.get("seed", ("seed",))[0], frame)


def _refuse_curves(raw: RawTable, seed: str, frame: pl.DataFrame) -> None:
    """Raise if the scores of training runs rise from row to row far beyond chance."""
    runs = [name for name in GROUP if name in frame.columns]
    at = pl.int_range(pl.len()).over(runs).alias("_at")
    groups = frame.select(*runs, "score", at).drop_nulls().group_by(runs)
    rise = pl.corr("score", "_at", method="spearman").fill_nan(0.0)
    each = groups.agg(rise.alias("rise"), pl.len()).filter(pl.col("len") >= LEAST_RUN)
    beyond = (each["rise"] * (each["len"] - 1).sqrt()).sum()
    if frame["score"].n_unique() < 3 or beyond < BEYOND_CHANCE * len(each) ** 0.5 or not len(each):
        return
    raise raw.refusal(
        f"the scores of the training runs in {seed!r} rise from row to row, as the points of "
        "learning curves do: give one score of each, or take it with ",
        Setting("at", "last"),
        " and a column of steps, ",
        Setting("columns", {"step": BLANK}),
        "; if each row is a trial, say ",
        Setting("columns", {"seed": seed}),
    )


def _open(raw: RawTable, name: str, keyed: pl.DataFrame, free: Sequence[str]) -> Options:
    """Return the answers to what a column asks, by its name and values; none if it is harmless."""
    short, words = short_name(name), words_of(name)
    runs = [key for key in GROUP if key in keyed.columns]
    each = [*runs, "trial"] if "trial" in keyed.columns else runs
    starts = [other for other in free if JUDGED & words_of(other)]
    finer = [n for n in starts if raw.frame[n].n_unique() > keyed["_own"].n_unique()]
    rising, retries, unusual = short in RISING, RETRIES & words, short not in ALL_NAMES
    if rising and each != runs and _is_length(keyed, each):
        return ()
    asked: tuple[tuple[Options, Callable[[], bool]], ...] = (
        (CURVE_OPTIONS, lambda: rising and (_rises(keyed, runs) or _rises(keyed, each))),
        (CURVE_OPTIONS, lambda: short in CURVE and not _constant(keyed)),
        (AXIS_OPTIONS, lambda: unusual and _is_axis(keyed, runs)),
        (LIST_OPTIONS, lambda: short == LIST and not _told_apart(keyed)),
        (SPLIT_OPTIONS, lambda: bool(SPLIT_WORDS & words) or short in SPLIT),
        ((ONE, ALL), lambda: bool(retries) and _until_success(raw, keyed, starts)),
        (
            SPLIT_OPTIONS,
            lambda: not (sounds_like_outcome(name) or retries) and _is_crossed(raw, keyed, finer),
        ),
        (BLOCK_OPTIONS, lambda: unusual and _in_blocks(keyed)),
    )
    return next((options for options, is_so in asked if is_so()), ())


def _is_crossed(raw: RawTable, keyed: pl.DataFrame, starts: Sequence[str]) -> bool:
    """Whether each start has a row of every value, as with two scorers per question."""
    values = keyed["_own"]
    if values.dtype.is_float() or values.n_unique() > MOST_CROSSED:
        return False
    names = [n for n in GROUP if n in keyed.columns]
    for start in starts:
        rows = keyed.select(*names, "_own", raw.frame[start].alias("_start"))
        sizes = rows.group_by(*names, "_start").agg(pl.len(), pl.col("_own").n_unique())
        if bool(((sizes["len"] == sizes["_own"]) & (sizes["len"] > 1)).all()):
            return True
    return False


def _until_success(raw: RawTable, keyed: pl.DataFrame, starts: Sequence[str]) -> bool:
    """Whether there are later attempts, but none after a success."""
    keys = [key for key in (*GROUP, "block") if key in keyed.columns]
    keys += [f"_{start}" for start in starts]
    table = keyed.with_columns(
        pl.col("_own").cast(pl.Float64, strict=False),
        *(raw.frame[start].alias(f"_{start}") for start in starts),
    )
    groups = table.sort("_own", maintain_order=True).group_by(keys)
    won = groups.agg(
        pl.col("score").arg_max().alias("first"),
        pl.col("score").max(),
        pl.len(),
        pl.n_unique("_own"),
    )
    several = won.filter((pl.col("len") > 1) & (pl.col("_own") == pl.col("len")))
    if not LEAST_RUN <= len(several) < len(won) or not won["score"].is_in([0.0, 1.0]).all():
        return False
    return bool(((several["score"] == 0) | (several["first"] == several["len"] - 1)).all())


def _is_length(keyed: pl.DataFrame, names: Sequence[str]) -> bool:
    """Whether each row is a trial of its own and steps stop at the same number: a time limit."""
    if keyed.select(names).is_duplicated().any():
        return False
    steps = keyed["_own"].cast(pl.Float64, strict=False).drop_nulls()
    return len(steps) > 0 and int((steps == steps.max()).sum()) > keyed["policy"].n_unique()


def _told_apart(keyed: pl.DataFrame) -> bool:
    """Whether each start of a training run has one value."""
    each = [name for name in (*GROUP, "block") if name in keyed.columns]
    return bool((keyed.group_by(each).agg(pl.col("_own").n_unique())["_own"] == 1).all())


def _constant(keyed: pl.DataFrame) -> bool:
    """Whether each training run has one value, which says no more than the run does."""
    if "seed" not in keyed.columns:
        return False
    runs = keyed.group_by("policy", "seed").agg(pl.col("_own").n_unique())["_own"]
    return bool((runs == 1).all())


def _changes(keyed: pl.DataFrame, names: Sequence[str]) -> pl.Series:
    """Return the steps from row to row within each group."""
    number = pl.col("_own").cast(pl.Float64, strict=False)
    return keyed.select(number.diff().over(names))["_own"].drop_nulls()


def _rises(keyed: pl.DataFrame, names: Sequence[str]) -> bool:
    """Whether the values never fall along the rows of any group of several rows."""
    steps = _changes(keyed, names)
    return len(steps) > 2 and bool((steps >= 0).all()) and bool((steps > 0).any())


def _is_axis(keyed: pl.DataFrame, names: Sequence[str]) -> bool:
    """Whether fractions rise along each of several training runs, as a clock or a step does."""
    if "seed" not in names or keyed["_own"].cast(pl.Float64, strict=False).has_nulls():
        return False
    steps, runs = _changes(keyed, names), keyed.select(names).n_unique()
    rises = bool((steps > 0).all()) and not bool((steps == 1).all())
    return runs > 1 and len(steps) >= LEAST_RUN * runs and rises


def _in_blocks(keyed: pl.DataFrame) -> bool:
    """Whether each policy's values come in runs of several rows, and belong to it alone."""
    values = keyed["_own"].n_unique()
    if keyed["_own"].dtype.is_float() or keyed["_own"].has_nulls():
        return False
    if values < 3 or values * LEAST_RUN > len(keyed):
        return False
    if keyed.n_unique(["policy", "_own"]) != values:
        return False
    if keyed.n_unique(["task", "_own"]) == keyed["task"].n_unique():
        return False
    number = pl.int_range(pl.len()).over("policy").alias("_at")
    ends = keyed.with_columns(number).group_by("policy", "_own")
    spans = ends.agg(pl.col("_at").max() - pl.col("_at").min() + 1, pl.len())
    return bool(((spans["_at"] == spans["len"]) & (spans["len"] >= LEAST_RUN)).all())


def _question(raw: RawTable, name: str, options: Options) -> InvalidInput:
    values = raw.frame[name].unique(maintain_order=True).drop_nulls().to_list()
    shown = names_listed([str(value) for value in values[:4]])
    more = f" and {len(values) - 4} more" if len(values) > 4 else ""
    parts: list[str | Setting] = []
    for setting, role, words in options:
        column = BLANK if (name, role) == (LIST, "block") else name
        given = {"where": {name: BLANK}, "at": role, "columns": {role: column}}[setting]
        before = "; " if not parts else "" if str(parts[-1]).endswith(" ") else ", "
        parts += [before, Setting(setting, given), words]
    return raw.refusal(
        f"rows of a policy differ in {name!r} ({shown}{more}), which changes what a row means: "
        "say which are meant",
        *parts,
    )


def at_point(
    frame: pl.DataFrame, at: str | float, source: str, notes: Notes, *, lower: bool
) -> tuple[pl.DataFrame, pl.Series]:
    """Return one score per training run, from its learning curve, and the row each stands in."""
    asked, total = Setting("at", at), len(frame)
    step, seed = (Setting("columns", {role: BLANK}) for role in ("step", "seed"))
    text = f" needs a column of training steps, and {source} has none; name it with "
    require("step" in frame.columns, asked, text, step)
    runs = [name for name in GROUP if name in frame.columns]
    if "trial" in frame.columns and "seed" not in runs:
        several = frame.select(*runs, "trial").is_duplicated().any()
        runs += ["trial"] if several else []
    frame = frame.with_row_index("_row").drop_nulls(["step", "score"])
    each, score = bool({"seed", "trial"} & {*runs}), pl.col("score")
    if at in ("best", "auc"):
        text = " takes one value per training run, so it needs a column of runs; name it with "
        require("seed" in runs, asked, text, seed)
    else:
        frame = _there(frame, at, source, runs)
    if not each:  # the trials at that point are those of one checkpoint
        text = f"{source}: {len(frame)} of {total} rows are at the step that was asked for: "
        notes.add(f"{text}{at}", code="at-point")
        return frame.drop("_row", "step"), frame["_row"]
    points = frame.group_by(*runs, "step").agg(score.mean(), pl.col("_row").min())
    width, middle = pl.col("step").diff(), (score + score.shift(1)) / 2
    area = (width * middle).sum() / width.sum()
    of_run = {
        "best": score.min() if lower else score.max(),
        "auc": pl.when(pl.len() > 1).then(area).otherwise(score.first()),
    }.get(str(at), score.last())
    grouped = points.sort("step").group_by(runs)
    chosen = grouped.agg(of_run.alias("score"), pl.col("_row").first()).sort("_row")
    text = f"{source}: one score per training run, {counted(len(chosen), 'run')}: {at}"
    if at == "best":
        text += " (of several points the best is too good; better on average, not in any one run)"
    notes.append(Message(text, code="at-point"))
    return chosen.drop("_row"), chosen["_row"]


def _there(frame: pl.DataFrame, at: str | float, source: str, runs: Sequence[str]) -> pl.DataFrame:
    """Return the rows at the last step of each run, or at one step, or raise if a run lacks it."""
    point = pl.col("step").max().over(runs) if at == "last" else pl.lit(float(at))
    there = frame.filter(pl.col("step") == point)
    for lacking in frame.join(there, on=runs, how="anti").select(runs).unique().rows():
        text = f"{source}: a training run has no step {plain(at)}: {names_listed(lacking)}"
        raise InvalidInput(text, parameter="at")
    sizes = frame.group_by(*runs, "step").len()["len"]
    lengths = sizes.median() == 1 and len(there) > frame.select(runs).n_unique()
    rows = counted(len(there), "row has", "rows have")
    text = f"{source}: {rows} the step {plain(at)}, and most other steps one each, as lengths of "
    asked = Setting("at", at)
    each = bool({"seed", "trial"} & {*runs})
    require(each or not lengths, f"{text}episodes do: read all without ", asked)
    return there
