"""What a person sees while a table is made, or many rows are gone through."""

import io
import sys
from pathlib import Path

import pytest

import stopwise as sw
from stopwise import display


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Whether this is a terminal."""
        return True


def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Called within a test, since pytest puts its own stream back after fixtures."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_a_new_table_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    terminal = at_a_terminal(monkeypatch)
    monkeypatch.setenv("STOPWISE_CACHE", str(tmp_path))

    sw.step_design(0.05, 20)

    assert "table of step for n_max = 20" in terminal.getvalue()


def test_a_bar_moves_now_and_then_and_reaches_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    with display.bar("work") as move:
        for done in range(100_001):
            move(done, 100_000)

    assert "100%" in terminal.getvalue()
    assert terminal.getvalue().count("work") < 500


def test_nothing_is_shown_outside_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with display.bar("work") as move:
        move(1, 4)

    assert capsys.readouterr().err == ""


def test_a_bar_within_a_bar_adds_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two separate bars would overwrite each other's line."""
    terminal = at_a_terminal(monkeypatch)
    with display.bar("outer work") as outer:
        outer(1, 2)
        with display.bar("inner work") as inner:
            inner(1, 4)
            display._shown[-1].refresh()

    frame = next(part for part in terminal.getvalue().split("\r") if "inner work" in part)
    assert "outer work" in frame
    assert not display._shown
