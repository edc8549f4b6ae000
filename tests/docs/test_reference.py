"""Nothing that a user can name goes without a word: public names, commands, options."""

import inspect
import re
from pathlib import Path

import pytest

import stopwise as sw
from docs.reference import api, commands, rest

ROOT = Path(__file__).parents[2]
PAGES = "".join(
    page.read_text(encoding="utf-8")
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
)
METHODS = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
COMMANDS = dict(commands.commands())
FUNCTIONS = (type(lambda: None), property, classmethod)


@pytest.mark.parametrize("name", sw.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    """Its docstring names each parameter, its methods have one, and the page of the API has it."""
    thing = getattr(sw, name)
    homes = inspect.getmro(thing) if inspect.isclass(thing) else [thing]
    text = " ".join(home.__doc__ or "" for home in homes)
    lists_all = inspect.isfunction(thing) or re.search(r"(Parameters|Attributes)\n *---", text)
    members = vars(thing) if inspect.isclass(thing) else {}

    assert (thing.__doc__ or "").strip()
    assert f"::: stopwise.{name}\n" in api.page()
    if lists_all:
        assert set(inspect.signature(thing).parameters) - set(re.findall(r"\w+", text)) == set()
    for key, value in members.items():
        if not key.startswith("_") and isinstance(value, FUNCTIONS):
            assert inspect.getdoc(value), key


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    """Each says what it does, and a page that a person wrote names the command."""
    command = COMMANDS[name]

    assert command.help
    assert [one.name for one in commands.parameters(command) if not one.help] == []
    assert f"\n## {name}\n" in commands.page()
    assert name in PAGES


@pytest.mark.parametrize("name", sw.methods())
def test_every_method_has_a_row_and_a_section(name: str) -> None:
    """The row says if it takes pairs, the section names its parameters, the class what to cite."""
    info = sw.methods()[name]
    common, *sections = METHODS.split("\n## ")
    [row] = [line for line in common.splitlines() if line.startswith(f"| [`{name}`]")]
    [text] = [common + section for section in sections if section.startswith(f"{name}\n")]

    assert ("paired" in row) == ("paired" in info.designs)
    assert [key for key in info.parameters if f"`{key}`" not in text] == []
    assert 20 < len(info.advice) < 100
    assert len(info.citation) > 40


def test_every_route_is_documented() -> None:
    """Each route and each of its failures says what it means, and the page has it."""
    document = rest.document()
    page = rest.page(document)

    for method, path, route in rest.routes(document):
        assert f"\n## {method} {path}\n" in page
        assert route.get("description"), f"{method} {path} says nothing"
        assert all(answer["description"] for answer in route["responses"].values())
