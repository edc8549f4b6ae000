"""Measured figures in documents: each stands between ``<!-- name -->`` and ``<!-- end -->``.

Run ``python -m benchmarks.document docs/results/paper.md FOLDER`` after
``python -m benchmarks.paper --all --out FOLDER``: every section of the document is replaced by the
Markdown file of its name.
"""

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def fill(document: Path, sections: Mapping[str, str]) -> None:
    """Replace the sections that are given and there; all others stay as they are."""
    text = document.read_text(encoding="utf-8")
    for name, content in sections.items():
        if f"<!-- {name} -->\n" not in text:
            continue
        before, rest = text.split(f"<!-- {name} -->\n", 1)
        after = rest.split("<!-- end -->", 1)[1]
        text = f"{before}<!-- {name} -->\n{content}\n<!-- end -->{after}"
    document.write_text(text, encoding="utf-8")


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table, as documents hold it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    names = re.findall(r"<!-- (.+) -->", arguments.document.read_text(encoding="utf-8"))
    files = {name: arguments.folder / f"{name}.md" for name in names}
    fill(
        arguments.document,
        {
            name: path.read_text(encoding="utf-8").strip()
            for name, path in files.items()
            if path.is_file()
        },
    )


if __name__ == "__main__":
    main()
