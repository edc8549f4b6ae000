"""Which column means what: as the user says, as the format defines, or guessed with a note."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput, require
from stopwise.messages import Message, Notes, Setting

# A column, several whose values together make the name, or None for "no such column".
ColumnChoice = str | Sequence[str] | None

RUNS = ("run_name", "run", "arm")
# Usual names, the likeliest first; partial credit comes before success, which it contains.
GUESSES: dict[str, tuple[str, ...]] = {
    "task": ("task", "task_name", "task_id", "env_id", "env_name"),
    "policy": (
        *("policy", "policy_name", "policy_id", "model", "model_name", "model_id"),
        *("method", "algo", "algorithm", "agent"),
        *("checkpoint", "ckpt", "checkpoint_path", "ckpt_path", "checkpoint_name"),
        *RUNS,
    ),
    "trial": (
        *("trial", "trial_id", "episode", "episode_id", "episode_ix", "episode_index"),
        *("rollout", "rollout_id", "trial_number"),
    ),
    "score": (
        *("score", "progress", "partial_success", "task_progress", "completion"),
        *("return", "episode_return", "reward", "episode_reward", "sum_reward"),
        *("success", "is_success", "binary_success", "succeeded", "success_rate"),
        *("result", "outcome"),
    ),
    "success": ("success", "is_success", "binary_success"),
    "block": (
        *("block", "block_id", "paired_block", "session", "session_id"),
        *("environment", "scene", "scene_id", "scenario", "scenario_index"),
        *("initial_condition", "env_seed", "seed"),
    ),
    "seed": (
        *("train_seed", "training_seed", "model_seed", "seed_train"),
        *("training_run", "train_run", "run", "run_id"),
    ),
    "time": ("time", "timestamp", "datetime", "started_at", "date"),
    "evaluator": ("evaluator", "evaluator_name", "operator", "rater"),
    "proxy": (),  # never guessed: whether it was fixed before the study no file tells
}
SCORE_NAMES = GUESSES["score"]
# Within a longer name, such as "Robot policy".
POLICY_WORDS = frozenset(("policy", "model", "checkpoint", "ckpt"))
# Words in the name of a score of which less is usually better.
USUALLY_LOWER = frozenset(
    (
        *("time", "duration", "cost", "costs", "error", "errors"),
        *("steps", "timesteps", "distance", "loss"),
    )
)
# What a column is called if the file begins with its first trial.
NO_NAME = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?(_duplicated_\d+)?")
ROLE_NAMES = frozenset(name for names in GUESSES.values() for name in names)
SINGLE = ("score", "success", "time", "proxy")


@dataclass(frozen=True)
class Roles:
    """The columns of each role, and what has to be said about them."""

    columns: Mapping[str, tuple[str, ...]]
    guessed: frozenset[str]
    notes: Notes


def usual_name(name: str) -> str:
    """Return a column's name as the usual names are written: small, with _ between words.

    What stands behind in brackets, as a unit or a range, is no part of it, nor is a question mark.
    """
    short = re.sub(r"\s*(\([^()]*\)|\[[^\[\]]*\]|[?:*])+$", "", name.strip()) or name.strip()
    return re.sub(r"[\s-]+", "_", short.lower())


def usual_role(name: str, role: str) -> bool:
    """Whether a name is usual for the role, whatever the column holds."""
    return usual_name(name) in GUESSES[role]


def names_scores(name: str) -> bool:
    """Whether a name is usual for a list of scores: that of a score, perhaps of several."""
    short = usual_name(name)
    return any(usual_role(short.removesuffix(end), "score") for end in ("", "s", "es", "_list"))


def is_usual(raw: RawTable, name: str, *roles: str) -> bool:
    """Whether a column has a usual name for one of the roles.

    A run may also be one trial: only names that come more than once are taken for policies. Beside
    a column of policies it is a training run, if anything.
    """
    short, values = usual_name(name), raw.frame[name]
    if short in RUNS and "seed" not in roles:
        is_number = values.cast(pl.Float64, strict=False).is_not_null().all()
        return "policy" in roles and not is_number and values.n_unique() < len(values)
    return any(short in GUESSES[role] for role in roles)


def require_columns(columns: Mapping[str, ColumnChoice]) -> None:
    """Raise unless the user's choice names known roles."""
    for role, choice in columns.items():
        given = Setting("columns", {role: choice})
        known = f": the role must be one of {', '.join(GUESSES)}, but got {role!r}"
        require(role in GUESSES, given, known, code="unknown-role")
        require(
            role not in SINGLE or choice is None or isinstance(choice, str),
            given,
            f" names several columns, but the {role} is one",
            code="one-column",
        )
    require(
        "score" not in columns or columns["score"] is not None,
        Setting("columns", {"score": None}),
        " leaves no score: name its column",
        code="no-score-column",
    )


def resolve(raw: RawTable, chosen: Mapping[str, ColumnChoice]) -> Roles:
    """Return the columns of each role: chosen, else defined by the format, else guessed."""
    present = {usual_name(name): name for name in reversed(raw.frame.columns)}
    columns: dict[str, tuple[str, ...]] = {}
    guessed: set[str] = set()
    notes = Notes()
    for role, usual in GUESSES.items():
        if role in chosen:
            columns[role] = _chosen(raw, role, chosen[role])
        elif role in raw.roles:
            columns[role] = (raw.roles[role],)
            if role == "score" and raw.roles[role] != role:  # else it has no name of its own
                default = " (by default; ", Setting("score"), " chooses another)"
                notes.append(_read_note(role, raw.roles[role], *default, code="default"))
        else:
            policies = columns.get("policy", ()) if role == "seed" else ()
            names = (
                present[name] for name in usual if name in present and present[name] not in policies
            )
            found = next((name for name in names if is_usual(raw, name, role)), None)
            if found is None and role == "policy":
                found = _about_policies(raw)
            if found is not None:
                columns[role] = (found,)
                guessed.add(role)
                notes.append(guess_note(role, found))
    if "score" not in columns:
        numbers = [name for name in raw.frame.columns if NO_NAME.fullmatch(name.strip().lower())]
        why = f", since {no_header(numbers[0])}" if numbers else ""
        raise InvalidInput(
            f"{raw.source}: no column looks like a score{why}; name it with ",
            Setting("score"),
            ", or name the columns that hold the scores of one policy each with ",
            Setting("policies"),
            f"; the columns are {listed(raw)}; usual names of a score are "
            f"{', '.join(GUESSES['score'])}",
            code="no-score-column",
        )
    known = {role: names for role, names in columns.items() if names}
    return Roles(known, frozenset(guessed), notes)


def _about_policies(raw: RawTable) -> str | None:
    """Return the only column of texts that recur and whose name speaks of policies, or None."""
    found = []
    for name in raw.frame.columns:
        words, values = usual_name(name), raw.frame[name]
        if words in ROLE_NAMES or not POLICY_WORDS.intersection(words.split("_")):
            continue
        numbers = values.cast(pl.Float64, strict=False).is_not_null().any()
        if not numbers and 1 < values.n_unique() <= len(values) / 2:
            found.append(name)
    return found[0] if len(found) == 1 else None


def lower_note(column: str) -> Message | None:
    """Return the note that less of such a score is usually better, or None."""
    words = re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", column).lower())
    if not USUALLY_LOWER.intersection(words):
        return None
    return Message(
        f"higher scores count as better; if less of {column!r} is better, say ",
        Setting("lower_is_better", True),
        code="maybe-lower",
    )


def guess_note(role: str, column: str) -> Message:
    """Return the note that the column of a role was guessed."""
    return _read_note(role, column, " (guessed)", code="guessed")


def _read_note(role: str, column: str, *how: str | Setting, code: str) -> Message:
    read = Setting("columns", {role: column}, words=f"{role} column: {column!r}")
    return Message(read, *how, code=f"{role}-column-{code}")


def _chosen(raw: RawTable, role: str, choice: ColumnChoice) -> tuple[str, ...]:
    names = () if choice is None else (choice,) if isinstance(choice, str) else tuple(choice)
    for name in names:
        if name not in raw.frame.columns:
            raise InvalidInput(
                f"{raw.source}: there is no column {name!r} for the {role}; "
                f"the columns are {listed(raw)}"
            )
    return names


def no_header(name: str) -> str:
    """Return why a column has no name, for messages."""
    return f"the first line holds the number {name!r} where a name should be"


def listed(raw: RawTable) -> str:
    """Return the names of the columns, for messages."""
    return ", ".join(map(repr, raw.frame.columns))
