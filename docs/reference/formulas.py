r"""Hook of the site: formulas between dollar signs are drawn while it is built.

matplotlib draws them as outlines, so that a page needs no script, no font and no other host. The
same ``$...$`` and ``$$...$$`` are shown as formulas by GitHub.
"""

import html
import re
from functools import cache

from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath

__all__ = ["on_page_content", "svg"]

SIZE = 100.0  # units per em of the drawing
LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}
# What pymdownx.arithmatex leaves for a script to draw.
DRAWN = re.compile(r'class="arithmatex">\\[(\[](.+?)\\[)\]]<', re.DOTALL)


def on_page_content(content: str, **_: object) -> str:
    """Replace each formula of a page by its drawing."""
    return DRAWN.sub(lambda match: f'class="arithmatex">{svg(html.unescape(match[1]))}<', content)


@cache
def svg(formula: str) -> str:
    r"""A formula as a drawing in the colour and size of the text around it.

    Examples
    --------
    >>> svg(r"\alpha")[:4], 'aria-label="\\alpha"' in svg(r"\alpha")
    ('<svg', True)
    """
    text = " ".join(formula.split())
    font = FontProperties(math_fontfamily="stix")
    path = TextPath((0, 0), f"${text}$", size=SIZE, prop=font)
    box = path.get_extents()
    size = f"width:{box.width / SIZE:.3f}em;height:{box.height / SIZE:.3f}em"
    return (
        f'<svg class="formula" role="img" aria-label="{html.escape(text)}"'
        f' style="{size};vertical-align:{box.y0 / SIZE:.3f}em"'
        f' viewBox="{box.x0:.0f} {-box.y1:.0f} {box.width:.0f} {box.height:.0f}">'
        f'<path fill="currentColor" d="{_outline(path)}"/></svg>'
    )


def _outline(path: Path) -> str:
    """The outline in the words of SVG, whose y points down."""
    parts = []
    for points, code in path.iter_segments(simplify=False, curves=True):
        if code == Path.CLOSEPOLY:
            parts.append("Z")
        else:
            pairs = zip(points[0::2], points[1::2], strict=True)
            parts.append(LETTERS[code] + " ".join(f"{x:.0f} {-y:.0f}" for x, y in pairs))
    return "".join(parts)
