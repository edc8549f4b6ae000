"""Tables as other programs take them: Markdown, LaTeX, and frames."""

import re
from collections.abc import Mapping, Sequence

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


def markdown_table(rows: Rows) -> str:
    """Return rows as a table for Markdown, numbers to the right."""
    lines = [
        list(rows[0]),
        ["---:" if right else "---" for right in _right_aligned(rows)],
        *([str(value).translate(MARKDOWN) for value in row.values()] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex_table(rows: Rows) -> str:
    """Return rows as a ``tabular`` for LaTeX; its rules are those of the package booktabs."""
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
