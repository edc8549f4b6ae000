"""Which column means what, and why: by declaration, by format, or by evidence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from stopwise.data.names import (
    ALL_NAMES,
    CREDIT,
    DIRECTED,
    MEASURES,
    NAMES,
    NO_NAME,
    PARTIAL,
    POLICY_WORDS,
    RISING,
    RUNS,
    STEPS,
    SUITES,
    UNDIRECTED,
    WEAK,
    is_score_name,
    short_name,
    sounds_like_outcome,
    usual_name,
    words_of,
)
from stopwise.data.raw import RawTable, says
from stopwise.data.reading import Reading
from stopwise.data.typed_columns import holds_number, is_empty, numbers_in, to_names
from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Message, Notes, Setting, names_listed

# Words in the names of columns that number something.
NUMBERS = frozenset(("id", "idx", "index", "number"))
MOST_WORDS = 12  # a column of more words does not say how trials ended


@dataclass(frozen=True)
class Column:
    """A column of a file, the role that it plays (or none), and why."""

    name: str
    role: str
    why: str


@dataclass(frozen=True)
class Roles:
    """The columns of each role, and notes about them."""

    columns: Mapping[str, tuple[str, ...]]
    guessed: frozenset[str]
    notes: Notes
    explained: tuple[Column, ...]


def is_policy(raw: RawTable, name: str, *, alone: bool = True) -> bool:
    """Whether a column has a usual name for policies, and values that fit it."""
    short, values = usual_name(name), raw.frame[name]
    if short not in WEAK:
        return short in NAMES["policy"]
    is_number = values.cast(pl.Float64, strict=False).is_not_null().all()
    fits = not is_number and values.n_unique() < len(values)
    return fits and (short in RUNS or (alone and values.n_unique() > 1))


def resolve(raw: RawTable, reading: Reading, *, alone: bool = True) -> Roles:
    """Return the columns of each role, or raise if there is no score."""
    columns: dict[str, tuple[str, ...]] = {}
    guessed: set[str] = set()
    why: dict[str, tuple[str, str]] = {}
    notes = Notes()
    for role in NAMES:
        chosen, reason = reading.names(role), "you said so"
        if chosen is not None:
            _require_present(raw, role, chosen)
        elif role == "task" and raw.roles.get(role) in (reading.names("policy") or ()):
            continue  # what stands under unnamed keys is no task if it was said to be a policy
        elif role in raw.roles:
            chosen, reason = (raw.roles[role],), "the format defines it"
            if role == "score" and chosen != (role,):  # else it has no name of its own
                default = " (by default; ", Setting("score"), " chooses another)"
                notes.append(_read_note(role, chosen[0], *default, code="default"))
        elif role == "step" and reading.at is None:
            continue
        else:
            chosen = _evidence(raw, role, columns, alone=alone)
            reason = "a usual name" + ", and values that are scores" * (role == "score")
            if not chosen:
                continue
            guessed.add(role)
            notes.append(guess_note(role, "/".join(chosen)))
        columns[role] = chosen
        last = role not in guessed and role != "success"
        why |= {name: (role, reason) for name in chosen if last or name not in why}
    if "score" not in columns:
        raise _no_score(raw)
    if alone and "policy" not in columns and "task" not in reading.columns:
        _refuse_unnamed_keys(raw)
    if "policy" in guessed and "seed" in columns:
        _refuse_checkpoints_of_runs(raw, columns["policy"][0], columns["seed"][0])
    columns = {role: names for role, names in columns.items() if names}
    if "score" in guessed:
        _tell_others(raw, columns["score"][0], notes)
    explained = [Column(name, *why.get(name, ("", _unused(name)))) for name in raw.frame.columns]
    return Roles(columns, frozenset(guessed), notes, tuple(explained))


def _evidence(
    raw: RawTable, role: str, known: Mapping[str, tuple[str, ...]], *, alone: bool
) -> tuple[str, ...]:
    """Columns for which both name and values speak."""
    present = {usual_name(name): name for name in reversed(raw.frame.columns)}
    named = [present[name] for name in NAMES[role] if name in present]
    if role == "score":
        inner = {short_name(name): name for name in raw.frame.columns}
        both = [
            column
            for name in NAMES[role]
            for column in (present.get(name), inner.get(name))
            if column
        ]
        named = [name for name in both if holds_number(raw.frame[name])] or both
        _refuse_two_outcomes(raw, next(iter(named), None), known)
    if role in ("task", "policy"):  # what the format calls something else is neither
        named = [name for name in named if name not in raw.roles.values()]
    if role == "policy":
        named = [name for name in named if is_policy(raw, name, alone=alone)] or _of_policies(raw)
    if role in ("seed", "step"):
        named = [name for name in named if name not in known.get("policy", ())]
    if role == "task" and len(named) > 1:
        return _tasks(raw, named)
    return tuple(named[:1])


def _refuse_two_outcomes(
    raw: RawTable, chosen: str | None, known: Mapping[str, tuple[str, ...]]
) -> None:
    """Raise if another column may be partial credit, which comes before success and return."""
    if chosen is None or {usual_name(chosen), short_name(chosen)} & {*PARTIAL}:
        return
    others = [
        name
        for name in raw.frame.columns
        if CREDIT & words_of(name)
        and not UNDIRECTED & words_of(name)
        and not is_score_name(name)
        and holds_number(raw.frame[name])
    ]
    if others:
        which = f"{chosen!r} and {names_listed(others)} may be what is to be compared: say which "
        raise raw.refusal(which, "with ", Setting("score"))
    last = re.split(r" - |\.", chosen)[-1]
    runs = [name for name in raw.frame.columns if re.split(r" - |\.", name)[-1] == last]
    if len(runs) > 1 and last != chosen and "policy" not in known:
        raise raw.refusal(
            f"{names_listed(runs[:3])} hold one measure, perhaps each of another policy or run: "
            "compare columns as policies with ",
            Setting("policies", [BLANK]),
            ", or choose one with ",
            Setting("score"),
            "; for curves of runs, write a row for each run and step (pandas: melt)",
        )


def _refuse_unnamed_keys(raw: RawTable) -> None:
    """Raise if the only names under which results stand may be of tasks or of policies."""
    key = raw.roles.get("task", "")
    if not says(raw.notes, "keys-assumed") or not key or raw.frame[key].n_unique() < 2:
        return
    shown = names_listed(raw.frame[key].unique(maintain_order=True))
    raise raw.refusal(
        f"the results stand under {shown}: say what these are; ",
        Setting("columns", {"policy": key}),
        " policies, ",
        Setting("columns", {"task": key}),
        " tasks",
    )


def _refuse_checkpoints_of_runs(raw: RawTable, policy: str, run: str) -> None:
    """Raise if what would be policies are checkpoints, of which each of several runs has some."""
    each = raw.frame.group_by(run).agg(pl.col(policy).n_unique())[policy]
    if {"checkpoint", "ckpt"} & words_of(policy) and len(each) > 1 and bool((each > 1).all()):
        raise raw.refusal(
            f"each training run in {run!r} has several checkpoints in {policy!r}: compare "
            "checkpoints with ",
            Setting("columns", {"policy": policy}),
            ", or runs with ",
            Setting("columns", {"policy": run}),
        )


def _tasks(raw: RawTable, named: Sequence[str]) -> tuple[str, ...]:
    """Return the first column of tasks, below another one if its names recur or only number."""
    first, *others = named
    pairs = raw.frame.select(to_names(raw.frame[name]).alias(name) for name in named)
    numbers = pairs.select(pl.all().cast(pl.Int64, strict=False))
    for other in others:
        several = pairs.group_by(first).agg(pl.col(other).n_unique())[other]
        fewer = pairs[other].n_unique() < pairs[first].n_unique()
        numbered = not numbers[first].has_nulls() and numbers[other].has_nulls()
        recur = fewer and bool((several > 1).any())
        if recur or (numbered and SUITES & {usual_name(other)}):
            return other, first
    return (first,)


def _of_policies(raw: RawTable) -> list[str]:
    """Return the only column of texts that recur and whose name speaks of policies."""
    named = []
    for name in raw.frame.columns:
        words, values = usual_name(name), raw.frame[name]
        if words in ALL_NAMES or not POLICY_WORDS.intersection(words.split("_")):
            continue
        numbers = values.cast(pl.Float64, strict=False).is_not_null().any()
        if not numbers and 1 < values.n_unique() <= len(values) / 2:
            named.append(name)
    return named if len(named) == 1 else []


def _tell_others(raw: RawTable, score: str, notes: Notes) -> None:
    """Note on the other outcomes in the file, and how to select them."""
    names = [name for name in raw.frame.columns if name != score]
    empty = [name for name in names if is_score_name(name) and is_empty(raw.frame[name])]
    if empty:
        text = f"{raw.source}: no value in {names_listed(empty)}, so {score!r} is compared"
        notes.add(text, code="other-outcomes")
    names = [name for name in names if DIRECTED & words_of(name) or is_score_name(name)]
    others = [name for name in names if holds_number(raw.frame[name])]
    if others:
        text = f"{raw.source}: compared is {score!r}, not {names_listed(others)}; "
        notes.add(text, Setting("score", others[0]), " compares that", code="other-outcomes")


def _unused(name: str) -> str:
    return "another outcome" if sounds_like_outcome(name) else "no usual name"


def guess_note(role: str, column: str) -> Message:
    """Return the note that the column of a role was guessed."""
    return _read_note(role, column, " (guessed)", code="guessed")


def _read_note(role: str, column: str, *how: str | Setting, code: str) -> Message:
    read = Setting("columns", {role: column}, words=f"{role} column: {column!r}")
    return Message(read, *how, code=f"{role}-column-{code}")


def _require_present(raw: RawTable, role: str, names: Sequence[str]) -> None:
    for name in names:
        if name not in raw.frame.columns:
            text = f"there is no column {name!r} for the {role}; the columns are {raw.listed}"
            raise raw.refusal(text, code="no-such-column")


def _no_score(raw: RawTable) -> InvalidInput:
    numbers = [name for name in raw.frame.columns if NO_NAME.fullmatch(name.strip().lower())]
    why = f", since {no_header(numbers[0])}" if numbers else ""
    columns = [
        name
        for name in raw.frame.columns
        if usual_name(name) not in ALL_NAMES.union(STEPS, RISING) and not NUMBERS & words_of(name)
    ]
    candidates = [name for name in columns if _may_be_score(raw.frame[name])] or [
        name for name in columns if numbers_in(raw.frame[name]) is not None
    ]
    perhaps = f" (perhaps {names_listed(candidates[:4])})" if candidates and not numbers else ""
    measure = next((name for name in raw.frame.columns if usual_name(name) in MEASURES), None)
    one = ("; ", Setting("where", {measure: BLANK}), " reads one measure") if measure else ()
    return raw.refusal(
        f"no column looks like a score{why}; name it with ",
        Setting("score"),
        f"{perhaps}, or name the columns that hold the scores of one policy each with ",
        Setting("policies", [BLANK]),
        *one,
        f"; the columns are {raw.listed}; usual names of a score are score, progress, success, "
        "solved, return, reward, result",
        code="no-score-column",
    )


def _may_be_score(column: pl.Series) -> bool:
    """Whether a column holds nothing but 0 and 1, or numbers under the name of an outcome."""
    numbers = numbers_in(column)
    if numbers is None:
        return column.n_unique() <= MOST_WORDS and holds_number(column)
    if not len(numbers) or (len(numbers) > 1 and numbers.n_unique() == 1):
        return False
    return bool(DIRECTED & words_of(column.name)) or bool(numbers.is_in([0.0, 1.0]).all())


def no_header(name: str) -> str:
    """Why a column has no name, for messages."""
    return f"the first line holds the number {name!r} where a name should be (add a header line)"
