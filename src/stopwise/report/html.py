"""The report: one self-contained page, for a phone, a screen and paper."""

import base64
import hashlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stopwise import __version__
from stopwise.messages import in_short
from stopwise.report.canvas import save
from stopwise.report.drawn import MOST_PAIRS
from stopwise.report.overview import answers, overview_rows, shared_notes
from stopwise.report.tables import WORDS, pair_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.questions.analysis import Analysis

# Of more tasks the rows are not shuffled and compared anew, which takes longer than all the rest.
MOST_REPLAYED = 3
OUTLINE, DIGITS = re.compile(rb' d="[^"]*"'), re.compile(rb"(\.\d)\d+")
# More pairs of a task have no figure of all tasks.
FEW_PAIRS = 6
CAPTIONS = {
    "eliminations": "Who was dropped when",
    "scores": "Scores, means with intervals, and letters",
    "p_values": "Evidence of each pair, until the decision",
    "intervals": "Differences, with estimates",
    "ranking": "Which policies were told apart",
    "board": "Means by task and policy, with letters",
    "differences": "Differences by task",
}


@dataclass(frozen=True)
class Origin:
    """Where the trials came from: name and SHA-256 of each file, and what was typed."""

    files: tuple[tuple[str, str], ...] = ()
    command: str = ""

    @classmethod
    def of(cls, paths: Iterable[Path], command: str = "") -> "Origin":
        """The origin of these files; of a folder, all files in it."""
        files = [
            file
            for path in paths
            for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
            if file.is_file()
        ]
        return cls(tuple((str(file), _digest(file)) for file in files), command)


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
    origin: Origin | None = None,
    *,
    doubts: Sequence[str] = (),
    without: Sequence[str] = (),
) -> str:
    """The page: the answer first, an overview of several tasks, then a section for each.

    Doubts about how the trials came about stand beside the answer, and why a task is ``without``.
    What all tasks have in common (assumptions, methods) is said once, at the end.
    """
    from stopwise.report.figures import plot_board, plot_differences, policy_names

    shared = shared_notes(analyses) if analyses else []
    many, sections = len(analyses) > MOST_REPLAYED, []
    methods: dict[str, list[str]] = {}  # each paragraph once, with its tasks
    for analysis, drawn in zip(analyses, figures, strict=True):
        methods.setdefault(analysis.methods_paragraph, []).append(str(analysis.task))
        sections.append(
            {
                "analysis": analysis,
                "folded": len(analysis.pairs) > MOST_PAIRS and not many,
                "tables": analysis.text_tables() | ({} if many else {"Pairs": pair_rows(analysis)}),
                "explained": analysis.explanations(),
                "figures": captioned(drawn, CAPTIONS, analysis.headline),
                "notes": in_short(note for note in analysis.warnings if note not in shared),
            }
        )
    titles = {analysis.ASKS for analysis in analyses}
    title = titles.pop() if len(titles) == 1 else "Which policy is better?"
    several, board = len(analyses) > 1, {}
    if several and all(figures):
        board["board"] = plot_board(analyses)
        if all(0 < len(each.pairs) <= FEW_PAIRS for each in analyses):
            board["differences"] = plot_differences(analyses)
    return render_page(
        "report.html",
        title=title,
        sections=sections,
        chapters=chapters,
        doubts=doubts,
        shared=in_short(shared),
        answers=[*(answers(analyses) if analyses else ()), *without],
        words=WORDS,
        compared=policy_names(analyses),
        methods=sorted(methods.items(), key=lambda item: -len(item[1])),
        references=list(dict.fromkeys(analysis.bibtex for analysis in analyses)),
        overview=overview_rows(analyses) if several else (),
        board=captioned(board, CAPTIONS, "the numbers are in the table above"),
        origin=origin or Origin(),
    )


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def render_page(template: str, **content: Any) -> str:
    """A page from a template of this package; text is escaped."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("stopwise.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made = f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}"
    return environment.get_template(template).render(version=__version__, made=made, **content)


def captioned(
    figures: Mapping[str, "Figure"], captions: Mapping[str, str], summary: str
) -> list[tuple[str, str, str]]:
    """Caption, text for those who do not see it, and source of each figure."""
    return [
        (captions[name], f"{captions[name]}: {summary}", as_svg(figure))
        for name, figure in figures.items()
    ]


def as_svg(figure: "Figure") -> str:
    """An image source; as data in an <img>, so that no script inside could ever run."""
    picture = io.BytesIO()
    save(figure, picture, format="svg", metadata={"Date": None})
    outlines = OUTLINE.sub(_rounded, picture.getvalue())
    return "data:image/svg+xml;base64," + base64.b64encode(outlines).decode()


def _rounded(outline: re.Match[bytes]) -> bytes:
    """Tenths of a point are enough for the eye, and make a page half as large."""
    return DIGITS.sub(rb"\1", outline.group()).replace(b" \n", b"\n")
