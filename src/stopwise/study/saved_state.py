"""Saved states: a cache of the replay, so that a long study opens at once.

A saved state is bound to the hash of the entry after which it was made and carries a digest of its
own; ``Study.verify`` replays the whole journal and compares.
"""

import gc
import hashlib
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, fields
from typing import Any

from stopwise.errors import InvalidState
from stopwise.study.board import Slot
from stopwise.study.state import Import, StudyState, TokenRecord, TrialRecord
from stopwise.study.study_plan import StudyPlan

FORMAT = 16
# Fields of a state that are not written as they are, or follow from others.
APART = {"plan", "refusal", "arms", "trials", "boards", "codes", "tokens", "imports"}
PLAIN = tuple(field.name for field in fields(StudyState) if field.name not in APART)
# How far evidence may lie from what another processor or another numpy makes of the same scores.
ROUNDING = 1e-9
COLUMNS = tuple(field.name for field in fields(TrialRecord))


def dump_state(state: StudyState) -> str:
    """Return the state as text: its digest, then one line of JSON."""
    content = {
        "format": FORMAT,
        **{name: getattr(state, name) for name in PLAIN},
        "plan": None if state.plan is None else state.plan.content(),
        "arms": list(state.arms),
        "trials": {name: [getattr(trial, name) for trial in state.trials] for name in COLUMNS},
        "boards": {
            name: {
                "rows": [{arm: astuple(slot) for arm, slot in row.items()} for row in board.rows],
                "owners": board.owners,
                "baseline": board.rules.baseline,
                "question": board.question.to_json(),
                **({"stored": board.rules.groups} if board.rules.groups else {}),
            }
            for name, board in state.boards.items()
        },
        "tokens": [asdict(record) for record in state.tokens.values()],
        "imports": [asdict(known) for known in state.imports],
    }
    text = json.dumps(content, separators=(",", ":"))
    return f"{_digest(text)}\n{text}"


def is_outdated(saved: str) -> bool:
    """Return whether an older stopwise saved this state: it is not read, and is no fault."""
    text = saved.partition("\n")[2]
    return any(text.startswith(f'{{"format":{older},') for older in range(1, FORMAT))


def same_states(saved: str, replayed: str) -> bool:
    """Return whether two saved texts tell of one state, up to how machines round."""
    if saved == replayed:
        return True
    (digest, _, text), (_, _, other) = saved.partition("\n"), replayed.partition("\n")
    return digest == _digest(text) and _alike(_opened(text), _opened(other))


def _opened(text: str) -> Any:
    """Return the content, with the saved questions in it, whose digests rounding changes."""
    content = json.loads(text)
    for board in content.get("boards", {}).values():
        board["question"] = {**json.loads(board["question"]), "digest": None}
    return content


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)


def load_state(saved: str) -> StudyState:
    """Return the state of a saved text, or raise ``InvalidState``."""
    digest, _, text = saved.partition("\n")
    if digest != _digest(text):
        raise InvalidState("the saved state is damaged: its content does not match its digest")
    with _without_collection():
        return _state(json.loads(text))


@contextmanager
def _without_collection() -> Iterator[None]:
    """Make hundreds of thousands of objects without searching them for garbage all the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _state(content: dict[str, Any]) -> StudyState:
    if content["format"] != FORMAT:
        raise InvalidState(f"the saved state has the unknown format {content['format']!r}")
    state = StudyState(**{name: content[name] for name in PLAIN})
    if content["plan"] is not None:
        _restore_boards(state, content)
    columns = [content["trials"][name] for name in COLUMNS]
    state.trials = [TrialRecord(*values) for values in zip(*columns, strict=True)]
    state.codes = {trial.code: trial.number for trial in state.trials if trial.code}
    state.tokens = {record["token"]: TokenRecord(**record) for record in content["tokens"]}
    state.imports = [Import(**known) for known in content["imports"]]
    for name in ("photos", "recordings", "ratings"):
        setattr(state, name, [tuple(known) for known in content[name]])
    return state


def _restore_boards(state: StudyState, content: dict[str, Any]) -> None:
    boards = content["boards"]
    first = next(iter(boards.values()))
    state.lock(
        StudyPlan.model_validate(content["plan"]),
        tuple(content["arms"]),
        first["baseline"],
        first.get("stored"),
    )
    for name, saved in boards.items():
        rows = [{arm: Slot(*slot) for arm, slot in row.items()} for row in saved["rows"]]
        owners = [(station, until) for station, until in saved["owners"]]
        state.boards[name].restore(rows, owners, saved["question"])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
