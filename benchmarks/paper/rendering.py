"""Results as tables: for the terminal and as Markdown."""

from collections.abc import Iterator

from rich.table import Table as Grid

from benchmarks.paper.result import Cell, Result, Table, Value


def grids(result: Result) -> Iterator[Grid]:
    for table in result.tables:
        grid = Grid(title=table.title, title_justify="left")
        for heading in _headings(table):
            grid.add_column(heading.replace(": ", ":\n"), justify="right" if heading else "left")
        for line in _lines(table):
            grid.add_row(*line)
        yield grid


def markdown(result: Result) -> str:
    """Return all tables and notes as Markdown."""
    parts = []
    for table in result.tables:
        headings = _headings(table)
        lines = [headings, ["---"] * len(headings), *_lines(table)]
        body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        parts.append(f"**{table.title}**\n\n{body}\n")
    parts += [f"- {note}\n" if note else "" for note in result.notes]
    return "\n".join(parts)


def _headings(table: Table) -> list[str]:
    headings = [""]
    for column in table.columns:
        headings += [f"{column}: paper", "ours"] if _compares(table, column) else [column]
    return headings


def _lines(table: Table) -> Iterator[list[str]]:
    for row, cells in table.rows.items():
        line = [row]
        for column in table.columns:
            cell = cells.get(column)
            if _compares(table, column):
                line.append("" if cell is None or cell.paper is None else shown(cell.paper))
            line.append("" if cell is None else _ours(cell))
        yield line


def _compares(table: Table, column: str) -> bool:
    return any(cells[column].paper is not None for cells in table.rows.values() if column in cells)


def _ours(cell: Cell) -> str:
    mark = {True: "", False: " DIFFERS", None: ""}[cell.agrees]
    if cell.starred:
        mark = " *"
    error = "" if cell.error is None else f" ± {shown(cell.error, like=cell.ours)}"
    return f"{shown(cell.ours)}{error}{mark}"


def shown(value: Value, like: Value | None = None) -> str:
    if not isinstance(value, float):
        return str(value)
    size = abs(like if isinstance(like, float) else value)
    return f"{value:.3f}" if size <= 1 else f"{value:.1f}"
