"""Plain JSON: the outermost records that have an outcome, or scores by task and policy."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from stopwise.data.formats.text_file import Head
from stopwise.data.frames import raw_of_array, raw_of_arrays
from stopwise.data.names import (
    ALL_NAMES,
    CREDIT,
    MEASURES,
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
from stopwise.data.raw import RawTable, flattened, of_keys, of_lists, table_of_records
from stopwise.errors import InvalidInput, require
from stopwise.messages import Notes

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
# Words in the names of numbers that sum up the trials below them.
SUMS = frozenset(
    ("rate", "mean", "avg", "average", "std", "sem", "n", "num", "number", "total", "count")
)
ITEM = "item"
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
# Where an entry of one of several lists stands.
IN_LIST = re.compile(r"(.+)\[\d+\]")
# How JSON goes on after its first sign; a log may begin with "[INFO]".
JSON = re.compile(r'\s*(\{\s*("|\}|$)|\[\s*([\[{"tfnN]|-?[\d.]+([eE][-+]?\d+)?\s*([,\]]|$)|\]|$))')

Record = dict[str, Any]


class Found(NamedTuple):
    """A record, keys above it, its place; rank 2 with an outcome, one more in a list of trials."""

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

    def found(self, record: Record, rank: int = 2) -> Found:
        place = self.place.lstrip(".") or "the object"
        return Found(self.keys, place, {**self.shared, **record}, rank)


def recognise(head: Head) -> bool:
    """Whether it begins as JSON does; one object per line is another format, asked before."""
    return JSON.match(head.first_line) is not None


def read(head: Head) -> RawTable:
    """Return all fields of all records; names under which records stand become columns."""
    path, content = head.path, _content(head)
    table = _table(_unwrapped(content), str(path))
    if table is not None:
        return table
    kept = _under_suites(trials_in(head))
    names = _names_of_levels(kept)
    roles, notes = _roles(str(path), [placed.record for placed in kept], names)
    named = [
        (placed.place, {**dict(zip(names, placed.keys, strict=False)), **placed.record})
        for placed in kept
    ]
    raw = table_of_records(path, named, roles=roles, bounds={}, notes=notes)
    lists = [IN_LIST.fullmatch(placed.place) for placed in kept]
    return of_lists(raw, [found[1] for found in lists if found]) if all(lists) else raw


def _content(head: Head) -> Any:
    """Return the content; bare NaN, which some tools write, is accepted."""
    try:
        return json.loads(head.text())
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{head.path}, line {error.lineno}, column {error.colno}: not valid JSON "
            f"({error.msg}); the file may be cut off"
        ) from error


def trials_in(head: Head) -> list[Found]:
    """Return the records that look most like trials, or raise if there are none at all."""
    every = list(_trials(_content(head), Above()))
    text = f"{head.path}: there are no records or lists of scores in it"
    require(bool(every), text, code="no-records")
    best = max(placed.rank for placed in every)
    return [placed for placed in every if placed.rank == best]


def _table(content: Any, source: str) -> RawTable | None:
    """Return scores, columns by name (also as pandas writes them), or scores by run and task."""
    if isinstance(content, list):
        is_array = _is_scores(content) or _is_grid(content)
        array = np.asarray(content if is_array else [None])
        return None if array.dtype == object else raw_of_array(array, source)
    if not isinstance(content, dict) or not content:
        return None
    names, rows = content.get("columns"), content.get("data")
    if _is_plain(names) and isinstance(rows, list) and all(map(_is_plain, rows)):
        if {*map(len, rows)} == {len(content["columns"])}:
            content = {key: [*cells] for key, *cells in zip(content["columns"], *rows, strict=True)}
    elif all(
        isinstance(v, dict) and list(v) == [*map(str, range(len(v)))] for v in content.values()
    ):
        content = {key: list(v.values()) for key, v in content.items()}
        if not any(usual(key) in ALL_NAMES for key in content):
            return None
    if any(all(map(form.fullmatch, content)) for form in OF_ROLES.values()):
        return None
    columns = content.values()
    named = all(map(_is_plain, columns)) and any(usual(key) in ALL_NAMES for key in content)
    whole = named or all(map(_is_scores, columns))
    whole = whole or (len(columns) > 1 and all(map(_is_grid, columns)))
    return raw_of_arrays(content, {}, source) if whole else None


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
        if any(map(is_score_name, keys)):
            names.append(MEASURES[0])
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
    if len(held) == 1 and held[0].lower() in WRAPPERS and not named:
        return content[held[0]]
    return content


def _is_number(value: object) -> bool:
    return isinstance(value, bool | int | float)


def _is_plain(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)


def _is_scores(value: Any) -> bool:
    """Whether a list holds numbers, of which some may be missing."""
    known = [item for item in value if item is not None] if isinstance(value, list) else []
    return len(known) > 0 and all(map(_is_number, known))


def _is_grid(value: Any) -> bool:
    """Whether a list holds equally long lists of scores."""
    rows = isinstance(value, list) and len(value) > 0 and all(map(_is_scores, value))
    return rows and len(set(map(len, value))) == 1


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(v, dict) for v in value)


def _trials(node: Any, above: Above, level: str = "") -> Iterator[Found]:
    """Yield every record below a node.

    Keys of an object that is called after a role, as ``level`` says, are of that role. What stands
    within a record that has an outcome are its steps and details, never trials.
    """
    if isinstance(node, list):
        items = [(item, above.below(f"[{index}]")) for index, item in enumerate(node)]
        yield from _alike(items)
    elif level and all(isinstance(value, dict | list) for value in node.values()):
        for key, value in node.items():
            yield from _trials(value, above.below(f".{key}", **{level: key}))
    elif _maps_records(node):
        yield from _alike([(v or {}, above.below(f".{key}", key)) for key, v in node.items()])
    elif scores := _scores(node):
        for place, record in scores:
            yield above.below(place).found(record)
    else:
        yield from _below(node, above)


def _alike(items: list[tuple[Any, Above]]) -> Iterator[Found]:
    """Yield the records of a list: where some are trials, so are those that lack their outcome."""
    parts = [
        list(_trials(item, above)) if isinstance(item, dict) else [above.found({"score": item})]
        for item, above in items
    ]
    places = [above.found({}).place for _, above in items]
    trials = [
        part[0].rank
        for place, part in zip(places, parts, strict=True)
        if [place] == [placed.place for placed in part]
    ]
    rank = max(trials, default=0)
    for (item, above), part in zip(items, parts, strict=True):
        if all(placed.rank < rank for placed in part):
            yield above.found(flattened(item), rank)
        else:
            yield from part


def _below(node: Record, above: Above) -> Iterator[Found]:
    """Yield an object as a record, or the records below it."""
    listed = _holds_trials(re.split(r"[.\[]", above.place)[-2:][0])
    inner = _inner(node)
    facts = flattened({key: value for key, value in node.items() if key not in inner})
    shared = {key: value for key, value in facts.items() if not _sums_up(key, value)}
    trials: list[Found] = []
    for key, value in inner.items():
        keys = () if _holds_trials(key) else (key,)
        inside = above.below("", **shared).below(f".{key}", *keys)
        trials += _trials(value, inside, LEVELS.get(key.lower(), ""))
    several = any(placed.rank > 2 for placed in trials)
    if not any(is_score_name(key) and not SUMS & words_of(key) for key in facts):
        several = several or any(map(_holds_map, inner.values()))
    if _has_outcome(node) and not several:
        yield above.found(flattened(node), 2 + listed)
    elif inner:
        yield from trials
    else:
        yield above.found(facts, int(listed))


def _holds_map(value: Any) -> bool:
    inside = isinstance(value, dict) and any(map(_holds_map, value.values()))
    return inside or (isinstance(value, dict) and _maps_records(value))


def _sums_up(key: str, value: object) -> bool:
    """Whether a field is no fact about each of the trials below it."""
    summed = sounds_like_outcome(key) or bool(SUMS & words_of(key))
    return isinstance(value, list) or (_is_number(value) and summed)


def _inner(node: Record) -> Record:
    """Entries that may hold trials; lists of numbers only if several, and many or 0 and 1."""
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


def _scores(node: Record) -> list[tuple[str, Record]]:
    """Return the trials of an object whose fields are named after them, or a list of scores.

    One score stands under each number, as in "test/max_reward_100000", or 0 or 1 under the name of
    each of many things to do; with the entries of a list of scores stand those of lists as long.
    """
    parts = [(key, NUMBERED.fullmatch(key)) for key, value in node.items() if _is_number(value)]
    numbered = [(k, m["stem"], int(m["number"])) for k, m in parts if m]
    stems = [stem for _, stem, _ in numbered if sounds_like_outcome(stem)]
    numbered = [entry for entry in numbered if stems.count(entry[1]) >= LEAST_SCORES]
    if numbered:
        return [
            (f".{key}", {"split": stem, "number": number, "score": float(node[key])})
            for key, stem, number in numbered
        ]
    if _is_map(node):
        return [(f".{key}", {ITEM: key, "score": score}) for key, score in node.items()]
    scores = _list_of_scores(node)
    if scores is None or any(map(_is_records, node.values())):
        return []
    lists = {k: v for k, v in node.items() if isinstance(v, list) and len(v) == len(node[scores])}
    plain = {k: v for k, v in node.items() if not isinstance(v, list)}
    return [
        (
            f".{scores}[{i}]",
            {**plain, **{k: v[i] for k, v in lists.items() if k != scores}, "score": score},
        )
        for i, score in enumerate(node[scores])
    ]


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
    """Whether an object names records of one kind, most with an outcome, such as episodes."""
    values = [value or {} for value in node.values()]
    if len(values) < 2 or not all(isinstance(value, dict) for value in values):
        return False
    inside = [inner for v in values for key, inner in v.items() if not WITHIN & words_of(key)]
    if any(map(_is_records, inside)):
        return False
    ended = [value for value in values if _has_outcome(value)]
    if not ended or _list_of_scores(ended[0]) or _maps_records(ended[0]):
        return False
    numbered = len({re.sub(r"\d+", "", key) for key in node}) == 1 < len(node) - 1
    if numbered or all(map(OF_ROLES["trial"].fullmatch, node)):
        return True
    common = set.intersection(*map(set, ended))
    enough = len(ended) == len(values) or 2 * len(ended) >= len(values) > 2
    return enough and all(common & set(value) for value in values)


def _has_outcome(node: Record) -> bool:
    return any(
        is_score_name(key) and isinstance(value, bool | int | float | str)
        for key, value in flattened(node).items()
    )


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
    keys = [name for name in names if name not in {ITEM, MEASURES[0], *OF_ROLES}]
    roles = dict(zip(free[:: -1 if len(keys) < len(names) else 1], keys, strict=False))
    return roles, Notes([of_keys(path, roles)] if roles else [])
