"""Where a study is: from a folder, a file or a URL to its store."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from stopwise.errors import NotAllowed, StoreFailed, require
from stopwise.study.plan_file import FILE_NAME, parse_plan, read_store, store_in, template
from stopwise.study.store import Store

__all__ = [
    "DATABASE",
    "is_url",
    "open_store",
    "plan_text",
    "rewrite_plan",
    "write_plan",
    "yaml_text",
]

DATABASE = "study.db"
NAME = "study"  # where no other is given
Clock = Callable[[], float]


def plan_text(plan: Mapping[str, Any] | str | None) -> str:
    """Return a plan as the text of a ``study.yaml``, checked; the template for None."""
    text = template() if plan is None else plan
    if not isinstance(text, str):
        text = yaml_text(text)
    parse_plan(text)
    return text


def yaml_text(plan: Mapping[str, Any]) -> str:
    """Return plain values as YAML."""
    return yaml.safe_dump(dict(plan), sort_keys=False, allow_unicode=True)


def rewrite_plan(folder: Path, text: str) -> None:
    """Replace the plan of a folder in one step, so that a crash leaves the old or the new one."""
    path = folder / FILE_NAME
    require(
        store_in(text) == read_store(path),
        "`store` says where this study lives: it cannot change while the study is open",
    )
    new = path.with_suffix(".new")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except OSError as error:
        raise StoreFailed(f"{path}: {error.strerror}") from error


def write_plan(folder: Path, text: str, store: str | None) -> None:
    """Write a plan into a folder that has none."""
    path = folder / FILE_NAME
    if path.exists():
        raise NotAllowed(f"{path} exists: choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text if store is None else f"{text}\nstore: {store}\n", encoding="utf-8")


def open_store(
    url_or_path: str | Path, *, create: bool = False, clock: Clock | None = None
) -> tuple[Store, Path | None]:
    """Return the store of a study and the folder of its plan, if there is one."""
    if is_url(url_or_path):
        return Store.open(url_or_path, create=NAME if create else None, clock=clock), None
    path = Path(url_or_path)
    if not path.is_dir():
        return Store.open(path, clock=clock), path.parent
    plan = path / FILE_NAME
    place = read_store(plan) or str(path / DATABASE)
    require(
        plan.exists() or Path(place).exists(),
        f"there is no study in {path}: make one with `stopwise study init {path}`",
    )
    # With a plan alone, the store is made now.
    name = NAME if plan.exists() else None
    return Store.open(place, create=name, may_exist=True, clock=clock), path


def is_url(text: str | Path) -> bool:
    """Whether this is a URL, not a path."""
    return isinstance(text, str) and "://" in text
