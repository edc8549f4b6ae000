"""Sources: files, folders, frames or dictionaries, and the policy that each table belongs to."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from stopwise.data import formats
from stopwise.data.folders import about_jobs, in_number_order, name_of, name_within, seed_of
from stopwise.data.frames import is_frame, is_place, raw_of_array, raw_of_arrays, raw_of_frame
from stopwise.data.raw import RawTable
from stopwise.data.reading import Reading
from stopwise.errors import InvalidInput, require
from stopwise.messages import Message, Setting, counted

# How the names of files end that editors and people keep beside the current one.
BACKUPS = (".bak", ".old", ".orig", ".tmp", ".swp", ".lock", "~")


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """One table with the policy as the user named it, or else as its file is called."""

    raw: RawTable
    policy: str | None
    policy_from_file: str | None = None
    facts: tuple[tuple[str, str], ...] = ()  # what names of files and folders say of all rows
    alone: bool = False  # then it must hold all policies, perhaps side by side
    in_folder: bool = False  # then it may be something else than trials
    inside: str = ""  # what it is called within the folder of its policy


def load(source: Any, reading: Reading) -> list[Loaded]:
    """Return every table that the source holds, in the order given (folders: sorted by name)."""
    loaded = tables(source, reading)
    alone = is_place(source) and reading.policy is None and len(loaded) == 1
    return [replace(table, alone=alone) for table in loaded]


def tables(source: Any, reading: Reading) -> list[Loaded]:
    policy = reading.policy
    if is_place(source):
        return _load(source, reading, policy)
    if isinstance(source, np.ndarray):
        return [Loaded(raw=raw_of_array(source), policy=policy)]
    if isinstance(source, Mapping):
        if not source or not all(map(is_place, source.values())):
            return [Loaded(raw=raw_of_arrays(source, reading.columns), policy=policy)]
        require(
            policy is None,
            "the policies are named by the dictionary already, but got ",
            Setting("policy", policy),
            code="policy-named-twice",
        )
        return [
            table for name, value in source.items() for table in _load(value, reading, str(name))
        ]
    if isinstance(source, Sequence) and source and all(is_place(value) for value in source):
        parts = [_load(value, reading, policy) for value in source]
        return _told_apart(_without_repeats([table for part in parts for table in part]))
    raise InvalidInput(
        "trials must come from a path, a list of paths, a frame, an array, a dictionary of columns "
        f"or one of policy: path, but got {type(source).__name__}"
    )


def require_apart(state: Path, source: Any) -> None:
    """Raise if a state file would be read as one of the results."""
    places = source.values() if isinstance(source, Mapping) else source
    for place in [places] if isinstance(places, str | Path) else places:
        require(
            not state.resolve().is_relative_to(Path(place).resolve()),
            f"{state}: the state must not be among the results, but {place} is",
        )


def _load(source: Any, reading: Reading, policy: str | None) -> list[Loaded]:
    if is_frame(source):
        return [Loaded(raw=raw_of_frame(source), policy=policy)]
    return _load_path(Path(source), reading, policy)


def _load_path(path: Path, reading: Reading, policy: str | None) -> list[Loaded]:
    require(path.exists(), f"{path}: there is no such file or folder", code="no-such-file")
    opened = formats.opened(path, reading.format)
    if opened is not None:
        raw = opened.sheet(reading.sheet)
        return [Loaded(raw=raw, policy=policy, policy_from_file=name_of(path))]
    if path.is_dir():
        return _load_folder(path, reading, policy)
    require(path.stat().st_size > 0, f"{path}: the file is empty")
    raise InvalidInput(
        f"{path}: not recognised as any of {', '.join(formats.names())}; give it "
        "the ending of its format, such as .csv, or in Python ",
        Setting("format", words="format="),
        f"; {formats.TABLE}",
        code="format-unknown",
    )


def _load_folder(folder: Path, reading: Reading, policy: str | None) -> list[Loaded]:
    """Return the tables of a folder: one policy per file, or per sub-folder and all it holds.

    Numbered parts of one run belong to the folder; jobs of Hydra are named by what was overridden.
    """
    places = [
        path
        for path in sorted(folder.iterdir(), key=in_number_order)
        if not path.name.startswith(".") and not path.name.lower().endswith(BACKUPS)
    ]
    jobs = about_jobs(folder)
    loaded: list[Loaded] = []
    skipped: list[str] = []
    for place in places:
        for file in [place] if place.is_file() else _files_beneath(place):
            opened = formats.opened(file, reading.format)
            if opened is None or (reading.format and not opened.format.recognise(opened.head)):
                skipped.append(str(file.relative_to(folder)))
                continue
            job = next((jobs[above] for above in file.parents if above in jobs), None)
            name = place.name if place.is_dir() else name_of(file)
            inside = name_within(file, place) if place.is_dir() else ""
            about = {"file": inside or name, "folder": name}
            single = Loaded(
                raw=opened.sheet(reading.sheet),
                policy=policy,
                policy_from_file=name if job is None else job.policy,
                facts=(
                    *seed_of(file),
                    *(() if job is None else job.facts.items()),
                    *((key, value) for key, value in about.items() if reading.speaks_of(key)),
                ),
                in_folder=True,
                inside=inside if job is None else "",
            )
            loaded.append(single)
    if not loaded:
        known = reading.format if reading.format is not None else ", ".join(formats.names())
        text = f"{folder}: the folder holds no file recognised as {known}; {formats.TABLE}"
        raise InvalidInput(text)
    if skipped:
        note = f"{folder}: {counted(len(skipped), 'file')} without trials skipped"
        raw = loaded[0].raw
        said = replace(raw, notes=(*raw.notes, Message(note, code="files-skipped")))
        loaded[0] = replace(loaded[0], raw=said)
    return loaded


def _files_beneath(folder: Path) -> list[Path]:
    if formats.opened(folder) is not None:
        return [folder]
    inner = (path for path in folder.rglob("*") if path.is_file())
    return sorted(
        (path for path in inner if not _is_hidden(path.relative_to(folder))), key=in_number_order
    )


def _is_hidden(path: Path) -> bool:
    """Whether a file is a backup or lies in a hidden folder, as those of Hydra and git."""
    hidden = any(part.startswith(".") for part in path.parts[:-1])
    return hidden or path.name.lower().endswith(BACKUPS)


def _told_apart(loaded: list[Loaded]) -> list[Loaded]:
    """Name policies after their folders where all files have one name."""
    folders = [Path(table.raw.source).resolve().parent.name for table in loaded]
    alike = len({table.policy_from_file for table in loaded}) == 1
    if not alike or len(set(folders)) < len(loaded):
        return loaded
    named = zip(loaded, folders, strict=True)
    return [replace(table, policy_from_file=folder) for table, folder in named]


def _without_repeats(loaded: list[Loaded]) -> list[Loaded]:
    seen: set[str] = set()
    for table in loaded:
        place = os.path.realpath(table.raw.source)
        if os.path.exists(place) and place in seen:
            raise InvalidInput(f"{table.raw.source}: the same file was given twice")
        seen.add(place)
    return loaded
