"""Which column means what, and why: as the user says, as the format defines, or by evidence."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from stopwise.data.raw import RawTable
from stopwise.data.reading import Reading
from stopwise.data.typed_columns import to_names, to_numbers
from stopwise.errors import InvalidInput
from stopwise.messages import Message, Notes, Setting, names_listed

# Usual names of outcomes: partial credit, which contains success; success; what was optimised.
PARTIAL = (
    *("score", "progress", "partial_success", "task_progress", "completion", "partial_score"),
    *("partial_credit", "task_score", "normalized_score", "q_score"),
)
SUCCESS = (
    *("success", "is_success", "binary_success", "succeeded", "successful", "success_once"),
    *("success_at_end", "task_success", "correct", "is_correct", "solved", "is_solved"),
    *("resolved", "passed", "goal_reached", "completed", "success_rate"),
)
RETURN = (
    *("return", "episode_return", "episodic_return", "eval_return", "total_return", "returns"),
    *("reward", "episode_reward", "sum_reward", "sum_rewards", "total_reward", "eval_reward"),
    *("cumulative_reward", "ep_return", "ep_reward", "ep_rew"),
)
VERDICT = ("result", "outcome", "verdict")
CHECKPOINTS = ("checkpoint", "ckpt", "checkpoint_path", "ckpt_path", "checkpoint_name")
RUNS = ("run_name", "run", "arm")
# Names of policies that are one only if there are several, each with several trials.
WEAK = ("condition", "variant", "config", "exp_name", "experiment", "strategy", *RUNS)
STEPS = (
    *("step", "global_step", "env_step", "env_steps", "train_step", "train_steps"),
    *("training_step", "training_steps", "total_timesteps", "num_timesteps", "epoch", "epochs"),
    *("update", "updates", "iteration", "iterations", "iter", "frames"),
)
# Steps of a training run, if they rise from row to row; else the length of an episode.
RISING = ("steps", "timestep", "timesteps", "time_step", "frame", "t")
NAMES: dict[str, tuple[str, ...]] = {
    "task": (
        *("task", "task_name", "task_id", "env_id", "env_name", "env", "task_type"),
        *("suite", "task_suite", "task_description", "instruction"),
    ),
    "policy": (
        *("policy", "policy_name", "policy_id", "model", "model_name", "model_id", "model_label"),
        *("method", "algo", "algorithm", "agent", "agent_name", *WEAK, *CHECKPOINTS),
    ),
    "trial": (
        *("trial", "trial_id", "episode", "episode_id", "episode_ix", "episode_idx"),
        *("episode_index", "rollout", "rollout_id", "trial_number", "trial_idx", "trial_#"),
    ),
    "score": (*PARTIAL, *SUCCESS, *RETURN, *VERDICT),
    "success": (
        *("success", "is_success", "binary_success", "success_once", "task_success"),
        *("correct", "is_correct", "solved", "resolved", "passed"),
    ),
    "block": (
        *("block", "block_id", "paired_block", "session", "session_id"),
        *("environment", "scene", "scene_id", "scenario", "scenario_index"),
        *("initial_condition", "env_seed", "scene_seed", "eval_seed", "init_state"),
        *("initial_state", "init_state_id", "init_idx", "pair_id", "seed"),
    ),
    "seed": (
        *("train_seed", "training_seed", "model_seed", "seed_train"),
        *("training_run", "train_run", "run", "run_id"),
    ),
    "step": (*STEPS, *RISING, *CHECKPOINTS),
    "time": ("time", "timestamp", "datetime", "started_at", "date"),
    "evaluator": ("evaluator", "evaluator_name", "operator", "rater"),
    "proxy": (),  # never guessed: whether it was fixed before the study no file tells
    "ignore": (),
}
ALL_NAMES = frozenset(
    name for role, names in NAMES.items() for name in names if role != "step" or name in CHECKPOINTS
)
# Within a longer name, such as "Robot policy".
POLICY_WORDS = frozenset(("policy", "model", "checkpoint", "ckpt"))
# Words in the name of an outcome that does not say whether more of it is better.
UNDIRECTED = frozenset(
    (
        *("time", "duration", "cost", "costs", "error", "errors", "steps", "timesteps"),
        *("distance", "loss", "collision", "collisions", "failure", "failures", "fail", "failed"),
        *("regret", "violation", "violations", "timeout", "timeouts", "penalty", "drops"),
        *("dropped", "falls", "crash", "crashes", "crashed", "intervention", "interventions"),
        *("jerk", "deviation", "rmse", "mse", "mae", "latency", "attempts", "retries", "resets"),
        *("energy", "effort", "force", "contacts", "length", "misses", "missed", "seconds"),
        *("damage", "deaths", "aborts", "aborted", "stops", "unsafe", "mistakes"),
    )
)
DIRECTED = frozenset(
    (
        *("success", "successes", "successful", "succeeded", "score", "scores", "progress"),
        *("completion", "completed", "credit", "reward", "rewards", "return", "returns", "rew"),
        *("correct", "solved", "resolved", "passed", "reached", "accuracy", "wins", "won"),
        *("result", "outcome", "verdict", "preference", "quality"),
    )
)
# Words in the names of outcomes, of partial credit first: nothing that a trial starts with.
CREDIT = frozenset(("score", "progress", "completion", "credit"))
OUTCOMES = DIRECTED | UNDIRECTED | {"subtasks", "free", "reason", "comment", "comments", "notes"}
# Words in the name of a column that says where a trial starts.
STARTS = frozenset(
    (
        *("seed", "scene", "init", "initial", "start", "pair", "layout", "instance", "scenario"),
        *("question", "problem", "doc", "prompt", "sample", "position", "pose", "configuration"),
    )
)
# What a column is called if the file begins with its first trial.
NO_NAME = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?(_duplicated_\d+)?")


@dataclass(frozen=True)
class Column:
    """A column of a file, the role that it plays (or none), and why."""

    name: str
    role: str
    why: str


@dataclass(frozen=True)
class Roles:
    """The columns of each role, and what has to be said about them."""

    columns: Mapping[str, tuple[str, ...]]
    guessed: frozenset[str]
    notes: Notes
    told: tuple[Column, ...]

    @property
    def used(self) -> frozenset[str]:
        """The columns that play some role."""
        return frozenset(name for names in self.columns.values() for name in names)


def usual_name(name: str) -> str:
    """Return a column's name as the usual names are written: small, with _ between words.

    What stands behind in brackets, as a unit or a range, is no part of it, nor is a question mark.
    """
    short = re.sub(r"\s*(\([^()]*\)|\[[^\[\]]*\]|[?:*])+$", "", name.strip()) or name.strip()
    return re.sub(r"[\s-]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", short)).lower()


def is_named(name: str, *roles: str) -> bool:
    """Whether a name is usual for one of the roles, whatever the column holds."""
    return any(usual_name(name) in NAMES[role] for role in roles)


def is_score_name(name: str) -> bool:
    """Whether a name is usual for a score, perhaps behind that of a group: "eval/success"."""
    return bool({usual_name(name), usual_name(re.split(r"[/.]", name)[-1])} & set(NAMES["score"]))


def words_of(name: str) -> frozenset[str]:
    """Return the words of a column's name."""
    return frozenset(re.split(r"[^a-z]+", usual_name(name)))


def sounds_like_outcome(name: str) -> bool:
    """Whether a column holds what came of a trial, by a word of its name."""
    return is_score_name(name) or bool(OUTCOMES & words_of(name))


def names_scores(name: str) -> bool:
    """Whether a name is usual for a list of scores: that of a score, perhaps of several."""
    short = usual_name(name)
    return any(short.removesuffix(end) in NAMES["score"] for end in ("", "s", "es", "_list"))


def is_policy(raw: RawTable, name: str, *, alone: bool = True) -> bool:
    """Whether a column has a usual name for policies, and values that fit it.

    Beside other files a column of conditions or variants does not name the policies.
    """
    short, values = usual_name(name), raw.frame[name]
    if short not in WEAK:
        return short in NAMES["policy"]
    is_number = values.cast(pl.Float64, strict=False).is_not_null().all()
    fits = not is_number and values.n_unique() < len(values)
    return fits and (short in RUNS or (alone and values.n_unique() > 1))


def resolve(raw: RawTable, reading: Reading, *, alone: bool = True) -> Roles:
    """Return the columns of each role, or raise if there is no score."""
    columns: dict[str, tuple[str, ...]] = {}
    guessed: dict[str, str] = {}
    why: dict[str, tuple[str, str]] = {}
    notes = Notes()
    for role in NAMES:
        chosen = reading.names(role)
        if chosen is not None:
            columns[role] = _present(raw, role, chosen)
            why |= dict.fromkeys(chosen, (role, "you said so"))
        elif role in raw.roles:
            name = raw.roles[role]
            columns[role] = (name,)
            why[name] = role, "the format defines it"
            if role == "score" and name != role:  # else it has no name of its own
                default = " (by default; ", Setting("score"), " chooses another)"
                notes.append(_read_note(role, name, *default, code="default"))
        elif role == "step" and reading.at is None:
            continue
        elif (found := _evidence(raw, role, columns, alone=alone)) is not None:
            columns[role], reason = found
            guessed[role] = reason
            why |= {name: (role, reason) for name in columns[role] if name not in why}
            notes.append(guess_note(role, "/".join(columns[role])))
    if "score" not in columns:
        raise _no_score(raw)
    if "policy" in guessed and "seed" in columns:
        _refuse_checkpoints_of_runs(raw, columns["policy"][0], columns["seed"][0])
    columns = {role: names for role, names in columns.items() if names}
    (score,) = columns["score"]
    if "score" in guessed:
        _tell_others(raw, score, notes)
    told = tuple(Column(name, *why.get(name, ("", _unused(name)))) for name in raw.frame.columns)
    return Roles(columns, frozenset(guessed), notes, told)


def _evidence(
    raw: RawTable, role: str, known: Mapping[str, tuple[str, ...]], *, alone: bool
) -> tuple[tuple[str, ...], str] | None:
    """Return the columns for which name and values speak, and how."""
    present = {usual_name(name): name for name in reversed(raw.frame.columns)}
    named = [present[name] for name in NAMES[role] if name in present]
    usual = "a usual name"
    if role == "score":
        inner = {usual_name(re.split(r"[/.]", name)[-1]): name for name in raw.frame.columns}
        named = [
            name
            for usual_one in NAMES["score"]
            for name in dict.fromkeys((present.get(usual_one), inner.get(usual_one)))
            if name is not None
        ]
        readable = [name for name in named if is_readable(raw, name)]
        found = next(iter(readable or named), None)
        _refuse_two_outcomes(raw, found)
        return None if found is None else ((found,), "a usual name, and values that are scores")
    if role == "policy":
        named = [name for name in named if is_policy(raw, name, alone=alone)]
        found = next(iter(named), None) or _about_policies(raw)
        return None if found is None else ((found,), usual)
    if role in ("seed", "step"):
        named = [name for name in named if name not in known.get("policy", ())]
    if role == "task" and len(named) > 1:
        return _tasks(raw, named), usual
    return ((named[0],), usual) if named else None


def _refuse_two_outcomes(raw: RawTable, found: str | None) -> None:
    """Raise if another column may be partial credit, which comes before success and return."""
    if found is None or {usual_name(found), usual_name(re.split(r"[/.]", found)[-1])} & {*PARTIAL}:
        return
    others = [
        name
        for name in raw.frame.columns
        if CREDIT & words_of(name) and not UNDIRECTED & words_of(name) and not is_score_name(name)
    ]
    others = [name for name in others if is_readable(raw, name)]
    if others:
        raise InvalidInput(
            f"{raw.source}: {found!r} and {names_listed(others)} may be what is to be compared: "
            "say which with ",
            Setting("score"),
            code="two-outcomes",
        )


def _refuse_checkpoints_of_runs(raw: RawTable, policy: str, run: str) -> None:
    """Raise if what would be policies are checkpoints, of which each of several runs has some."""
    if not {"checkpoint", "ckpt"} & words_of(policy):
        return
    each = raw.frame.group_by(run).agg(pl.col(policy).n_unique())
    if len(each) > 1 and bool((each[policy] > 1).all()):
        raise InvalidInput(
            f"{raw.source}: each training run in {run!r} has several checkpoints in {policy!r}: "
            "compare checkpoints with ",
            Setting("columns", {"policy": policy}),
            ", or runs with ",
            Setting("columns", {"policy": run}),
            code="which-rows",
        )


def _tasks(raw: RawTable, named: Sequence[str]) -> tuple[str, ...]:
    """Return the first column of tasks, below another one if its names recur there."""
    first, *others = named
    pairs = raw.frame.select(to_names(raw.frame[name]).alias(name) for name in named)
    for other in others:
        several = pairs.group_by(first).agg(pl.col(other).n_unique())[other]
        if pairs[other].n_unique() < pairs[first].n_unique() and bool((several > 1).any()):
            return other, first
    return (first,)


def numbers_in(raw: RawTable, column: pl.Series) -> pl.Series | None:
    """Return the numbers of a column without those that are missing; None if it holds others."""
    try:
        return to_numbers(column, partial(raw.error, column.name)).drop_nulls()
    except InvalidInput:
        return None


def is_readable(raw: RawTable, name: str) -> bool:
    """Whether some value of a column is a score."""
    column = raw.frame[name].drop_nulls().head(200)
    numbers = numbers_in(raw, column)
    if numbers is not None:
        return len(numbers) > 0
    some = (numbers_in(raw, pl.Series(name, [value])) for value in column.unique().head(20))
    return any(one is not None and len(one) > 0 for one in some)


def _tell_others(raw: RawTable, score: str, notes: Notes) -> None:
    """Say which other outcomes there are, and how to get them."""
    outcomes = [name for name in raw.frame.columns if name != score and sounds_like_outcome(name)]
    outcomes = [name for name in outcomes if raw.frame[name].null_count() < len(raw.frame)]
    directed = [name for name in outcomes if DIRECTED & words_of(name) or is_score_name(name)]
    if directed:
        text = f"{raw.source}: compared is {score!r}, not {names_listed(directed)}; "
        notes.add(text, Setting("score", directed[0]), " compares that", code="other-outcomes")


def _unused(name: str) -> str:
    return "another outcome" if sounds_like_outcome(name) else "no usual name"


def _about_policies(raw: RawTable) -> str | None:
    """Return the only column of texts that recur and whose name speaks of policies, or None."""
    found = []
    for name in raw.frame.columns:
        words, values = usual_name(name), raw.frame[name]
        if words in ALL_NAMES or not POLICY_WORDS.intersection(words.split("_")):
            continue
        numbers = values.cast(pl.Float64, strict=False).is_not_null().any()
        if not numbers and 1 < values.n_unique() <= len(values) / 2:
            found.append(name)
    return found[0] if len(found) == 1 else None


def direction_note(column: str, *, chosen: bool = False) -> Message | None:
    """Return the question whether less of a score is better, if its name does not say.

    A name that the user chose is known for a reason, or asked about; a guessed one is usual.
    """
    words = frozenset(re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", column).lower()))
    if "free" in words or not (UNDIRECTED & words or (chosen and not DIRECTED & words)):
        return None
    return Message(
        f"the name {column!r} does not say whether more of it is better: say ",
        Setting("lower_is_better", True),
        " or ",
        Setting("lower_is_better", False),
        code="direction-unknown",
    )


def guess_note(role: str, column: str) -> Message:
    """Return the note that the column of a role was guessed."""
    return _read_note(role, column, " (guessed)", code="guessed")


def _read_note(role: str, column: str, *how: str | Setting, code: str) -> Message:
    read = Setting("columns", {role: column}, words=f"{role} column: {column!r}")
    return Message(read, *how, code=f"{role}-column-{code}")


def _present(raw: RawTable, role: str, names: Iterable[str]) -> tuple[str, ...]:
    for name in names:
        if name not in raw.frame.columns:
            raise InvalidInput(
                f"{raw.source}: there is no column {name!r} for the {role}; "
                f"the columns are {listed(raw)}",
                code="no-such-column",
            )
    return tuple(names)


def _no_score(raw: RawTable) -> InvalidInput:
    numbers = [name for name in raw.frame.columns if NO_NAME.fullmatch(name.strip().lower())]
    why = f", since {no_header(numbers[0])}" if numbers else ""
    candidates = [name for name in raw.frame.columns if _may_be_score(raw, name)]
    return InvalidInput(
        f"{raw.source}: no column looks like a score{why}; name it with ",
        Setting("score"),
        *([f" (perhaps {names_listed(candidates[:4])})"] if candidates and not numbers else []),
        ", or name the columns that hold the scores of one policy each with ",
        Setting("policies"),
        f"; the columns are {listed(raw)}; usual names of a score are "
        f"{', '.join(('score', 'progress', 'success', 'solved', 'return', 'reward', 'result'))}",
        code="no-score-column",
    )


def _may_be_score(raw: RawTable, name: str) -> bool:
    """Whether a column holds nothing but 0 and 1 or words for them."""
    numbers = None if usual_name(name) in ALL_NAMES else numbers_in(raw, raw.frame[name])
    return numbers is not None and len(numbers) > 0 and bool(numbers.is_in([0.0, 1.0]).all())


def no_header(name: str) -> str:
    """Return why a column has no name, for messages."""
    return f"the first line holds the number {name!r} where a name should be (add a header line)"


def listed(raw: RawTable) -> str:
    """Return the names of the columns, for messages."""
    return names_listed(raw.frame.columns)
