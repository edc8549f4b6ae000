"""What a person sees while a table is made."""

import io
import sys

import pytest

import stopwise as sw
from stopwise import display
from stopwise.core.step import design


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Whether this is a terminal."""
        return True


def test_bar_names_the_table_and_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")

    with display.synthesis_bar(200, 2.5) as show:
        show(1, 4)
        show(4, 4)

    assert "n_max = 200, about 2 s" in terminal.getvalue()


def test_nothing_is_shown_outside_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with display.synthesis_bar(200, 2.5) as show:
        show(1, 4)

    assert capsys.readouterr().err == ""


def test_public_entry_points_install_the_bar() -> None:
    _ = sw.SequentialTest

    assert design.announcer is display.synthesis_bar


def test_a_bar_within_a_bar_adds_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two separate bars would overwrite each other's line."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")

    with display.progress_bar("outer work") as outer:
        outer(0.5, 1)
        with display.synthesis_bar(200, 2.5) as inner:
            inner(1, 4)
            display._shown[-1].refresh()

    frame = next(part for part in terminal.getvalue().split("\r") if "n_max = 200" in part)
    assert "outer work" in frame
    assert not display._shown
