"""Plans that the tests share."""

from typing import Any

SMALL: dict[str, Any] = {"name": "cups", "policies": ["old", "new"], "tasks": ["stack"]}


def plan(**changes: Any) -> dict[str, Any]:
    """Return a small plan with changes."""
    return {**SMALL, **changes}
