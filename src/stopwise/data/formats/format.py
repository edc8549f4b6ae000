"""What a format is: a module with a name and two functions."""

from pathlib import Path
from typing import Protocol

from stopwise.data.raw import RawTable


class Format(Protocol):
    """One kind of file; each module of this folder that is in the registry follows it."""

    @property
    def name(self) -> str:
        """What the user writes in ``format=``."""

    def recognise(self, path: Path) -> bool:
        """Whether the content looks like this format; cheap, and never an error."""

    def read(self, path: Path) -> RawTable:
        """Return the columns as they are in the file, or raise one line naming file and place."""
