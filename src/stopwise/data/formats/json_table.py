"""Plain JSON: the outermost records that have an outcome, or scores by task and policy."""

import json
import re
from collections.abc import Iterator, Mapping
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
from stopwise.errors import require
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
ITEM = "item"
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


class Above(NamedTuple):
    """What holds for all that stands below a node: keys, plain values beside lists, its place."""

    keys: tuple[str, ...] = ()
    shared: Mapping[str, Any] = {}
    place: str = ""

    def below(self, place: str, *keys: str, **shared: Any) -> "Above":
        return Above((*self.keys, *keys), {**self.shared, **shared}, self.place + place)

    def found(self, place: str, record: Record, rank: int = 2) -> Found:
        where = (self.place + place).lstrip(".") or "the object"
        return Found(self.keys, where, {**self.shared, **record}, rank)


def recognise(head: Head) -> bool:
    """Whether it begins as JSON does, and is not one object per line."""
    if not JSON.match(head.first_line):
        return False
    try:
        first = json.loads(head.first_line)
    except json.JSONDecodeError:
        return True
    alone = sum(1 for line in head.lines if line.strip()) == 1
    if isinstance(first, dict):
        nested = any(isinstance(value, dict | list) for value in first.values())
        return alone and (nested or head.suffix == ".json")
    return isinstance(first, list)


def read(head: Head) -> RawTable:
    """Return all fields of all records; names under which records stand become columns."""
    path, content = head.path, load_json(head)
    rows = [content] if _is_scores(content) else content
    if isinstance(rows, list) and rows and all(map(_is_scores, rows)):
        lengths = sorted({len(row) for row in rows})
        require(
            len(lengths) == 1, f"{path}: rows of scores must be equally long, but got {lengths}"
        )
        return raw_of_array(np.asarray(content), str(path))
    inner = _unwrapped(content)
    if isinstance(inner, dict) and inner and _is_columns(inner):
        return raw_of_arrays(inner, {}, str(path))
    every = list(_records(content, Above()))
    text = f"{path}: there are no records or lists of scores in it"
    require(bool(every), text, code="no-records")
    best = max(placed.rank for placed in every)
    kept = _under_suites([placed for placed in every if placed.rank == best])
    names = _names_of_levels(kept)
    roles, notes = _roles(str(path), [placed.record for placed in kept], names)
    named = [
        (placed.place, {**dict(zip(names, placed.keys, strict=False)), **placed.record})
        for placed in kept
    ]
    return table_of_records(path, named, roles=roles, bounds={}, notes=notes)


def _names_of_levels(records: list[Found]) -> list[str]:
    """Column names of the keys: a role where all values look like it."""
    fields = {usual(field) for placed in records for field in placed.record}
    names: list[str] = []
    for level in range(max(len(placed.keys) for placed in records)):
        every = [placed.keys[level] for placed in records if len(placed.keys) > level]
        keys = set(every)
        if len(every) >= LEAST_SCORES and len(keys) == len(every) and ITEM not in fields:
            names.append(ITEM)  # each has one trial, as a question or a scene has
            continue
        roles = [role for role, form in OF_ROLES.items() if all(map(form.fullmatch, keys))]
        roles = [role for role in roles if role not in {*fields, *names} and len(keys) > 1]
        names.append(roles[0] if roles else f"key{level + 1}")
    return names


def _under_suites(records: list[Found]) -> list[Found]:
    """Return records with one key of two where the lower ones recur nowhere: tasks of suites."""
    lower: dict[str, set[str]] = {}
    for placed in records:
        if len(placed.keys) != 2:
            return records
        lower.setdefault(placed.keys[0], set()).add(placed.keys[1])
    if len(lower) < 2 or set.intersection(*lower.values()):
        return records
    return [placed._replace(keys=("/".join(placed.keys),)) for placed in records]


def _unwrapped(content: Any) -> Any:
    """The value under "results" or a similar key, unless its neighbours describe it."""
    if not isinstance(content, dict):
        return content
    held = [key for key, value in content.items() if _holds_results(value)]
    plain = [key for key, value in content.items() if not isinstance(value, dict | list)]
    named = any(usual(key) in ALL_NAMES for key in plain)
    return (
        content[held[0]]
        if len(held) == 1 and held[0].lower() in WRAPPERS and not named
        else content
    )


def _is_number(value: object) -> bool:
    return isinstance(value, bool | int | float)


def _is_scores(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(map(_is_number, value))


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(v, dict) for v in value)


def _is_columns(content: Record) -> bool:
    """Whether the object holds lists of scores only, or the columns of a table."""
    plain = all(
        isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)
        for value in content.values()
    )
    named = plain and any(usual(key) in ALL_NAMES for key in content)
    return named or all(map(_is_scores, content.values()))


def _records(node: Any, above: Above, level: str = "") -> Iterator[Found]:
    """Yield every record below a node.

    Keys of an object that is called after a role, as ``level`` says, are of that role. What stands
    within a record that has an outcome are its steps and details, never trials.
    """
    if isinstance(node, list):
        yield from _of_list(node, above)
    elif level and all(isinstance(value, dict | list) for value in node.values()):
        for key, value in node.items():
            yield from _records(value, above.below(f".{key}", **{level: key}))
    else:
        by_names = _told_by_names(node, above)
        yield from _below(node, above) if by_names is None else by_names


def _of_list(node: list[Any], above: Above) -> Iterator[Found]:
    """Yield the records of a list: where some are trials, so are those that lack their outcome."""
    parts = [
        list(_records(item, above.below(f"[{index}]")))
        if isinstance(item, dict)
        else [above.found(f"[{index}]", {"score": item})]
        for index, item in enumerate(node)
    ]
    own = [above.found(f"[{index}]", {}).place for index in range(len(node))]
    trials = [
        part[0]
        for place, part in zip(own, parts, strict=True)
        if [place] == [f.place for f in part]
    ]
    rank = max((trial.rank for trial in trials), default=0)
    for index, (item, part) in enumerate(zip(node, parts, strict=True)):
        if all(found.rank < rank for found in part):
            yield above.found(f"[{index}]", flattened(item), rank)
        else:
            yield from part


def _told_by_names(node: Record, above: Above) -> list[Found] | None:
    """Return the trials of an object whose fields are named after them or hold their scores."""
    if _maps_records(node):
        return [
            above.below(f".{key}", key).found("", flattened(value)) for key, value in node.items()
        ]
    if numbered := _numbered(node):
        return [
            above.found(f".{stem}{number}", {"split": stem, "number": number, "score": score})
            for stem, number, score in numbered
        ]
    if _is_map(node):
        items = node.items()
        return [above.found(f".{key}", {ITEM: key, "score": score}) for key, score in items]
    scores = _list_of_scores(node)
    if scores is None or any(map(_is_records, node.values())):
        return None
    return list(_of_lists(node, scores, above))


def _below(node: Record, above: Above) -> Iterator[Found]:
    """Yield an object as a record, or the records below it."""
    inside = any(_has_trials(key, value) for key, value in node.items())
    listed = _holds_trials(re.split(r"[.\[]", above.place)[-2:][0])
    if not inside and _has_outcome(node):
        yield above.found("", flattened(node), 2 + listed)
        return
    inner = _inner(node)
    facts = {key: v for key, v in node.items() if key not in inner}
    if inside:  # sums of the trials below are no facts about each of them
        facts = {k: v for k, v in facts.items() if isinstance(v, str) or is_named(k, *ABOUT)}
    plain = flattened(facts)
    if not inner:
        yield above.found("", plain, int(listed))
        return
    above = above.below("", **{k: v for k, v in plain.items() if not isinstance(v, list)})
    for key, value in inner.items():
        keys = () if _holds_trials(key) else (key,)
        yield from _records(value, above.below(f".{key}", *keys), LEVELS.get(key.lower(), ""))


def _inner(node: Record) -> Record:
    """Entries of an object that may hold trials; lists of numbers only if nothing else does.

    Lists of numbers beside plain facts are scores if there are several, and many or 0 and 1.
    """
    inner = {
        key: value
        for key, value in ({} if _curve(node) else node).items()
        if _holds_results(value) and not WITHIN & words_of(key)
    }
    named = {key: value for key, value in inner.items() if not _is_scores(value)}
    inner = {key: value for key, value in inner.items() if not UNDIRECTED & words_of(key)}
    if named or any(key.lower() in WRAPPERS for key in inner):
        return named or inner
    alone = all(isinstance(value, dict | list) for value in node.values())
    enough = all(len(scores) >= LEAST_SCORES or {*scores} <= {0, 1} for scores in inner.values())
    return inner if alone or (len(inner) > 1 and enough) else {}


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
        _is_number(value) and value in (0, 1) and not is_score_name(key)
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
    parts = [(NUMBERED.fullmatch(key), value) for key, value in node.items() if _is_number(value)]
    numbered = [
        (match["stem"], int(match["number"]), float(value))
        for match, value in parts
        if match and sounds_like_outcome(match["stem"])
    ]
    stems = [stem for stem, _, _ in numbered]
    return [match for match in numbered if stems.count(match[0]) >= LEAST_SCORES]


def _of_lists(node: Record, scores: str, above: Above) -> Iterator[Found]:
    """Yield a record per entry of a list of scores, with the entries of lists as long."""
    values = node[scores]
    lists = {k: v for k, v in node.items() if isinstance(v, list) and len(v) == len(values)}
    plain = {k: v for k, v in node.items() if not isinstance(v, list)}
    for index, score in enumerate(values):
        entries = {key: items[index] for key, items in lists.items() if key != scores}
        yield above.found(f".{scores}[{index}]", {**plain, **entries, "score": score})


def _has_outcome(node: Record) -> bool:
    return any(
        is_score_name(key) and isinstance(value, bool | int | float | str)
        for key, value in flattened(node).items()
    )


def _has_trials(key: str, value: object) -> bool:
    """Whether a list of records with outcomes stands there, or below, under a name for trials."""
    if isinstance(value, dict):
        return _maps_records(value) or any(
            _has_trials(name, inner) for name, inner in value.items()
        )
    if not isinstance(value, list) or not _holds_trials(key):
        return False
    return any(_has_outcome(inner) for inner in value[:5] if isinstance(inner, dict))


def _holds_trials(key: str) -> bool:
    """Whether an object calls a list "results", "task_results", "per_episode" or the like."""
    return bool(WRAPPERS & {key.lower(), *words_of(key)} | {*words_of(key)} & OF_TRIALS)


def _curve(node: Record) -> bool:
    """Whether a record holds a learning curve: steps, and values as long."""
    lists = [usual(key) for key, value in node.items() if _is_scores(value)]
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
    roles = dict(zip(free[:: -1 if len(keys) < len(names) else 1], keys, strict=False))
    meant, notes = " and ".join(f"{key!r} the {role}" for role, key in roles.items()), Notes()
    if roles:
        notes.add(
            f"{path}: of the names under which the results stand, {meant} is assumed; choose with ",
            Setting("columns", {"policy": BLANK}),
            code="keys-assumed",
        )
    return roles, notes
