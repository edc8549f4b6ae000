"""The report: one self-contained page, for a phone, a screen and paper."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from stopwise import __version__
from stopwise.ranking.analysis import Analysis
from stopwise.report.methods_text import methods_paragraph

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Chapter", "render"]


CAPTIONS = {
    "scores": "Every score, with the mean and its interval",
    "p_values": "Anytime p-values, adjusted for all pairs, until the decision",
    "e_values": "Evidence of each pair",
    "intervals": "Differences of the means",
    "ranking": "Which policies were told apart",
}


@dataclass(frozen=True)
class Chapter:
    """A table that follows the analyses: its title, its columns and its rows of text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def render(
    analyses: Sequence[Analysis],
    figures: list[dict[str, "Figure"]],
    chapters: Sequence[Chapter] = (),
) -> str:
    """Return the page with one section per task; text is escaped by the template."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    text = files("stopwise.report").joinpath("templates/report.html").read_text(encoding="utf-8")
    sections = [
        {
            "analysis": analysis,
            "figures": [(CAPTIONS[name], _as_svg(figure)) for name, figure in drawn.items()],
            "methods": methods_paragraph(analysis),
        }
        for analysis, drawn in zip(analyses, figures, strict=True)
    ]
    return environment.from_string(text).render(
        sections=sections, chapters=chapters, version=__version__
    )


def _as_svg(figure: "Figure") -> str:
    """Return an image source; as data in an <img>, so that no script inside could ever run."""
    picture = io.BytesIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(picture.getvalue()).decode()
