"""Values of options are read without typer's own machinery."""

from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from stopwise.cli.command import Command


def answer(*words: str) -> Any:
    """Values that a command receives, or what it says of them."""
    got: list[Any] = []

    def command(
        files: Annotated[list[Path] | None, typer.Argument()] = None,
        count: Annotated[int | None, typer.Option(min=1, max=10)] = None,
        share: Annotated[float, typer.Option()] = 0.25,
        words: Annotated[list[str] | None, typer.Option("--word")] = None,
        place: Annotated[Path | None, typer.Option()] = None,
        flag: Annotated[bool, typer.Option("--flag")] = False,
    ) -> None:
        got.extend([files, count, share, words, place, flag])

    app = typer.Typer(add_completion=False)
    app.command(cls=Command)(command)
    done = CliRunner().invoke(app, list(words))
    return got if done.exit_code == 0 else done.output


def test_each_kind_of_value() -> None:
    assert answer() == [None, None, 0.25, None, None, False]
    typed = ("a.csv", "b c.csv", "--flag", "--word", "x", "--word", "", "--place", "some/where")
    expected = [[Path("a.csv"), Path("b c.csv")], None, 0.25, ["x", ""], Path("some/where"), True]
    assert answer(*typed) == expected
    assert answer("--count", "7", "--share", ".5")[1:3] == [7, 0.5]


@pytest.mark.parametrize(("text", "value"), [("70%", 0.7), ("5 %", 0.05), ("-5%", -0.05)])
def test_a_number_may_be_a_percentage(text: str, value: float) -> None:
    assert answer("--share", text)[2] == value
    assert f"--share must be a number, but got '{text}%'" in answer("--share", f"{text}%")
