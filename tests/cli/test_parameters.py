"""Plain values of options are read at once, and mean what typer would have read."""

from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperCommand
from typer.testing import CliRunner

from stopwise.cli.command import Command

FORMS = [
    "7",
    " 7",
    "+7",
    "-7",
    "07",
    "7.0",
    "1_0",
    "0",
    "11",
    ".5",
    "5.",
    "1e3",
    "1e400",
    "nan",
    "x",
    "",
]


def answer(cls: type[TyperCommand], words: list[str]) -> Any:
    """Value that a command of that class receives, or False if it is refused."""
    got: list[Any] = []

    def command(
        files: Annotated[list[Path] | None, typer.Argument()] = None,
        count: Annotated[int | None, typer.Option(min=1, max=10)] = None,
        share: Annotated[float, typer.Option()] = 0.25,
        name: Annotated[str | None, typer.Option()] = None,
        words: Annotated[list[str] | None, typer.Option("--word")] = None,
        place: Annotated[Path | None, typer.Option()] = None,
        flag: Annotated[bool, typer.Option("--flag")] = False,
    ) -> None:
        got.extend([files, count, share, name, words, place, flag])

    app = typer.Typer(add_completion=False)
    app.command(cls=cls)(command)
    return got if CliRunner().invoke(app, words).exit_code == 0 else False


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["a.csv", "b c.csv", "--flag"],
        ["--word", "x", "--word", "", "--name", "ü\n", "--place", "some/where"],
        *(["--count", form] for form in FORMS),
        *(["--share", form] for form in FORMS),
    ],
    ids=repr,
)
def test_values_are_read_as_typer_reads_them(words: list[str]) -> None:
    assert repr(answer(Command, words)) == repr(answer(TyperCommand, words))


def test_the_cases_include_accepted_and_refused_ones() -> None:
    assert answer(Command, ["--count", "7", "--share", ".5"])[1:3] == [7, 0.5]
    assert answer(Command, ["--count", "11"]) is False


@pytest.mark.parametrize(("text", "value"), [("70%", 0.7), ("5 %", 0.05), ("-5%", -0.05)])
def test_a_number_may_be_a_percentage(text: str, value: float) -> None:
    assert answer(Command, ["--share", text])[2] == value
    assert answer(Command, ["--share", f"{text}%"]) is False
