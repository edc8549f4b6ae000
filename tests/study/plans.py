"""Plans that the tests share."""

from typing import Any

SMALL: dict[str, Any] = {"name": "cups", "policies": ["old", "new"], "tasks": ["stack"]}
# A judge scores every trial, and people those of rows that a lot picks with this chance.
CHANCE = 0.4
AUDIT: dict[str, Any] = {"design": "blocks", "n_max": 60, "audit": CHANCE}


def plan(**changes: Any) -> dict[str, Any]:
    """Return a small plan with changes."""
    return {**SMALL, **changes}
