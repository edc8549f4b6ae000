"""What ends a race before its verdict; what came back until then is not lost."""

from typing import Any, ClassVar

from stopwise.errors import StopwiseError
from stopwise.messages import Setting
from stopwise.rollout.episode import Episode


class RaceStopped(StopwiseError):
    """Something ended the race: an episode that counts failed, or the disk or the cluster did.

    Attributes
    ----------
    episodes
        Every episode that came back until then, in order of arrival.
    result
        Of a race: the ``RaceResult`` of the rows before that; None if there are none.
    """

    episodes: tuple[Episode, ...] = ()
    result: Any = None
    # Whether the message says how to go on, as that of a failed episode does.
    complete: ClassVar[bool] = False

    def with_way_on(self, journal: Any) -> "RaceStopped":
        """Return it with a message that names the journal, unless it says enough."""
        if self.complete:
            return self
        way = f"; every finished episode is in {journal}: the same race goes on with "
        stopped = RaceStopped(self.message, way, Setting("journal", str(journal)))
        stopped.__cause__ = self
        return stopped


class RaceInterrupted(KeyboardInterrupt):
    """The user ended the race; ``episodes`` and ``result`` are those of a ``RaceStopped``."""

    episodes: tuple[Episode, ...] = ()
    result: Any = None
