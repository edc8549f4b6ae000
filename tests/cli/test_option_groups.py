"""Options that several commands share are declared once."""

from dataclasses import dataclass
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from docs.reference.commands import commands
from stopwise.cli.option_groups import OptionGroup, flag, grouped, option
from stopwise.cli.options import ComparisonOptions
from stopwise.cli.panels import PLACE
from tests.cli.typed import run


@dataclass(frozen=True, kw_only=True)
class Cooking(OptionGroup):
    """Options of an example."""

    minutes: int = option("How long.", 5)
    salt: bool = flag("With salt.")


@dataclass(frozen=True, kw_only=True)
class Baking(Cooking, left_out=("salt",)):
    """The same with another default, and without salt."""

    minutes: int = option("How long in the oven.", 50)


def test_a_group_becomes_options_and_comes_back_as_one_object() -> None:
    taken: list[Any] = []
    app = typer.Typer()

    @app.command()
    @grouped
    def bake(*, what: str, baking: Baking, loud: bool = False) -> None:
        taken.append((what, baking, loud))

    @app.command()
    @grouped
    def cook(*, what: str, cooking: Cooking) -> None:
        taken.append((what, cooking.keywords()))

    def typed(*words: str) -> int:
        return CliRunner().invoke(app, list(words)).exit_code

    assert typed("bake", "bread", "--loud") == 0
    assert typed("cook", "soup", "--minutes", "9", "--salt") == 0
    assert typed("bake", "bread", "--salt") == 2
    assert taken == [("bread", Baking(), True), ("soup", {"minutes": 9, "salt": True})]
    assert Baking().keywords() == {"minutes": 50}


MOST = 38


def test_every_command_that_compares_has_every_setting() -> None:
    """A new setting is an option of all of them unless one leaves it out on purpose."""
    known = {name: {one.name for one in command.params} for name, command in commands()}
    settings = set(ComparisonOptions.options())

    for name in ("analyze", "watch"):
        assert settings <= known[f"stopwise {name}"]
    assert settings - known["stopwise race"] == {"adjust", "ties", "by", "list_size"}
    # A plan simulates scores, not wins.
    assert settings - known["stopwise plan"] == {"adjust", "ties", "by"}
    assert settings - known["stopwise forecast"] == {"baseline", "by"}
    of_many = {"adjust", "ties", "baseline", "goal", "indifference"}
    assert settings - known["stopwise compare"] == of_many


@pytest.mark.parametrize(
    ("name", "command"), [pair for pair in commands() if " study " not in pair[0]]
)
def test_help_shows_few_options_in_panels_and_two_examples_first(name: str, command: Any) -> None:
    options = [one for one in command.params if one.param_type_name == "option"]
    code, shown = run(*name.split()[1:], "--help")
    example = shown.find(f" {name} ", shown.find("Usage:") + 20)

    assert code == 0
    assert len(options) <= MOST
    assert "<bool>" not in shown
    if len(options) > 12:
        assert {one.name for one in options} <= PLACE.keys()
        assert "─ Output ─" in shown
        assert 0 < example < shown.index("─ Start here ─")


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_an_unknown_option_is_one_line(name: str) -> None:
    code, output = run(*name.split()[1:], "--nonsense")

    assert code == 2
    assert output.startswith(f"{name}: No such option: --nonsense")
    assert len(output.splitlines()) == 1


@pytest.mark.parametrize("group", ["", "study", "study token"])
def test_an_unknown_command_is_one_line(group: str) -> None:
    code, output = run(*group.split(), "nonsense")

    assert code == 2
    name = " ".join(["stopwise", *group.split()])
    assert output == f"{name}: No such command 'nonsense'; see `{name} --help`\n"
