"""Which column means what, and why: as the user says, as the format defines, or by evidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

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
from stopwise.data.raw import RawTable
from stopwise.data.reading import Reading
from stopwise.data.typed_columns import holds_number, is_empty, to_names, to_numbers
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
    """The columns of each role, and what has to be said about them."""

    columns: Mapping[str, tuple[str, ...]]
    guessed: frozenset[str]
    notes: Notes
    told: tuple[Column, ...]

    @property
    def used(self) -> frozenset[str]:
        """The columns that play some role."""
        return frozenset(name for names in self.columns.values() for name in names)


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
        elif role == "task" and raw.roles.get(role) in (reading.names("policy") or ()):
            continue  # what stands under unnamed keys is no task if it was said to be a policy
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
    if alone and "policy" not in columns and "task" not in reading.columns:
        _refuse_unnamed_keys(raw)
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
    if role in ("task", "policy"):  # what the format calls something else is neither
        named = [name for name in named if name not in raw.roles.values()]
    usual = "a usual name"
    if role == "score":
        inner = {short_name(name): name for name in raw.frame.columns}
        named = [
            name
            for usual_one in NAMES["score"]
            for name in dict.fromkeys((present.get(usual_one), inner.get(usual_one)))
            if name is not None
        ]
        readable = [name for name in named if holds_number(raw.frame[name])]
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
    if found is None or {usual_name(found), short_name(found)} & {*PARTIAL}:
        return
    others = [
        name
        for name in raw.frame.columns
        if CREDIT & words_of(name) and not UNDIRECTED & words_of(name) and not is_score_name(name)
    ]
    others = [name for name in others if holds_number(raw.frame[name])]
    if others:
        raise InvalidInput(
            f"{raw.source}: {found!r} and {names_listed(others)} may be what is to be compared: "
            "say which with ",
            Setting("score"),
            code="two-outcomes",
        )


def _refuse_unnamed_keys(raw: RawTable) -> None:
    """Raise if the only names under which results stand may be of tasks or of policies."""
    key = raw.roles.get("task", "")
    if not key.startswith("key") or raw.frame[key].n_unique() < 2:
        return
    shown = names_listed(raw.frame[key].unique(maintain_order=True))
    raise InvalidInput(
        f"{raw.source}: the results stand under {shown}: say what these are; ",
        Setting("columns", {"policy": key}),
        " policies, ",
        Setting("columns", {"task": key}),
        " tasks",
        code="which-keys",
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
    """Return the first column of tasks, below another one if its names recur or only number."""
    first, *others = named
    pairs = raw.frame.select(to_names(raw.frame[name]).alias(name) for name in named)
    for other in others:
        several = pairs.group_by(first).agg(pl.col(other).n_unique())[other]
        numbers = pairs[first].cast(pl.Int64, strict=False).null_count() == 0
        names = pairs[other].cast(pl.Int64, strict=False).null_count() > 0
        fewer = pairs[other].n_unique() < pairs[first].n_unique()
        if (fewer and bool((several > 1).any())) or (
            numbers and names and SUITES & {usual_name(other)}
        ):
            return other, first
    return (first,)


def numbers_in(raw: RawTable, column: pl.Series) -> pl.Series | None:
    """Return the numbers of a column without those that are missing; None if it holds others."""
    try:
        return to_numbers(column, partial(raw.error, column.name)).drop_nulls()
    except InvalidInput:
        return None


def _tell_others(raw: RawTable, score: str, notes: Notes) -> None:
    """Note on the other outcomes in the file, and how to select them."""
    outcomes = [name for name in raw.frame.columns if name != score and sounds_like_outcome(name)]
    outcomes = [name for name in outcomes if holds_number(raw.frame[name])]
    empty = [n for n in raw.frame.columns if is_score_name(n) and is_empty(raw.frame[n])]
    if empty:
        text = f"{raw.source}: no value in {names_listed(empty)}, so {score!r} is compared"
        notes.add(text, code="other-outcomes")
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
    columns = [
        name
        for name in raw.frame.columns
        if usual_name(name) not in ALL_NAMES.union(STEPS, RISING) and not NUMBERS & words_of(name)
    ]
    candidates = [name for name in columns if _may_be_score(raw, name)] or [
        name for name in columns if numbers_in(raw, raw.frame[name]) is not None
    ]
    measure = next((name for name in raw.frame.columns if usual_name(name) in MEASURES), None)
    one = ("; ", Setting("where", {measure: BLANK}), " reads one measure") if measure else ()
    return InvalidInput(
        f"{raw.source}: no column looks like a score{why}; name it with ",
        Setting("score"),
        *([f" (perhaps {names_listed(candidates[:4])})"] if candidates and not numbers else []),
        ", or name the columns that hold the scores of one policy each with ",
        Setting("policies", [BLANK]),
        *one,
        f"; the columns are {listed(raw)}; usual names of a score are "
        f"{', '.join(('score', 'progress', 'success', 'solved', 'return', 'reward', 'result'))}",
        code="no-score-column",
    )


def _may_be_score(raw: RawTable, name: str) -> bool:
    """Whether a column holds nothing but 0 and 1, or numbers under the name of an outcome."""
    numbers = numbers_in(raw, raw.frame[name])
    if numbers is None:
        return raw.frame[name].n_unique() <= MOST_WORDS and holds_number(raw.frame[name])
    if not len(numbers):
        return False
    if len(numbers) > 1 and numbers.n_unique() == 1:
        return False
    return bool(DIRECTED & words_of(name)) or bool(numbers.is_in([0.0, 1.0]).all())


def no_header(name: str) -> str:
    """Return why a column has no name, for messages."""
    return f"the first line holds the number {name!r} where a name should be (add a header line)"


def listed(raw: RawTable) -> str:
    """Return the names of the columns, for messages."""
    return names_listed(raw.frame.columns)
