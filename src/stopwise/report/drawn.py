"""Answers that can draw themselves, and their figures as files."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Of pixels, also of those within vector figures.
DPI = 160


class Drawn(ABC):
    """An answer with figures."""

    @abstractmethod
    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""

    def figure_note(self) -> str | None:
        """Return what has to be said of the figures, if anything."""
        return None

    def save_figures(self, folder: str | Path) -> list[Path]:
        """Save all figures as SVG and PNG; return the paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name, figure in self.figures().items():
            for ending in ("svg", "png"):
                path = folder / f"{name}.{ending}"
                figure.savefig(path, dpi=DPI)
                paths.append(path)
        return paths
