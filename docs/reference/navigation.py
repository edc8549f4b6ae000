"""Hook of the site: folders in the navigation, and the project's own pages from the root."""

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

__all__ = ["expanded", "named", "on_config", "on_files"]

PROJECT = ("CHANGELOG", "CONTRIBUTING", "SECURITY")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace each folder of the navigation by its pages."""
    config.nav = expanded(config.nav or [], Path(config.docs_dir))
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that stand at the root of the repository, where people look for them."""
    root = Path(config.config_file_path).parent
    for name in PROJECT:
        text = (root / f"{name}.md").read_text(encoding="utf-8")
        text = text.replace("](docs/", "](../")  # links, as seen from the page's place on the site
        files.append(File.generated(config, f"project/{name.lower()}.md", content=text))
    return files


def expanded(nav: list[Any], docs: Path) -> list[Any]:
    """Return the navigation with each "folder/" replaced by its pages that are not named.

    A new guide thus appears without a word here, and a page is never listed twice.
    """
    known = named(nav)

    def expand(entry: Any) -> list[Any]:
        if isinstance(entry, dict):
            return [
                {title: value if isinstance(value, str) else expand(value)}
                for title, value in entry.items()
            ]
        if isinstance(entry, list):
            return [page for item in entry for page in expand(item)]
        if not entry.endswith("/"):
            return [entry]
        pages = (path.relative_to(docs).as_posix() for path in (docs / entry).glob("*.md"))
        return sorted(page for page in pages if page not in known)

    return expand(nav)


def named(entry: Any) -> set[str]:
    """Return the pages that a part of the navigation names."""
    if isinstance(entry, str):
        return {entry}
    items = entry.values() if isinstance(entry, dict) else entry
    return set().union(*(named(item) for item in items))
