"""From any source of trials to trials: files are read, missing scores handled as declared."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stopwise.core.readings.scale import Scale
from stopwise.core.scores import numeric_array
from stopwise.data.reading import MANY_MISSING, InputSettings
from stopwise.errors import InvalidInput, require, require_choice
from stopwise.messages import Setting, counted

INPUT = frozenset(InputSettings.__annotations__)


def taken(
    source: Any, settings: Mapping[str, Any], *, bounds: Any = None, proxy: Any = None
) -> tuple[Any, Any]:
    """Return the trials of a source, and the settings without those of reading."""
    from stopwise.data.frames import is_place
    from stopwise.data.trials import Trials

    reading = {name: settings[name] for name in settings if name in INPUT}
    others = {name: settings[name] for name in settings if name not in INPUT}
    parts = list(source.values()) if isinstance(source, Mapping) else []
    runs_by_tasks = all(isinstance(part, np.ndarray) and part.ndim == 2 for part in parts)
    of_files = parts and (runs_by_tasks or all(map(is_place, parts)))
    if of_files or is_place(source) or isinstance(source, np.ndarray):
        from stopwise.data.read import read_trials

        if others.get("audit") is not None:
            reading.setdefault("missing", "keep")
        if isinstance(proxy, str):
            reading["columns"] = {**(reading.get("columns") or {}), "proxy": proxy}
        if reading.get("missing") == "fail":
            reading |= {"bounds": bounds, "lower_is_better": others.get("lower_is_better")}
        source = read_trials(source, **reading)
    elif isinstance(source, Mapping):
        missing = reading.pop("missing", "error")
        require_choice("missing", missing, ("error", "fail", "drop"))
        if proxy is None and not isinstance(source, Trials):
            ends = Scale.declared((0.0, 1.0) if bounds is None else bounds).ends
            worst = ends[1 if others.get("lower_is_better") else 0]
            source = {name: _known(name, scores, missing, worst) for name, scores in source.items()}
        _refuse(reading, "is for files and frames, and these are scores")
    else:
        _refuse(reading, "goes with a file: give it to read_trials")
    if isinstance(source, Trials):
        require_direction(source, others)
    return source, others


def read_if_place(source: Any) -> Any:
    from stopwise.data.frames import is_place

    return taken(source, {})[0] if is_place(source) else source


def require_direction(trials: Any, settings: Mapping[str, Any]) -> None:
    """Raise if the name of the score leaves open whether more is better."""
    question = next(
        (note for note in trials.notes if getattr(note, "code", "") == "direction-unknown"), None
    )
    if question is None or settings.get("lower_is_better") is not None:
        return
    if settings.get("by") != "wins" or not trials.preferences:
        raise InvalidInput(*question.parts, code=question.code)


def _refuse(reading: Mapping[str, Any], why: str) -> None:
    for name, value in reading.items():
        require(value is None, Setting(name, value), f" {why}")


def _known(name: object, scores: Any, missing: str, worst: float) -> Any:
    if isinstance(scores, list | tuple):  # None is missing, as NaN is
        scores = [np.nan if value is None else value for value in scores]
    numbers = numeric_array(scores, repr(name))
    gaps = int(np.isnan(numbers).sum()) if numbers.ndim == 1 else 0
    if not gaps:
        return scores
    known = numbers[~np.isnan(numbers)]
    alike = len(np.unique(known)) < 2 and gaps > MANY_MISSING * len(numbers)
    if missing == "fail":
        return np.where(np.isnan(numbers), worst, numbers)
    if missing == "drop" and not alike:
        return numbers
    cure: list[str | Setting] = [Setting("missing", "fail"), " counts them as failures"]
    if not alike:
        cure += [", ", Setting("missing", "drop"), " leaves them out"]
    place, number = int(np.isnan(numbers).argmax()), counted(gaps, "score is", "scores are")
    raise InvalidInput(f"{name!r}: {number} missing (NaN), the first at [{place}]; ", *cure)
