"""Steps that the user's interrupt must not divide."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def undivided() -> Iterator[None]:
    """Put the user's interrupt off until the end of a step."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where no interrupt arrives
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
