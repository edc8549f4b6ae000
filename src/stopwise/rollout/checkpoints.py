"""Checkpoints by the pattern of their paths, each a policy that one loader makes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from stopwise.errors import require
from stopwise.messages import Setting, named
from stopwise.rollout import import_path

Loader = Callable[[str], Any] | str


@dataclass(frozen=True)
class Checkpoint:
    """A factory of a policy that can be sent to other processes.

    Attributes
    ----------
    path
        Where it is, as it was matched; the journal of a race knows it by this.
    place
        The same from the root, since a worker may run in another folder.
    load
        Returns the policy, given the place; or where to find it, "package.module:name".
    """

    path: str
    place: str
    load: Loader

    def __call__(self) -> Any:
        """Load it."""
        load = import_path.load(self.load) if isinstance(self.load, str) else self.load
        return load(self.place)


def policies_of(given: Any, load: Loader | None, least: int = 2) -> dict[str, Any]:
    """Return policies by name, of those that are given by name or as checkpoints.

    Parameters
    ----------
    given
        Policies by name, or the folder or pattern of checkpoints.
    load
        Makes a policy of the path of a checkpoint.
    least
        How many checkpoints there must be.
    """
    if isinstance(given, Mapping):
        require(
            load is None,
            named("load"),
            " is for checkpoints, given as a folder or a pattern, but the policies are given by "
            "name",
            code="load-without-checkpoints",
        )
        return dict(given)
    require(
        isinstance(given, str | Path),
        "policies must be given by name, as in {'old': ..., 'new': ...}, or as a folder or pattern "
        f"of checkpoints, but got {given!r}",
    )
    require(
        load is not None,
        f"{given}: checkpoints need ",
        Setting("load"),
        ", a function that makes a policy of a path",
        code="load-missing",
    )
    require(
        callable(load) or (isinstance(load, str) and import_path.is_place(load)),
        named("load"),
        f" must be a function of a path, or package.module:name of one, but got {load!r}",
        code="bad-load",
    )
    assert load is not None
    found = _matching(str(given))
    require(found != [], f"{given}: no checkpoint matches", code="no-checkpoints")
    require(
        len(found) >= least,
        f"{given}: only {found[0]} matches, but a comparison needs at least 2 checkpoints",
        code="one-checkpoint",
    )
    names = short_names([Path(path) for path in found])
    return {
        name: Checkpoint(path, str(Path(path).absolute()), load)
        for name, path in zip(names, found, strict=True)
    }


def _matching(pattern: str) -> list[str]:
    """Return the paths in a folder, or those that match; ckpt_9 comes before ckpt_10."""
    if Path(pattern).is_dir():
        found = [str(path) for path in Path(pattern).iterdir() if not path.name.startswith(".")]
    else:
        found = glob(pattern, recursive=True)
    return sorted(found, key=_with_numbers)


def _with_numbers(path: str) -> list[tuple[int, str]]:
    """Return what sorts numbers in a text by their size."""
    pieces = re.split(r"(\d+)", path)
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in pieces]


def short_names(paths: Sequence[Path]) -> list[str]:
    """Return the shortest part of each path that no two have alike, the same part of all.

    An ending that all have in common says nothing, and is left out.

    Examples
    --------
    >>> from pathlib import Path
    >>> from stopwise.rollout.checkpoints import short_names
    >>> short_names([Path("runs/a/ckpt_1.zip"), Path("runs/a/ckpt_2.zip")])
    ['ckpt_1', 'ckpt_2']
    >>> short_names([Path("runs/a/last.zip"), Path("runs/b/last.zip")])
    ['a', 'b']
    >>> short_names([Path(f"{run}/{step}.pt") for run in "ab" for step in (1, 2)])
    ['a/1', 'a/2', 'b/1', 'b/2']
    """
    if len({path.suffix for path in paths}) == 1:
        paths = [path.with_suffix("") for path in paths]
    parts = [path.parts for path in paths]
    shallowest = min(map(len, parts))
    for length in range(1, shallowest + 1):
        for after in range(shallowest - length + 1):
            names = ["/".join(own[len(own) - after - length : len(own) - after]) for own in parts]
            if len(set(names)) == len(names):
                return names
    return [path.as_posix() for path in paths]
