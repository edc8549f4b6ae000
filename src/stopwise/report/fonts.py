"""Names in figures: long ones are broken, and fonts have their characters."""

import re
from functools import cache
from importlib.util import find_spec
from textwrap import TextWrapper
from typing import TYPE_CHECKING

from stopwise.errors import StopwiseError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def require_matplotlib() -> None:
    """Raise with the extra to install if there is nothing to draw with."""
    if find_spec("matplotlib") is None:
        raise StopwiseError('figures need matplotlib: pip install "stopwise[plots]"')


class _NameWrapper(TextWrapper):
    """Breaks names also after the signs that join their parts."""

    wordsep_re = re.compile(r"(\s+|[^\s_/.,+-]*[_/.,+-]+)")


def wrapped(name: str, width: int = 24) -> str:
    """A name in lines of at most that width; a dollar sign begins no formula."""
    return "\n".join(_NameWrapper(width).wrap(name)).replace("$", r"\$")


def drawable(figure: "Figure") -> "Figure":
    """The figure with fonts that have its characters."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        fonts = {_family_with(sign) for sign in _beyond_default(text.get_text())}
        families = [*text.get_fontfamily(), *sorted(map(str, fonts - {None}))]
        text.set_fontfamily(list(dict.fromkeys(families)))
    return figure


def _beyond_default(text: str) -> list[str]:
    """The characters that the usual font lacks, each once, in order."""
    require_matplotlib()
    from matplotlib.font_manager import FontProperties, findfont

    usual = _characters(findfont(FontProperties()))
    return [sign for sign in dict.fromkeys(text) if not sign.isspace() and ord(sign) not in usual]


@cache
def _family_with(character: str) -> str | None:
    """A family of fonts that has the character."""
    from matplotlib.font_manager import fontManager

    # The font of last resort has a frame for every character, but no shape.
    known = [font for font in fontManager.ttflist if not font.name.startswith("Last Resort")]
    for font in sorted(known, key=lambda font: (font.style != "normal", font.name)):
        if ord(character) in _characters(font.fname):
            return font.name
    return None


@cache
def _characters(path: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(path)
    except (OSError, RuntimeError):  # a file that FreeType cannot read
        return frozenset()
    return frozenset(font.get_charmap()) if font.scalable else frozenset()
