"""Where a study is: from a folder, a file or a URL to its store."""

import os
from collections.abc import Callable
from pathlib import Path

from stopwise.errors import require
from stopwise.study.plan_file import FILE_NAME, read_store
from stopwise.study.store import Store

DATABASE = "study.db"
SQLITE = b"SQLite format 3"  # how the file of a store begins
NAME = "study"  # where no other is given
Clock = Callable[[], float]


def open_store(
    url_or_path: str | Path, *, create: bool = False, clock: Clock | None = None
) -> tuple[Store, Path | None]:
    """Return the store of a study and the folder of its plan, if there is one."""
    if is_url(url_or_path):
        return Store.open(url_or_path, create=NAME if create else None, clock=clock), None
    path = Path(url_or_path)
    if not path.is_dir():
        require(
            not path.is_file() or path.suffix == ".db" or _is_database(path),
            f"{path} is not a study: a study is a folder, made with `stopwise study init FOLDER`",
            code="no-study",
        )
        return Store.open(path, clock=clock), path.parent
    plan = path / FILE_NAME
    place = read_store(plan) or str(path / DATABASE)
    require(
        plan.exists() or Path(place).exists(),
        f"there is no study in {path}: create one with `stopwise study init {path}`",
    )
    # With a plan alone, the store is made now.
    name = NAME if plan.exists() else None
    return Store.open(place, create=name, may_exist=True, clock=clock), path


def readable_by_others(folder: Path | None) -> list[Path]:
    """Return the files of a study that other users of this computer can read."""
    if os.name != "posix" or folder is None or not folder.stat().st_mode & 0o077:
        return []
    files = (folder / FILE_NAME, folder / DATABASE)
    return [file for file in files if file.exists() and file.stat().st_mode & 0o077]


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def is_url(text: str | Path) -> bool:
    """Whether this is a URL, not a path."""
    return isinstance(text, str) and "://" in text
