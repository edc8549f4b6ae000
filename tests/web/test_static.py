"""Scripts of the pages: what works without a server needs all of them at hand."""

import re
from pathlib import Path

import stopwise.web

WEB = Path(stopwise.web.__file__).parent
IMPORT = re.compile(r'from "\./(\w+)\.js"')


def needed(name: str) -> set[str]:
    """Return a script and all that it imports."""
    text = (WEB / "static" / f"{name}.js").read_text(encoding="utf-8")
    return {name}.union(*(needed(other) for other in IMPORT.findall(text)))


def test_the_operators_page_keeps_every_script_that_it_needs() -> None:
    page = (WEB / "templates" / "operate.html").read_text(encoding="utf-8")
    scripts = set().union(*map(needed, re.findall(r"/static/(\w+)\.js", page)))
    worker = (WEB / "static" / "worker.js").read_text(encoding="utf-8")
    lists = worker[worker.index("const scripts") : worker.index("const all")]
    assert set(re.findall(r'"(\w+)"', lists)) == scripts
