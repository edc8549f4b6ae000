"""The report: one self-contained page, for a phone, a screen and paper."""

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stopwise import __version__
from stopwise.core.promise import p_value_name
from stopwise.core.scores import interval_text, score_text
from stopwise.report.drawn import DPI
from stopwise.report.fonts import font_note

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.questions.analysis import Analysis

CAPTIONS = {
    "eliminations": "Who was dropped when",
    "scores": "Every score, with the mean and its interval",
    "p_values": "{p_value}-values, adjusted for all pairs, until the decision",
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
    analyses: Sequence["Analysis"],
    figures: list[dict[str, "Figure"]],
    chapters: Sequence[Chapter] = (),
) -> str:
    """Return the page with one section per task."""
    sections = []
    for analysis, drawn in zip(analyses, figures, strict=True):
        p_value = p_value_name(analysis.method)
        name = p_value[0].upper() + p_value[1:]
        captions = {key: text.format(p_value=name) for key, text in CAPTIONS.items()}
        sections.append(
            {
                "analysis": analysis,
                "figures": captioned(drawn, captions),
                "figure_note": font_note(policy.name for policy in analysis.policies),
                "p_value": p_value,
            }
        )
    titles = {analysis.ASKS for analysis in analyses}
    title = titles.pop() if len(titles) == 1 else "Which policy is better?"
    return render_page("report.html", title=title, sections=sections, chapters=chapters)


def render_page(template: str, **content: Any) -> str:
    """Return a page from a template of this package; text is escaped."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("stopwise.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["score"] = score_text
    environment.filters["interval"] = interval_text
    return environment.get_template(template).render(version=__version__, **content)


def captioned(
    figures: Mapping[str, "Figure"], captions: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return captions and image sources."""
    return [(captions[name], _as_svg(figure)) for name, figure in figures.items()]


def _as_svg(figure: "Figure") -> str:
    """Return an image source; as data in an <img>, so that no script inside could ever run."""
    picture = io.BytesIO()
    figure.savefig(picture, format="svg", dpi=DPI, metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(picture.getvalue()).decode()
