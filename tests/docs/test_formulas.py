"""Formulas are drawn when the site is built; a page that a script would have to finish is none."""

from pathlib import Path

import markdown
import pytest

from docs.reference import formulas

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if "$$" in page.read_text(encoding="utf-8")]


def converted(text: str) -> str:
    extensions = ["tables", "pymdownx.superfences", "pymdownx.arithmatex"]
    settings = {"pymdownx.arithmatex": {"generic": True}}
    return str(markdown.markdown(text, extensions=extensions, extension_configs=settings))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_formula_is_drawn(page: Path) -> None:
    content = converted(page.read_text(encoding="utf-8"))

    drawn = formulas.on_page_content(content)

    assert content.count('class="arithmatex"') > 0
    assert drawn.count("<svg") == content.count('class="arithmatex"')


def test_a_formula_is_as_wide_as_its_signs_and_says_what_it_is() -> None:
    short, long = formulas.svg("x"), formulas.svg(r"x < \sqrt{y + z}")

    assert 'aria-label="x"' in short
    assert r'aria-label="x &lt; \sqrt{y + z}"' in long
    assert len(long) > len(short)


def test_code_with_dollar_signs_stays_code() -> None:
    content = converted("```bash\necho $HOME $USER\n```\n")

    assert formulas.on_page_content(content) == content
