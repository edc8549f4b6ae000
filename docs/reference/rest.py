"""Hook of the site: one page of the REST API, from the application's own OpenAPI document."""

import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from stopwise import Study
from stopwise.web.app import create_app

__all__ = ["document", "on_files", "page", "routes"]


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the page to the site."""
    files.append(File.generated(config, "reference/rest.md", content=page(document())))
    return files


def document() -> dict[str, Any]:
    """The OpenAPI document of a study's application."""
    with tempfile.TemporaryDirectory() as folder:
        study = Study.create(folder)
        try:
            return create_app(study).openapi()
        finally:
            study.close()


def routes(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield method, path and description of every route of an OpenAPI document."""
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            yield method.upper(), path, route


def page(document: dict[str, Any]) -> str:
    """Every route, what may fail, every object that is taken or returned."""
    parts = ["# REST API", document["info"].get("description", "").strip()]
    parts.append("The same as a document for programs: `/api/openapi.json` of a running server.")
    failures: dict[str, str] = {}
    for method, path, route in routes(document):
        parts += [f"## {method} {path}", route.get("description") or route["summary"]]
        parts += _route(route)
        failures |= {code: text["description"] for code, text in _answers(route, failed=True)}
    parts += ["## Failures", _table(("code", ""), sorted(failures.items())), "## Objects"]
    for name, schema in document.get("components", {}).get("schemas", {}).items():
        parts += [f"### {name}", *_object(schema)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _route(route: dict[str, Any]) -> Iterator[str]:
    rows = [
        (one["name"], one["in"], _kind(one["schema"]), one.get("description", ""))
        for one in route.get("parameters", [])
    ]
    if rows:
        yield _table(("parameter", "in", "type", ""), rows)
    takes = f"Takes {_content(route['requestBody'])}. " if "requestBody" in route else ""
    gives = "; ".join(
        f"{code}: {_content(answer) or answer['description']}"
        for code, answer in _answers(route, failed=False)
    )
    failing = ", ".join(sorted(code for code, _ in _answers(route, failed=True)))
    yield f"{takes}Answers {gives}." + (f" May fail with {failing}." if failing else "")


def _answers(route: dict[str, Any], *, failed: bool) -> list[tuple[str, dict[str, Any]]]:
    return [(code, one) for code, one in route["responses"].items() if (code >= "400") == failed]


def _object(schema: dict[str, Any]) -> Iterator[str]:
    yield schema.get("description", "")
    required = schema.get("required", [])
    rows = [
        (name, _kind(field), "needed" if name in required else "", field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    ]
    if rows:
        yield _table(("field", "type", "", ""), rows)
    elif "enum" in schema:
        yield "One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + "."


def _content(part: dict[str, Any]) -> str:
    """Media types and objects of a body."""
    kinds = (
        _kind(body.get("schema", {})) if media == "application/json" else f"`{media}`"
        for media, body in part.get("content", {}).items()
    )
    return ", ".join(kinds)


def _kind(schema: dict[str, Any]) -> str:
    """A schema in a few words, with links to objects."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_kind(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    return str(schema.get("type", "any"))


def _table(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [titles, ("---",) * len(titles), *rows]
    cells = (
        " | ".join(" ".join(cell.split()).replace("|", "&#124;") for cell in line) for line in lines
    )
    return "\n".join(f"| {line} |" for line in cells)
