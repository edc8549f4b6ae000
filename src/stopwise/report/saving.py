"""Figures as files."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["save_figures"]


def save_figures(figures: Mapping[str, "Figure"], folder: str | Path) -> list[Path]:
    """Save each figure as SVG and PNG under its name; return the paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in figures.items():
        for ending in ("svg", "png"):
            path = folder / f"{name}.{ending}"
            figure.savefig(path, dpi=160)
            paths.append(path)
    return paths
