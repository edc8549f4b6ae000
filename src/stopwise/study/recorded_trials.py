"""Recordings of trials, and second ratings by them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stopwise.errors import NotAllowed
from stopwise.study import ratings, recordings, views
from stopwise.study.ledger import require_name
from stopwise.study.robot_side import RobotSide


class RecordedTrials(RobotSide):
    """A study whose trials may have videos and photos, by which others rate them."""

    def add_recording(
        self, trial: int, content: str | Path | Iterable[bytes], *, who: str = "runner"
    ) -> str:
        """Keep a video or photo of a trial beside the study; return its name there.

        Parameters
        ----------
        trial
            Its number.
        content
            A file, or its bytes in parts: jpg, png, webp, mp4, mov or webm, up to 200 MiB.
        """
        with self._ledger.reading() as state:
            recordings.require_room(state, trial)
        parts = recordings.chunks(Path(content)) if isinstance(content, str | Path) else content
        name, digest, size = recordings.keep(self._recordings, parts)
        self._ledger.commit(
            lambda state, _: [*recordings.add(state, trial, name, digest, size)], who=who
        )
        return name

    def add_photo(
        self,
        station: str,
        item: str,
        content: str | Path | Iterable[bytes],
        *,
        who: str | None = None,
    ) -> str:
        """Keep a photo of an item of a station's check list; see ``add_recording``."""
        require_name(station, "a station")
        with self._ledger.reading() as state:
            recordings.require_check(state, station, item)
        parts = recordings.chunks(Path(content)) if isinstance(content, str | Path) else content
        file = recordings.keep(self._recordings, parts, recordings.PHOTOS)
        self._ledger.commit(
            lambda state, _: [*recordings.add_photo(state, station, item, file)], who=who or station
        )
        return file[0]

    def photo(self, name: str) -> Path:
        """Return the file of a photo of a check list."""
        with self._ledger.reading() as state:
            if not any(file == name for _, _, file, *_ in state.photos):
                raise NotAllowed("no check list has a photo of this name")
        return self._recordings / name

    def recording(self, trial: int, name: str) -> Path:
        """Return the file of a recording."""
        with self._ledger.reading() as state:
            if not any((number, file) == (trial, name) for number, file, _ in state.recordings):
                raise NotAllowed(f"trial {trial} has no recording of this name")
        return self._recordings / name

    def next_rating(self, who: str) -> views.Rating | None:
        """Return a trial that this person may rate by its recordings, or None."""
        with self._ledger.reading() as state:
            found = ratings.waiting(state, self._lots(state), who)
            return views.rating(state, state.trials[found[0] - 1]) if found else None

    def may_rate(self, trial: int, who: str) -> bool:
        """Whether this person may rate a trial, and so see its recordings."""
        with self._ledger.reading() as state:
            return trial in ratings.waiting(state, self._lots(state), who)

    def rate(self, trial: int, answer: Any, *, who: str) -> None:
        """Store what someone else makes of a trial, by its recordings; see ``next_rating``."""
        self._enter(lambda state: ratings.rate(state, self._lots(state), trial, answer, who), who)
