"""Counts that are pinned, so that any change of behaviour shows.

``python -m tests.guarantees.pinned`` counts anew, prints what moved, and keeps the old pin where
errors have become more frequent than chance explains. What follows it on the line goes to pytest.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

PINNED = Path(__file__).with_name("pinned.json")
EDITIONS = Path(__file__).parents[1] / "core" / "editions.json"
PINNED_BY = ("tests/guarantees", "tests/study/test_whole_studies.py", "tests/core/test_editions.py")
# Names the file that takes what is counted while pins are made.
COUNTING = "STOPWISE_COUNTING"
# A rise that chance explains less often than this is refused.
LEAST_CHANCE = 0.01


def assert_at_most(errors: int, runs: int, level: float) -> None:
    """Fail if so many errors are implausible at this level (one test in 10,000 by chance)."""
    assert binomtest(errors, runs, level, alternative="greater").pvalue > 1e-4, (
        errors,
        runs,
        level,
    )


def assert_pinned(key: str, counts: list[int]) -> None:
    """Compare with the recorded counts."""
    assert_recorded(PINNED, key, counts)


def assert_recorded(place: Path, key: str, value: Any) -> None:
    """Compare with what is recorded in a file; while pins are made, note it instead."""
    if COUNTING in os.environ:
        with Path(os.environ[COUNTING]).open("a") as noted:
            noted.write(json.dumps([place.name, key, value]) + "\n")
        return
    recorded = json.loads(place.read_text())
    assert recorded[key] == value, "python -m tests.guarantees.pinned shows what moved, and pins it"


def bound(count: int) -> int:
    """Return the largest new count that chance explains, given the old one of as many runs."""
    new = count
    while binomtest(new + 1, count + new + 1, 0.5, alternative="greater").pvalue >= LEAST_CHANCE:
        new += 1
    return new


def refusal(old: Any, new: Any) -> str | None:
    """Return why a pin may not move so, or None if it may."""
    if isinstance(new, Mapping):
        same = isinstance(old, Mapping) and old["edition"] == new["edition"]
        return (
            "other evidence needs another edition (of what no release had, delete the line first)"
            if same
            else None
        )
    if old is None or len(old) != len(new):
        return None
    rises = [f"{one} > {bound(was)}" for was, one in zip(old, new, strict=True) if one > bound(was)]
    return f"more errors than chance explains ({', '.join(rises)})" if rises else None


def pinned_anew(
    recorded: Mapping[str, Any], counted: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str], bool]:
    """Return the new pins, a line for each that moved, and whether all of them may."""
    pins, lines, accepted = dict(recorded), [], True
    for key, new in counted.items():
        old = recorded.get(key)
        if old == new:
            continue
        refused = refusal(old, new)
        counts = old if isinstance(old, list) else []
        limit = f" (at most {[bound(count) for count in counts]})" if counts else ""
        lines.append(f"{key}: {old} -> {new}{limit}{f': REFUSED, {refused}' if refused else ''}")
        accepted = accepted and refused is None
        if refused is None:
            pins[key] = new
    return pins, lines, accepted


def main(arguments: list[str]) -> int:
    """Count anew, print what moved, and write the pins that may move."""
    with tempfile.TemporaryDirectory() as folder:
        noted = Path(folder) / "counted"
        noted.touch()
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", *(arguments or PINNED_BY)]
        status = subprocess.run(command, env={**os.environ, COUNTING: str(noted)}, check=False)
        entries = [json.loads(line) for line in noted.read_text().splitlines()]
    accepted = status.returncode == 0
    for place in (PINNED, EDITIONS):
        counted = {key: value for name, key, value in entries if name == place.name}
        pins, lines, allowed = pinned_anew(json.loads(place.read_text()), counted)
        told = [f"{place.name}: {len(counted)} counted, {len(lines)} moved", *lines]
        sys.stdout.write("\n  ".join(told) + "\n")
        accepted = accepted and allowed
        rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(pins[k])}" for k in sorted(pins))
        place.write_text("{\n" + rows + "\n}\n")
    return 0 if accepted else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
