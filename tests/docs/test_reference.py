"""Nothing that a user can name goes without a word: public names, commands, options."""

import inspect
import re
from pathlib import Path

import pytest

import stopwise as sw
from docs.reference import api, commands, navigation, rest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = dict(commands.commands())


@pytest.mark.parametrize("name", sw.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    """Its docstring names each parameter, and the page of the API has it."""
    thing = getattr(sw, name)
    homes = inspect.getmro(thing) if inspect.isclass(thing) else [thing]
    text = " ".join(home.__doc__ or "" for home in homes)
    lists_all = inspect.isfunction(thing) or re.search(r"(Parameters|Attributes)\n *---", text)

    assert (thing.__doc__ or "").strip()
    assert f"::: stopwise.{name}\n" in api.page()
    if lists_all:
        assert set(inspect.signature(thing).parameters) - set(re.findall(r"\w+", text)) == set()


@pytest.mark.parametrize("name", sw.__all__)
def test_every_public_method_has_a_docstring(name: str) -> None:
    thing = getattr(sw, name)
    if inspect.isclass(thing):
        own = {key: value for key, value in vars(thing).items() if not key.startswith("_")}
        silent = [key for key, value in own.items() if _speaks(value) and not inspect.getdoc(value)]
        assert silent == []


def _speaks(value: object) -> bool:
    return inspect.isfunction(value) or isinstance(value, property | classmethod)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    """Each says what it does, and a page that a person wrote names the command."""
    command = COMMANDS[name]
    silent = [one.name for one in commands.parameters(command) if not one.help]

    assert command.help
    assert silent == []
    assert f"\n## {name}\n" in commands.page()
    assert any(name in page.read_text(encoding="utf-8") for page in PAGES), f"no page names {name}"


@pytest.mark.parametrize("name", sw.methods())
def test_every_method_has_a_section_that_names_its_parameters(name: str) -> None:
    info = sw.methods()[name]
    page = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    common, *sections = page.split("\n## ")
    [text] = [common + section for section in sections if section.startswith(f"{name}\n")]

    assert name in text
    assert [key for key in info.parameters if f"`{key}`" not in text] == []


def test_every_route_is_documented() -> None:
    """Each route and each of its failures says what it means, and the page has it."""
    document = rest.document()
    page = rest.page(document)

    for method, path, route in rest.routes(document):
        assert f"\n## {method} {path}\n" in page
        assert route.get("description"), f"{method} {path} says nothing"
        assert all(answer["description"] for answer in route["responses"].values())


def test_folders_of_the_navigation_hold_what_is_not_named(tmp_path: Path) -> None:
    for page in ("guides/b.md", "guides/a.md", "guides/first.md"):
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text("# A page\n")

    nav = navigation.expanded(["index.md", {"Guides": ["guides/first.md", "guides/"]}], tmp_path)

    assert nav == ["index.md", {"Guides": ["guides/first.md", "guides/a.md", "guides/b.md"]}]
