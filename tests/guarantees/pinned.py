"""Counts that are pinned, so that any change of behaviour shows."""

import json
import os
from pathlib import Path

from scipy.stats import binomtest

PINNED = Path(__file__).with_name("pinned.json")


def assert_at_most(errors: int, runs: int, level: float) -> None:
    """Fail if so many errors are implausible at this level (one test in 10,000 by chance)."""
    assert binomtest(errors, runs, level, alternative="greater").pvalue > 1e-4, (
        errors,
        runs,
        level,
    )


def assert_pinned(key: str, counts: list[int]) -> None:
    """Compare with the recorded counts; ``STOPWISE_PIN=1 pytest -p no:xdist`` records anew."""
    recorded = json.loads(PINNED.read_text()) if PINNED.exists() else {}
    if os.environ.get("STOPWISE_PIN"):
        recorded[key] = counts
        lines = ",\n".join(
            f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(recorded.items())
        )
        PINNED.write_text("{\n" + lines + "\n}\n")
    assert recorded[key] == counts
