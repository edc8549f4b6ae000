"""Runs a reproduction, or reads its kept result; writes JSON, Markdown and figures."""

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import stopwise
from stopwise.core.step.cache import cache_folder

from .catalogue import Reproduction
from .rendering import markdown
from .result import Result
from .settings import Settings


@dataclass(frozen=True)
class Outcome:
    """What came out of one reproduction, and the folder that holds its files."""

    result: Result
    folder: Path
    kept: bool


def reproduce(one: Reproduction, settings: Settings, *, fresh: bool = False) -> Outcome:
    """Run a reproduction unless its result is kept from before.

    A result is kept in the cache folder under a key of the package's version and source, the
    settings and the contents of the data files, so that an old one is never taken for a new one.
    """
    folder = cache_folder() / "reproduce" / f"{one.name}-{_key(one, settings)}"
    stored = folder / f"{one.name}.json"
    if stored.is_file() and not fresh:
        content = json.loads(stored.read_text(encoding="utf-8"))
        return Outcome(Result.from_dict(content), folder, kept=True)
    # Made first: whoever cannot write there should learn it before the long work.
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix="partial-", dir=folder.parent))
    try:
        result = one.run(settings)
        _write(one, settings, result, partial)
        shutil.rmtree(folder, ignore_errors=True)
        # Another process may have stored the same result in between.
        with contextlib.suppress(OSError):
            os.replace(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Outcome(result, folder, kept=False)


def copy(outcome: Outcome, out: Path) -> list[Path]:
    """Copy the files of a result to a folder of the user's; return their paths."""
    out.mkdir(parents=True, exist_ok=True)
    return [Path(shutil.copy(path, out / path.name)) for path in sorted(outcome.folder.iterdir())]


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def _write(one: Reproduction, settings: Settings, result: Result, folder: Path) -> None:
    content = {
        "name": one.name,
        "title": one.title,
        "version": stopwise.__version__,
        "seed": settings.seed,
        "share": settings.share,
        **result.to_dict(),
    }
    (folder / f"{one.name}.json").write_text(json.dumps(content, indent=2), encoding="utf-8")
    (folder / f"{one.name}.md").write_text(markdown(result), encoding="utf-8")
    if can_draw():
        for name, draw in result.figures.items():
            figure = draw()
            for ending in ("png", "svg"):
                figure.savefig(folder / f"{one.name}-{name}.{ending}", dpi=130)


def _key(one: Reproduction, settings: Settings) -> str:
    """Return a digest of everything that the result depends on."""
    digest = hashlib.sha256()
    facts = [stopwise.__version__, settings.seed, settings.share, can_draw()]
    digest.update(json.dumps(facts).encode())
    package = Path(stopwise.__file__).parent
    scripts = Path(__file__).parent
    for path in sorted([*package.rglob("*.py"), *scripts.rglob("*.py"), *scripts.rglob("*.json")]):
        digest.update(path.read_bytes())
    for name in one.needs:
        digest.update((settings.folder / name).read_bytes())
    return digest.hexdigest()[:16]
