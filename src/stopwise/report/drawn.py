"""Answers that can show themselves: in a notebook, as tables for others, as files of figures."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from stopwise.report.canvas import COLUMN, as_wide_as, save_as

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Most pairs that a table for people lists, those of six policies; a page folds one that is longer.
MOST_PAIRS = 15

Rows = Sequence[Mapping[str, object]]
# Characters that LaTeX takes for commands, with what stands for them.
LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    # Other characters in the font that LaTeX takes if it is not told otherwise:
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
MARKDOWN = str.maketrans({character: f"\\{character}" for character in "|<*`"})
NUMBER = re.compile(r"[-+]?[\d.,]+%?")


class Drawn(ABC):
    """An answer with a sentence, tables and figures."""

    # What pages and commands use, and completion leaves out.
    UNLISTED: ClassVar[frozenset[str]] = frozenset({"UNLISTED"})

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The answer in words, and what it rests on."""

    @abstractmethod
    def text_tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return its tables as people read them, by caption."""

    @abstractmethod
    def table(self) -> list[dict[str, Any]]:
        """The rows of its main table, with all that is known."""

    def to_markdown(self) -> str:
        """The tables as people read them, for Markdown."""
        return "\n\n".join(markdown_table(rows) for rows in self.text_tables().values() if rows)

    def to_latex(self) -> str:
        """The tables as people read them, for LaTeX with the package booktabs."""
        return "\n\n".join(latex_table(rows) for rows in self.text_tables().values() if rows)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.sentence}>"

    def __dir__(self) -> list[str]:
        """Names for completion: not those that only pages and commands use."""
        return [name for name in super().__dir__() if name not in self.UNLISTED]

    def _repr_html_(self) -> str:
        tables = "".join(_table(rows) for rows in self.text_tables().values() if rows)
        return f"<p>{escape(self.sentence)}</p>{tables}"

    @abstractmethod
    def figures(self) -> dict[str, "Figure"]:
        """All figures by the name under which they are saved."""

    def save_figures(self, folder: str | Path, *, width: float = COLUMN) -> list[Path]:
        """Save all figures as PDF, SVG and PNG, so many inches wide; return the paths.

        Letters have at least 7 points at that width: 3.5 is a column of a paper, 7.2 a page.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        paths: list[Path] = []
        with as_wide_as(width):
            for name, figure in self.figures().items():
                paths += save_as(figure, folder / name)
        return paths


def _table(rows: Sequence[Mapping[str, object]]) -> str:
    lines = [_line("th", rows[0]), *(_line("td", row.values()) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _line(kind: str, cells: Iterable[object]) -> str:
    return f"<tr>{''.join(f'<{kind}>{escape(str(cell))}</{kind}>' for cell in cells)}</tr>"


def markdown_table(rows: Rows) -> str:
    """Rows as a table for Markdown, numbers to the right."""
    lines = [
        list(rows[0]),
        ["---:" if right else "---" for right in _right_aligned(rows)],
        *([str(value).translate(MARKDOWN) for value in row.values()] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex_table(rows: Rows) -> str:
    """Rows as a ``tabular`` for LaTeX; its rules are those of the package booktabs."""
    columns = "".join("r" if right else "l" for right in _right_aligned(rows))
    lines = [" & ".join(_latex(value) for value in row.values()) + r" \\" for row in rows]
    # Behind the end of a row, LaTeX takes a bracket or a star for a part of the command.
    lines = [f"{{}}{line}" if line.startswith(("[", "*")) else line for line in lines]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(map(_latex, rows[0])) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _right_aligned(rows: Rows) -> list[bool]:
    return [all(NUMBER.fullmatch(str(row[name])) for row in rows) for name in rows[0]]


def _latex(value: object) -> str:
    return "".join(LATEX.get(character, character) for character in str(value))
