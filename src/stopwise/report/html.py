"""The report: one self-contained page, for a phone, a screen and paper."""

import base64
import io
from importlib.resources import files
from typing import TYPE_CHECKING

from stopwise import __version__
from stopwise.ranking.analysis import Analysis
from stopwise.report.methods_text import methods_paragraph

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["render"]


CAPTIONS = {
    "scores": "Every score, with the mean and its interval",
    "p_values": "Anytime p-values, adjusted for all pairs, until the decision",
    "e_values": "Evidence of each pair",
    "intervals": "Differences of the means",
    "ranking": "Which policies were told apart",
}


def render(analyses: list[Analysis], figures: list[dict[str, "Figure"]]) -> str:
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
    return environment.from_string(text).render(sections=sections, version=__version__)


def _as_svg(figure: "Figure") -> str:
    """Return an image source; as data in an <img>, so that no script inside could ever run."""
    picture = io.BytesIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(picture.getvalue()).decode()
