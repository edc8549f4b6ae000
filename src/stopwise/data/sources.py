"""What the user points at: files, folders, frames or dictionaries, and whose trials they hold."""

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
    policy = reading.policy
    if is_place(source):
        loaded = _load(source, reading, policy)
        return [replace(table, alone=policy is None and len(loaded) == 1) for table in loaded]
    if isinstance(source, np.ndarray):
        return [Loaded(raw=raw_of_array(source), policy=policy)]
    if isinstance(source, Mapping):
        if not source or not all(map(is_place, source.values())):
            return [Loaded(raw=raw_of_arrays(source, reading.columns), policy=policy)]
        text = "the policies are named by the dictionary already, but got "
        require(policy is None, text, Setting("policy", policy))
        return [
            table for name, value in source.items() for table in _load(value, reading, str(name))
        ]
    if isinstance(source, Sequence) and source and all(map(is_place, source)):
        loaded = [table for value in source for table in _load(value, reading, policy)]
        _refuse_repeats(loaded)
        return _told_apart(loaded)
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
    )


def _load_folder(folder: Path, reading: Reading, policy: str | None) -> list[Loaded]:
    """Return the tables of a folder: one policy per file, job of Hydra or sub-folder."""
    jobs, loaded, skipped = about_jobs(folder), [], 0
    for place in sorted(folder.iterdir(), key=in_number_order):
        for file in _files_of(place):
            opened = formats.opened(file, reading.format)
            if opened is None or (reading.format and not opened.format.recognise(opened.head)):
                skipped += 1
                continue
            job = next((jobs[above] for above in file.parents if above in jobs), None)
            name = place.name if place.is_dir() else name_of(file)
            inside = name_within(file, place) if place.is_dir() else ""
            about = {"file": inside or name, "folder": name}
            about = {key: value for key, value in about.items() if reading.speaks_of(key)}
            facts = {**seed_of(file), **(job.facts if job else {}), **about}
            table = Loaded(
                raw=opened.sheet(reading.sheet),
                policy=policy,
                policy_from_file=job.policy if job else name,
                facts=tuple(facts.items()),
                in_folder=True,
                inside="" if job else inside,
            )
            loaded.append(table)
    known = reading.format or ", ".join(formats.names())
    text = f"{folder}: the folder holds no file recognised as {known}; {formats.TABLE}"
    require(bool(loaded), text)
    if skipped:
        note = Message(
            f"{folder}: {counted(skipped, 'file')} without trials skipped", code="files-skipped"
        )
        raw = replace(loaded[0].raw, notes=(*loaded[0].raw.notes, note))
        loaded[0] = replace(loaded[0], raw=raw)
    return loaded


def _files_of(place: Path) -> list[Path]:
    """Return the files at a place of a folder, without hidden ones and backups."""
    if place.name.startswith(".") or place.name.lower().endswith(BACKUPS):
        return []
    if place.is_file() or formats.opened(place) is not None:
        return [place]
    inner = [path for path in place.rglob("*") if path.is_file()]
    hidden = [any(n.startswith(".") for n in path.relative_to(place).parts[:-1]) for path in inner]
    kept = [path for path, gone in zip(inner, hidden, strict=True) if not gone]
    return sorted((p for p in kept if not p.name.lower().endswith(BACKUPS)), key=in_number_order)


def _told_apart(loaded: list[Loaded]) -> list[Loaded]:
    """Name policies after their folders where all files have one name."""
    folders = [Path(table.raw.source).resolve().parent.name for table in loaded]
    alike = len({table.policy_from_file for table in loaded}) == 1
    if not alike or len(set(folders)) < len(loaded):
        return loaded
    named = zip(loaded, folders, strict=True)
    return [replace(table, policy_from_file=folder) for table, folder in named]


def _refuse_repeats(loaded: list[Loaded]) -> None:
    seen: set[str] = set()
    for table in loaded:
        place = os.path.realpath(table.raw.source)
        again = place in seen and os.path.exists(place)
        require(not again, f"{table.raw.source}: the same file was given twice")
        seen.add(place)
