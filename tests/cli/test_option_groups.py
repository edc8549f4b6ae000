"""Options that several commands share are declared once."""

from typing import Any

import pytest

from docs.reference.commands import commands
from stopwise.cli.options import TABLE
from tests.cli.typed import run

MOST = 38


def test_every_command_that_compares_has_every_setting() -> None:
    """A new setting is an option of all of them unless one leaves it out on purpose."""
    known = {name: {one.name for one in command.params} for name, command in commands()}
    settings = {one.name for rows in TABLE.values() for one in rows if one.part == "comparison"} - {
        "later"
    }

    for name in ("analyze", "watch"):
        assert settings <= known[f"stopwise {name}"]
    assert settings - known["stopwise race"] == {"adjust", "ties", "by", "list_size"}
    # A plan simulates scores, not wins.
    assert settings - known["stopwise plan"] == {"adjust", "ties", "by"}
    assert settings - known["stopwise forecast"] == {"baseline", "by", "futility"}
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
        assert all(one.rich_help_panel for one in options)
        assert "─ Output ─" in shown
        assert 0 < example < shown.index("─ Start here ─")
