"""How a reproduction is run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def _silent(_share: float) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True)
class Settings:
    """Settings of all reproductions."""

    data: Path | None = None  # the folder of the real data
    seed: int = 0  # of everything that is drawn
    # Of the paper's redraws, in (0, 1]; below 1 the slow tables of STEP are left out too.
    share: float = 1.0
    report: Callable[[float], None] = _silent  # called with the share of the work that is done

    @property
    def full(self) -> bool:
        """Whether everything is run as in the paper."""
        return self.share >= 1

    def redraws(self, paper: int) -> int:
        """Return the number of redraws in place of the paper's."""
        return max(4, round(paper * self.share))

    @property
    def folder(self) -> Path:
        """The folder of the real data, where it must be there."""
        assert self.data is not None
        return self.data
