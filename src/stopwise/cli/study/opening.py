"""What the commands of a study share: opening it, and who acts."""

import getpass
import os
import signal
import threading
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from stopwise.study.study import Study
    from stopwise.web.client import StudyClient

TOKEN = "STOPWISE_TOKEN"


def open_study(place: str) -> "Study":
    """Open a study, to be used in a ``with`` statement."""
    from stopwise import Study

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _end)
    return Study.open(place)


def _end(*_: object) -> None:
    """Turn a request to end into an orderly exit, so that the store is closed."""
    raise SystemExit(128 + signal.SIGTERM)


def is_served(place: str) -> bool:
    """Whether a study is reached by the address of its server."""
    return place.startswith(("http://", "https://"))


def open_link(link: str) -> "StudyClient":
    """Reach a study by a link; asks for the token if the link has none."""
    from stopwise.web.client import StudyClient

    token = None if "#" in link else os.environ.get(TOKEN)
    if "#" not in link and token is None:
        token = typer.prompt(f"Token for {link}", hide_input=True)
    return StudyClient(link, token)


def person(who: str | None) -> str:
    if who:
        return who
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "owner"
