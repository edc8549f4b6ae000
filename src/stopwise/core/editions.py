"""Saved data of another edition or format is refused in one line."""

from stopwise.core.registry import edition_of


def other_format(begun: str, number: object, ours: int) -> str | None:
    """Why data of this format cannot be used, or None if it can."""
    if number == ours and type(number) is int:
        return None
    return _refusal(f"{begun} in format {number!r}", f"reads format {ours}", "continue")


def other_edition(
    method: str, edition: object, begun: str, *, version: str = "", go_on: str = "continue"
) -> str | None:
    """Why data of this edition cannot be used, or None if it can."""
    ours = edition_of(method)
    if edition == ours:
        return None
    return _refusal(
        f"{begun} with edition {edition} of {method}{version}", f"has edition {ours}", go_on
    )


def _refusal(begun: str, ours: str, go_on: str) -> str:
    return (
        f"{begun}, but this stopwise {ours}: {go_on} with the stopwise version it was started with"
    )
