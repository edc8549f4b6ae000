"""What ends a race before its verdict; what came back until then is not lost."""

from typing import Any

from stopwise.errors import StopwiseError
from stopwise.rollout.episode import Episode


class RaceStopped(StopwiseError):
    """Something ended the race: an episode that counts failed, or the disk or the cluster did.

    Attributes
    ----------
    episodes
        Every episode that came back until then, in order of arrival.
    result
        The ``RaceResult`` of the rows before that; None if there are none.
    """

    episodes: tuple[Episode, ...] = ()
    result: Any = None


class RaceInterrupted(KeyboardInterrupt):
    """The user ended the race; ``episodes`` and ``result`` are those of a ``RaceStopped``."""

    episodes: tuple[Episode, ...] = ()
    result: Any = None
