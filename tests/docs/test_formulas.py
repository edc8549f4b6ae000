"""Formulas are drawn when the site is built; code with dollar signs stays code."""

from pathlib import Path

import markdown
import pytest

from docs.reference import formulas

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if "$$" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_formula_is_drawn(page: Path) -> None:
    text = page.read_text(encoding="utf-8") + "\n```bash\necho $HOME $USER\n```\n"
    content = str(
        markdown.markdown(
            text,
            extensions=["tables", "pymdownx.superfences", "pymdownx.arithmatex"],
            extension_configs={"pymdownx.arithmatex": {"generic": True}},
        )
    )

    drawn = formulas.on_page_content(content)

    assert drawn.count("<svg") == content.count('class="arithmatex"') > 0
    assert "$HOME" in drawn
