"""What a reproduction finds: tables of cells, each ours next to the published figure."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = int | float | str
UNDECIDED = "--"
# A false alarm at four standard errors has a chance of 1 in 16,000 per figure.
STANDARD_ERRORS = 4


@dataclass(frozen=True)
class Cell:
    ours: Value
    paper: Value | None = None
    error: float | None = None  # the standard error of ours where it is simulated
    agrees: bool | None = None  # None also where a stated reason keeps both apart

    @classmethod
    def exact(cls, ours: Value | None, paper: Value | None) -> "Cell":
        return cls(_shown(ours), _shown(paper), agrees=ours == paper)

    @classmethod
    def apart(cls, ours: Value | None, paper: Value | None) -> "Cell":
        """Return a figure next to a published one from which it differs for a stated reason."""
        return cls(_shown(ours), _shown(paper))

    @classmethod
    def one_of(cls, ours: int | None, possible: set[int | None], paper: int | None) -> "Cell":
        """Return a randomised decision time; the published one must be possible too."""
        return cls(_shown(ours), _shown(paper), agrees=paper in possible)

    @classmethod
    def simulated(
        cls, ours: float, error: float, paper: float | None = None, paper_error: float = 0.0
    ) -> "Cell":
        agrees = None
        if paper is not None:
            agrees = abs(ours - paper) <= STANDARD_ERRORS * math.hypot(error, paper_error)
        return cls(ours, paper, error or None, agrees)

    @property
    def starred(self) -> bool:
        return self.paper is not None and self.agrees is None and self.ours != self.paper

    @classmethod
    def own(cls, ours: Value | None) -> "Cell":
        """Return a figure of which none is published."""
        return cls(_shown(ours))


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, Mapping[str, Cell]]

    def cells(self) -> Iterator[tuple[str, Cell]]:
        for row, cells in self.rows.items():
            for column, cell in cells.items():
                yield f"{self.title}: {row}, {column}", cell


@dataclass(frozen=True)
class Result:
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    figures: Mapping[str, Callable[[], "Figure"]] = field(default_factory=dict)

    @property
    def disagreements(self) -> tuple[str, ...]:
        return self._instead(lambda cell: cell.agrees is False)

    @property
    def known_differences(self) -> tuple[str, ...]:
        return self._instead(lambda cell: cell.starred)

    def _instead(self, chosen: Callable[[Cell], bool]) -> tuple[str, ...]:
        return tuple(
            f"{name}: {cell.ours} instead of {cell.paper}"
            for table in self.tables
            for name, cell in table.cells()
            if chosen(cell)
        )

    @property
    def published(self) -> int:
        return sum(cell.paper is not None for table in self.tables for _, cell in table.cells())

    @property
    def compared(self) -> int:
        return sum(cell.agrees is not None for table in self.tables for _, cell in table.cells())

    @property
    def simulated(self) -> bool:
        return any(cell.error for table in self.tables for _, cell in table.cells())

    def to_dict(self) -> dict[str, Any]:
        return {
            "tables": [
                {
                    "title": table.title,
                    "columns": list(table.columns),
                    "rows": {
                        row: {column: vars(cell) for column, cell in cells.items()}
                        for row, cells in table.rows.items()
                    },
                }
                for table in self.tables
            ],
            "notes": list(self.notes),
            "compared": self.compared,
            "disagreements": list(self.disagreements),
            "known_differences": list(self.known_differences),
        }


def by_task(title: str, tasks: Sequence[str], columns: Mapping[str, Mapping[str, Cell]]) -> Table:
    """Return a table from its columns, with one row per task in this order."""
    rows = {
        task: {name: cells[task] for name, cells in columns.items() if task in cells}
        for task in tasks
    }
    return Table(title, tuple(columns), rows)


def published(name: str) -> dict[str, Any]:
    path = Path(__file__).with_name("expected") / f"{name}.json"
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _shown(value: Value | None) -> Value:
    return UNDECIDED if value is None else value
