"""Where the rows of an evaluation are reported: trackers of runs, and functions of the user."""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import Any

from stopwise.errors import InvalidInput, MissingPackage, require, require_choice
from stopwise.trackers.reporter import Reporter
from stopwise.trackers.tracker import OnRow, RowFunction, Tracker

# By name: the module and the class of ours, and the packages whose runs it takes.
TRACKERS = {
    "wandb": ("wandb_run", "WandbRun", ("wandb",)),
    "tensorboard": ("tensorboard_log", "TensorboardLog", ("tensorboardX", "torch")),
}


def reporter_of(report_to: Any, on_row: RowFunction | None = None) -> Reporter:
    """Open the trackers and return what reports to them; without any, it does nothing.

    A name stands for the run that is open, if there is one; else one is opened, and closed at the
    end.
    """
    several = isinstance(report_to, Iterable) and not isinstance(report_to, str)
    given = list(report_to) if several else [] if report_to is None else [report_to]
    require(
        on_row is None or callable(on_row),
        f"on_row must be a function of a row and its values, but got {on_row!r}",
        parameter="on_row",
    )
    makers = [_maker(place) for place in given]  # all, before a run is opened for any
    trackers = [tracker for maker in makers if (tracker := _opened(*maker)) is not None]
    return Reporter([*trackers, *([] if on_row is None else [OnRow(on_row)])])


def _maker(place: Any) -> tuple[str, Callable[[], Tracker]]:
    if isinstance(place, str):
        require_choice("report_to", place, TRACKERS)
        return place, partial(_made, place)
    if all(callable(getattr(place, name, None)) for name in ("begin", "log", "finish")):
        return type(place).__name__, lambda: place
    home = type(place).__module__.partition(".")[0]
    for name, (_, _, packages) in TRACKERS.items():
        if home in packages:
            return name, partial(_made, name, place)
    raise InvalidInput(
        f"report_to takes {', '.join(TRACKERS)}, a run of one of these, or an object with the "
        f"methods begin, log and finish, but got {place!r}; a function is for on_row",
        parameter="report_to",
    )


def _made(name: str, *run: Any) -> Tracker:
    module, kind, _ = TRACKERS[name]
    tracker: Tracker = getattr(import_module(f"stopwise.trackers.{module}"), kind)(*run)
    return tracker


def _opened(name: str, make: Callable[[], Tracker]) -> Tracker | None:
    """Return the tracker, or None after a warning: an evaluation does not fail with it."""
    try:
        return make()
    except ImportError as error:
        text = f'reporting to {name} needs its package: pip install "stopwise[{name}]" ({error})'
        raise MissingPackage(text) from error
    except Exception as error:  # whatever a network or a disk may do
        text = "%s could not be opened, so nothing is reported there: %s"
        logging.getLogger("stopwise").warning(text, name, error)
        return None
