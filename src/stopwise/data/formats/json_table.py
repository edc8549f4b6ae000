"""Plain JSON: the outermost records that have an outcome, or scores by task and policy."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from stopwise.data.formats.json_file import load_json
from stopwise.data.formats.text_file import Head
from stopwise.data.frames import raw_of_array, raw_of_arrays
from stopwise.data.names import (
    ALL_NAMES,
    CREDIT,
    RISING,
    STEPS,
    UNDIRECTED,
    is_named,
    is_score_name,
    names_scores,
    sounds_like_outcome,
    words_of,
)
from stopwise.data.names import usual_name as usual
from stopwise.data.raw import RawTable, flattened, table_of_records
from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Notes, Setting

name = "json"
# Objects whose keys name policies or tasks.
LEVELS = {
    **dict.fromkeys(("policies", "methods", "models", "agents", "algorithms"), "policy"),
    **dict.fromkeys(("tasks", "envs", "environments", "suites"), "task"),
}
# Names of lists that hold the results, and say neither task nor policy.
WRAPPERS = frozenset(
    (
        *("data", "episodes", "evaluations", "records", "results", "rollouts", "trials"),
        *("samples", "simulations", *LEVELS),
    )
)
# Words in the names of what stands within one trial.
WITHIN = frozenset(
    ("history", "trajectory", "traj", "steps", "turns", "frames", "messages", "actions", "logs")
)
OF_TRIALS = frozenset(("episode", "trial", "rollout"))
KEY, ITEM = "key{}", "item"
ABOUT = "task", "policy", "seed", "block", "evaluator", "time"
# How keys look that say which training run, task, trial or checkpoint it is.
OF_ROLES = {
    "seed": re.compile(r"(train(ing)?_)?seeds?[ _-]?\d+|run[ _-]?\d+", re.IGNORECASE),
    "task": re.compile(r"(task|env|suite)s?[ _-]?\d+", re.IGNORECASE),
    "trial": re.compile(r"(episode|ep|trial|rollout)s?[ _-]?\d+", re.IGNORECASE),
    "step": re.compile(
        r"(steps?|ckpt|checkpoint|epoch|iter(ation)?|update)s?[ _-]?\d+[km]?|\d+0", re.IGNORECASE
    ),
}
# Fewer numbers beside plain facts are hardly the scores of a policy.
LEAST_SCORES = 5
NUMBERED = re.compile(r"(?P<stem>.*\D)(?P<number>\d+)")
# How JSON goes on after its first sign; a log may begin with "[INFO]".
JSON = re.compile(r'\s*(\{\s*("|\}|$)|\[\s*([\[{"tfnN]|-?[\d.]+([eE][-+]?\d+)?\s*([,\]]|$)|\]|$))')

Record = dict[str, Any]


class Found(NamedTuple):
    """A record, the keys above it, where it stands, and how it looks like a trial.

    Its rank is 2 if it has an outcome or is a bare score, 0 if not, and one more in a list that is
    named as one of trials.
    """

    keys: tuple[str, ...]
    place: str
    record: Record
    rank: int


def recognise(head: Head) -> bool:
    """Whether it begins as JSON does, and is not one object per line."""
    if not JSON.match(head.first_line):
        return False
    try:
        first = json.loads(head.first_line)
    except json.JSONDecodeError:
        return True
    alone = sum(1 for line in head.lines if line.strip()) == 1
    single = isinstance(first, dict) and alone and head.suffix == ".json"
    nested = isinstance(first, dict) and any(isinstance(v, dict | list) for v in first.values())
    return isinstance(first, list) or single or (nested and alone)


def read(head: Head) -> RawTable:
    """Return all fields of all records; names under which records stand become columns."""
    path, content = head.path, load_json(head)
    rows = content if isinstance(content, list) and content else []
    if _is_scores(content) or (rows and all(map(_is_scores, rows))):
        lengths = sorted({len(row) for row in rows}) if not _is_scores(content) else [1]
        if len(lengths) > 1:
            raise InvalidInput(f"{path}: rows of scores must be equally long, but got {lengths}")
        return raw_of_array(np.asarray(content), str(path))
    inner = _unwrapped(content)
    if isinstance(inner, dict) and inner and _is_columns(inner):
        return raw_of_arrays(inner, {}, str(path))
    every = list(_records(content, (), {}, ""))
    if not every:
        text = f"{path}: there are no records or lists of scores in it"
        raise InvalidInput(text, code="no-records")
    best = max(entry.rank for entry in every)
    entries = _under_suites([entry for entry in every if entry.rank == best])
    names = _names_of_levels(entries)
    roles, notes = _roles(str(path), [entry.record for entry in entries], names)
    named = [
        (entry.place, {**dict(zip(names, entry.keys, strict=False)), **entry.record})
        for entry in entries
    ]
    return table_of_records(path, named, roles=roles, bounds={}, notes=notes)


def _names_of_levels(entries: list[Found]) -> list[str]:
    """Column names of the keys: a role where all values look like it."""
    fields = {usual(field) for entry in entries for field in entry.record}
    names: list[str] = []
    for level in range(max(len(entry.keys) for entry in entries)):
        every = [entry.keys[level] for entry in entries if len(entry.keys) > level]
        keys = set(every)
        if len(every) >= LEAST_SCORES and len(keys) == len(every) and ITEM not in fields:
            names.append(ITEM)  # each has one trial, as a question or a scene has
            continue
        roles = [role for role, form in OF_ROLES.items() if all(map(form.fullmatch, keys))]
        roles = [role for role in roles if role not in {*fields, *names} and len(keys) > 1]
        names.append(roles[0] if roles else KEY.format(level + 1))
    return names


def _under_suites(entries: list[Found]) -> list[Found]:
    """Return records with one key of two where the lower ones recur nowhere: tasks of suites."""
    lower: dict[str, set[str]] = {}
    for entry in entries:
        if len(entry.keys) != 2:
            return entries
        lower.setdefault(entry.keys[0], set()).add(entry.keys[1])
    if len(lower) < 2 or set.intersection(*lower.values()):
        return entries
    return [entry._replace(keys=("/".join(entry.keys),)) for entry in entries]


def _unwrapped(content: Any) -> Any:
    """The value under "results" or a similar key, unless its neighbours describe it."""
    if not isinstance(content, dict):
        return content
    held = [key for key, value in content.items() if _holds_results(value)]
    plain = [key for key, value in content.items() if not isinstance(value, dict | list)]
    named = any(usual(key) in ALL_NAMES for key in plain)
    if len(held) == 1 and held[0].lower() in WRAPPERS and not named:
        return content[held[0]]
    return content


def _is_scores(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(item, bool | int | float) for item in value)
    )


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(v, dict) for v in value)


def _is_columns(content: Record) -> bool:
    """Whether the object holds lists of scores only, or the columns of a table."""
    if all(map(_is_scores, content.values())):
        return True
    plain = all(
        isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)
        for value in content.values()
    )
    return plain and any(usual(key) in ALL_NAMES for key in content)


def _records(
    node: Any, keys: tuple[str, ...], shared: Record, place: str, level: str = ""
) -> Iterator[Found]:
    """Yield every record with the keys above it; plain values beside a list hold for all of it.

    Keys of an object that is called after a role, as ``level`` says, are of that role. What stands
    within a record that has an outcome are its steps and details, never trials.
    """
    if isinstance(node, list):
        for index, item in enumerate(node):
            where = f"{place}[{index}]"
            if isinstance(item, dict):
                yield from _records(item, keys, shared, where)
            else:
                yield Found(keys, where, {**shared, "score": item}, 2)
    elif isinstance(node, dict):
        if level and all(isinstance(value, dict | list) for value in node.values()):
            for key, value in node.items():
                yield from _records(value, keys, {**shared, level: key}, f"{place}.{key}")
            return
        by_names = _told_by_names(node, keys, shared, place)
        yield from _below(node, keys, shared, place) if by_names is None else by_names


def _told_by_names(
    node: Record, keys: tuple[str, ...], shared: Record, place: str
) -> list[Found] | None:
    """Return the trials of an object whose fields are named after them or hold their scores."""
    if _maps_records(node):
        return [
            Found((*keys, key), f"{place}.{key}".lstrip("."), {**shared, **flattened(value)}, 2)
            for key, value in node.items()
        ]
    if numbered := _numbered(node):
        return [
            Found(keys, f"{place}.{stem}{number}".lstrip("."), {**shared, **record}, 2)
            for stem, number, score in numbered
            for record in [{"split": stem, "number": number, "score": score}]
        ]
    if _is_map(node):
        return [
            Found(keys, f"{place}.{key}".lstrip("."), {**shared, ITEM: key, "score": score}, 2)
            for key, score in node.items()
        ]
    scores = _list_of_scores(node)
    if scores is None or any(map(_is_records, node.values())):
        return None
    return list(_of_lists(node, scores, keys, shared, place))


def _below(node: Record, keys: tuple[str, ...], shared: Record, place: str) -> Iterator[Found]:
    """Yield an object as a record, or the records below it."""
    inside = any(_has_trials(key, value) for key, value in node.items())
    listed = _holds_trials(re.split(r"[.\[]", place)[-2:][0])
    if not inside and _has_outcome(node):
        yield Found(keys, place or "the object", {**shared, **flattened(node)}, 2 + listed)
        return
    inner = _inner(node)
    facts = {key: v for key, v in node.items() if key not in inner}
    if inside:  # sums of the trials below are no facts about each of them
        facts = {k: v for k, v in facts.items() if isinstance(v, str) or is_named(k, *ABOUT)}
    record = {**shared, **flattened(facts)}
    if not inner:
        yield Found(keys, place or "the object", record, int(listed))
        return
    record = {key: value for key, value in record.items() if not isinstance(value, list)}
    for key, value in inner.items():
        deeper = keys if _holds_trials(key) else (*keys, key)
        level = LEVELS.get(key.lower(), "")
        yield from _records(value, deeper, record, f"{place}.{key}" if place else key, level)


def _inner(node: Record) -> Record:
    """Entries of an object that may hold trials; lists of numbers only if nothing else does."""
    inner = {
        key: value
        for key, value in ({} if _curve(node) else node).items()
        if _holds_results(value) and not WITHIN & words_of(key)
    }
    named = {key: value for key, value in inner.items() if not _is_scores(value)}
    inner = {key: value for key, value in inner.items() if not UNDIRECTED & words_of(key)}
    if named or any(key.lower() in WRAPPERS for key in inner):
        return named or inner
    facts = [value for value in node.values() if not isinstance(value, dict | list)]
    return inner if _are_policies(inner, facts) else {}


def _list_of_scores(node: Record) -> str | None:
    """Return the list that holds the scores of trials, unless the object itself is a trial."""
    lists = [key for key in node if _is_scores(node[key])]
    facts = {key: value for key, value in node.items() if not (lists and "rate" in words_of(key))}
    if _has_outcome(facts):
        return None
    named = [key for key in lists if names_scores(key) or CREDIT & words_of(key)]
    return min(named, key=lambda key: not names_scores(key), default=None)


def _is_map(node: Record) -> bool:
    """Whether an object holds nothing but 0 and 1, under the names of many things to do."""
    return len(node) >= LEAST_SCORES and all(
        isinstance(value, bool | int | float) and value in (0, 1) and not is_score_name(key)
        for key, value in node.items()
    )


def _maps_records(node: Record) -> bool:
    """Whether an object names records of one kind with outcomes, such as episodes by number."""
    values = list(node.values())
    if len(values) < 2 or not all(isinstance(value, dict) for value in values):
        return False
    if any(_is_records(inner) for value in values for inner in value.values()):
        return False
    alike = len({frozenset(value) for value in values}) == 1 and _has_outcome(values[0])
    return alike and _list_of_scores(values[0]) is None and not _maps_records(values[0])


def _numbered(node: Record) -> list[tuple[str, int, float]]:
    """Return the scores of an object with one under each number: "test/max_reward_100000"."""
    columns = []
    for key, value in node.items():
        parts = NUMBERED.fullmatch(key)
        if parts and isinstance(value, bool | int | float) and sounds_like_outcome(parts["stem"]):
            columns.append((parts["stem"], int(parts["number"]), float(value)))
    stems = [stem for stem, _, _ in columns]
    return [column for column in columns if stems.count(column[0]) >= LEAST_SCORES]


def _are_policies(lists: Record, facts: list[object]) -> bool:
    """Whether lists of numbers beside plain facts are scores: of several, and many or 0 and 1."""
    scores: list[Any] = list(lists.values())
    enough = all(len(values) >= LEAST_SCORES or {*values} <= {0, 1} for values in scores)
    return not facts or (len(scores) > 1 and enough)


def _of_lists(
    node: Record, scores: str, keys: tuple[str, ...], shared: Record, place: str
) -> Iterator[Found]:
    """Yield a record per entry of a list of scores, with the entries of lists as long."""
    values: Any = node[scores]
    lists = {k: v for k, v in node.items() if isinstance(v, list) and len(v) == len(values)}
    plain = {k: v for k, v in node.items() if not isinstance(v, list)}
    for index, score in enumerate(values):
        entries = {key: cells[index] for key, cells in lists.items() if key != scores}
        record = {**shared, **plain, **entries, "score": score}
        yield Found(keys, f"{place}.{scores}[{index}]".lstrip("."), record, 2)


def _has_outcome(node: Record) -> bool:
    return any(_is_outcome(key, value) for key, value in flattened(node).items())


def _is_outcome(key: str, value: object) -> bool:
    return is_score_name(key) and isinstance(value, bool | int | float | str)


def _has_trials(key: str, value: object) -> bool:
    """Whether a list of records with outcomes stands there, or below, under a name for trials."""
    if isinstance(value, dict):
        return _maps_records(value) or any(
            _has_trials(name, below) for name, below in value.items()
        )
    if not isinstance(value, list) or not _holds_trials(key):
        return False
    return any(_has_outcome(below) for below in value[:5] if isinstance(below, dict))


def _holds_trials(key: str) -> bool:
    """Whether an object calls a list "results", "task_results", "per_episode" or the like."""
    return bool(WRAPPERS & {key.lower(), *words_of(key)} | {*words_of(key)} & OF_TRIALS)


def _curve(node: Record) -> bool:
    """Whether a record holds a learning curve: steps, and values as long."""
    lists = {usual(key): value for key, value in node.items() if _is_scores(value)}
    return len(lists) == 2 and any(key in ("xs", "x", *STEPS, *RISING) for key in lists)


def _holds_results(value: Any) -> bool:
    """Whether a value is a list of records or of scores, or an object of such."""
    if isinstance(value, dict):
        held = any(isinstance(inner, dict | list) and inner for inner in value.values())
        return held or _is_map(value)
    return (_is_scores(value) and not _numbers_things(value)) or _is_records(value)


def _numbers_things(values: list[Any]) -> bool:
    """Whether a list holds the numbers of episodes, seeds or steps: each greater than the last."""
    whole = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    return whole and len(values) > 2 and all(one < other for one, other in pairwise(values))


def _roles(path: str, records: list[Record], names: list[str]) -> tuple[dict[str, str], Notes]:
    """Meaning of the keys above the records that say nothing themselves: tasks, then policies."""
    known = {usual(field) for record in records for field in record} & ALL_NAMES | {*names}
    free = [role for role in ("task", "policy") if not any(is_named(n, role) for n in known)]
    keys = [name for name in names if name != ITEM and name not in OF_ROLES]
    if not keys or not free:
        return {}, Notes()
    roles = dict(zip(free[:: -1 if len(keys) < len(names) else 1], keys, strict=False))
    meant = " and ".join(f"{key!r} the {role}" for role, key in roles.items())
    notes = Notes()
    notes.add(
        f"{path}: of the names under which the results stand, {meant} is assumed; choose with ",
        Setting("columns", {"policy": BLANK}),
        code="keys-assumed",
    )
    return roles, notes
