"""What every entry point of planning checks alike."""

from typing import Any

from stopwise.core.scores import is_number, require_whole
from stopwise.errors import require

__all__ = ["check_minutes", "check_work"]


def check_minutes(minutes_per_trial: Any) -> None:
    """Raise unless this is a time per trial, or None."""
    require(
        minutes_per_trial is None or (is_number(minutes_per_trial) and minutes_per_trial > 0),
        f"minutes_per_trial must be above 0, but got {minutes_per_trial!r}",
    )


def check_work(minutes_per_trial: Any, precision: Any, seed: Any) -> None:
    """Raise unless time per trial, precision and seed can be used."""
    check_minutes(minutes_per_trial)
    require(
        is_number(precision) and 0.001 <= precision <= 0.2,
        f"precision must lie between 0.001 and 0.2, but got {precision!r}",
    )
    require_whole(seed, "seed", 0)
