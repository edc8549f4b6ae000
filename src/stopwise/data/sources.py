"""What the user points at: files, folders, frames or dictionaries, and whose trials they hold."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from stopwise.data import formats
from stopwise.data.frames import is_frame, is_place, raw_of_array, raw_of_arrays, raw_of_frame
from stopwise.data.lists import unlisted
from stopwise.data.raw import RawTable
from stopwise.data.roles import ColumnChoice
from stopwise.data.summaries import require_trials
from stopwise.data.wide import unfolded
from stopwise.errors import InvalidInput, require
from stopwise.messages import Message, Setting, counted

# File names that tools always use, so that only the folder tells policies apart.
COMMON_STEMS = {"eval_info", "eval_results", "evaluations", "metadata", "monitor", "results"}


@dataclass(frozen=True)
class Loaded:
    """One table with the policy as the user named it, or else as its file is called."""

    raw: RawTable
    policy: str | None
    policy_from_file: str | None = None


def load(
    source: Any,
    *,
    format_name: str | None,
    policy: str | None,
    columns: Mapping[str, ColumnChoice],
    policies: Sequence[str] | None = None,
) -> list[Loaded]:
    """Return every table that the source holds, in the order given (folders: sorted by name)."""
    found = [
        replace(table, raw=unlisted(table.raw, columns))
        for table in tables(source, format_name, policy, columns)
    ]
    for table in found:
        require_trials(table.raw, columns, policies)
    # A table that stands alone must hold all policies, perhaps side by side.
    alone = is_place(source) and policy is None and len(found) == 1
    if policies is None and not alone:
        return found
    return [replace(table, raw=unfolded(table.raw, columns, policies)) for table in found]


def tables(
    source: Any, format_name: str | None, policy: str | None, columns: Mapping[str, ColumnChoice]
) -> list[Loaded]:
    """Return every table as it is."""
    if is_place(source):
        return _load(source, format_name, policy)
    if isinstance(source, np.ndarray):
        return [Loaded(raw_of_array(source), policy)]
    if isinstance(source, Mapping):
        if not source or not all(map(is_place, source.values())):
            return [Loaded(raw_of_arrays(source, columns), policy)]
        require(
            policy is None,
            "the policies are named by the dictionary already, but got ",
            Setting("policy", policy),
            code="policy-named-twice",
        )
        return [
            table
            for name, value in source.items()
            for table in _load(value, format_name, str(name))
        ]
    if isinstance(source, Sequence) and source and all(is_place(value) for value in source):
        parts = [_load(value, format_name, policy) for value in source]
        return _told_apart(_without_repeats([table for part in parts for table in part]))
    raise InvalidInput(
        "trials must come from a path, a list of paths, a frame, an array, a dictionary of columns "
        f"or one of policy: path, but got {type(source).__name__}"
    )


def require_apart(state: Path, source: Any) -> None:
    """Raise if a file that remembers what was read would be read as one of the results."""
    places = source.values() if isinstance(source, Mapping) else source
    for place in [places] if isinstance(places, str | Path) else places:
        require(
            not state.resolve().is_relative_to(Path(place).resolve()),
            f"{state}: the state must not be among the results, but {place} is",
        )


def _load(source: Any, format_name: str | None, policy: str | None) -> list[Loaded]:
    if is_frame(source):
        return [Loaded(raw_of_frame(source), policy)]
    return _load_path(Path(source), format_name, policy)


def _load_path(path: Path, format_name: str | None, policy: str | None) -> list[Loaded]:
    require(path.exists(), f"{path}: there is no such file or folder")
    reader = formats.find(format_name) if format_name is not None else formats.recognise(path)
    if reader is not None and (path.is_file() or reader.recognise(path)):
        return [Loaded(formats.read(reader, path), policy, name_of(path))]
    if path.is_dir():
        return _load_folder(path, format_name, policy)
    require(path.stat().st_size > 0, f"{path}: the file is empty")
    raise InvalidInput(
        f"{path}: not recognised as any of {', '.join(formats.names())}; name one with ",
        Setting("format"),
        code="format-unknown",
    )


def _load_folder(folder: Path, format_name: str | None, policy: str | None) -> list[Loaded]:
    """Return the tables of a folder: one policy per file, or per sub-folder and all it holds."""
    tables: list[Loaded] = []
    skipped = 0
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        files = [path] if path.is_file() else _files_beneath(path)
        name = None if path.is_file() else path.name
        for file in files:
            reader = _reader(file, format_name)
            if reader is None:
                skipped += 1
                continue
            tables.append(Loaded(formats.read(reader, file), policy, name or name_of(file)))
    if not tables:
        known = format_name if format_name is not None else ", ".join(formats.names())
        raise InvalidInput(f"{folder}: the folder holds no file recognised as {known}")
    if skipped:
        note = f"{folder}: {counted(skipped, 'file')} without trials skipped"
        raw = tables[0].raw
        said = replace(raw, notes=(*raw.notes, Message(note, code="files-skipped")))
        tables[0] = replace(tables[0], raw=said)
    return tables


def _reader(path: Path, format_name: str | None) -> formats.Format | None:
    if format_name is None:
        return formats.recognise(path)
    reader = formats.find(format_name)
    return reader if reader.recognise(path) else None


def _files_beneath(folder: Path) -> list[Path]:
    if formats.recognise(folder) is not None:
        return [folder]
    return sorted(path for path in folder.rglob("*") if path.is_file())


def name_of(path: Path) -> str:
    """Return the policy that a file is named after, or its folder where tools name the file."""
    stem = path.stem.removesuffix(".monitor")
    is_common = not stem or stem in COMMON_STEMS or stem.isdigit() or stem.startswith("results-")
    return path.resolve().parent.name if is_common else stem


def _told_apart(tables: list[Loaded]) -> list[Loaded]:
    """Name policies after their folders where all files have one name."""
    folders = [Path(table.raw.source).resolve().parent.name for table in tables]
    alike = len({table.policy_from_file for table in tables}) == 1
    if not alike or len(set(folders)) < len(tables):
        return tables
    named = zip(tables, folders, strict=True)
    return [replace(table, policy_from_file=folder) for table, folder in named]


def _without_repeats(tables: list[Loaded]) -> list[Loaded]:
    seen: set[str] = set()
    for table in tables:
        place = os.path.realpath(table.raw.source)
        if os.path.exists(place) and place in seen:
            raise InvalidInput(f"{table.raw.source}: the same file was given twice")
        seen.add(place)
    return tables
