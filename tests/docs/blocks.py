"""The code of a guide, to be run by tests that have what it needs."""

import re
from pathlib import Path

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def blocks(page: str, heading: str) -> list[str]:
    """Python blocks of one section that are shown without their output."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    python = re.findall(r"^```python\n(.*?)^```", section, flags=re.DOTALL | re.MULTILINE)
    return [block for block in python if not block.startswith(">>>")]
