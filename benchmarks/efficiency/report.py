"""Put measured figures into the tables of ``docs/results.md``.

Run ``python -m benchmarks.efficiency.report FOLDER``, where FOLDER holds the JSON files of the
other benchmarks: ``compare*.json``, ``adversarial*.json``, ``against_step.json``,
``correlation.json``. A table stands between ``<!-- name -->`` and
``<!-- end -->``; tables without a file stay as they are.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.document import fill
from benchmarks.efficiency import adversarial, against_step, compare, correlation
from benchmarks.efficiency.compare import ALPHA

DOCUMENT = Path(__file__).parents[2] / "docs" / "results.md"


def _read(folder: Path, pattern: str) -> list[Any]:
    """Return the entries of all files that match, lists joined."""
    entries: list[Any] = []
    for path in sorted(folder.glob(pattern)):
        content = json.loads(path.read_text())
        entries += content if isinstance(content, list) else [content]
    return entries


def main() -> None:
    """Replace the tables for which there are figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--document", type=Path, default=DOCUMENT)
    arguments = parser.parse_args()
    compared = sorted(_read(arguments.folder, "compare*.json"), key=lambda s: (s["n"], -s["alpha"]))
    independent = [setting for setting in compared if setting["design"] == "independent"]
    paired = [setting for setting in compared if setting["design"] == "paired"]
    against = _read(arguments.folder, "against_step.json")
    sections: list[tuple[str, list[Any], Callable[[Any], str]]] = [
        ("overall", independent, compare.overall),
        ("families", [s for s in independent if s["alpha"] == ALPHA], compare.families),
        ("others", [s for s in independent if s["n"] == 200], compare.others),
        ("paired", paired, compare.overall),
        ("step", against, lambda runs: against_step.step(runs[0])),
        ("drift", against, lambda runs: against_step.drift(runs[0])),
        ("nulls", against, lambda runs: against_step.null_rates(runs[0])),
        ("adversarial", _read(arguments.folder, "adversarial*.json"), adversarial.table),
        (
            "correlation",
            _read(arguments.folder, "correlation.json"),
            lambda runs: correlation.table(runs[0]),
        ),
    ]
    fill(
        arguments.document,
        {name: render(figures) for name, figures, render in sections if figures},
    )


if __name__ == "__main__":
    main()
