"""Hook of the site: one page of the REST API, from the application's own OpenAPI document."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

__all__ = ["on_config", "on_files", "page", "routes"]

PAGE = "reference/rest.md"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take the page out of the navigation where there is no web application."""
    if find_spec("stopwise.web") is None:
        for section in config.nav or []:
            if isinstance(section, dict) and PAGE in section.get("Reference", []):
                section["Reference"].remove(PAGE)
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the page to the site."""
    if find_spec("stopwise.web") is not None:
        files.append(File.generated(config, PAGE, content=page({"paths": {}})))
    return files


def routes(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield method, path and description of every route of an OpenAPI document."""
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            yield method.upper(), path, route


def page(document: dict[str, Any]) -> str:
    """Return the page."""
    parts = ["# REST API"]
    for method, path, route in routes(document):
        parts += [f"## {method} {path}", route.get("description") or route.get("summary", "")]
    return "\n\n".join(parts) + "\n"
