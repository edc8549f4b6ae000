"""Commands as they are typed."""

from pathlib import Path

from typer.testing import CliRunner, Result

from stopwise.cli import app
from stopwise.data.example import four_policies

EXAMPLE = str(four_policies())


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and everything printed."""
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    return result.exit_code, result.output


def study(*arguments: str | Path, typed: str = "") -> Result:
    """Run a command of studies."""
    return CliRunner().invoke(app, ["study", *map(str, arguments)], input=typed)
