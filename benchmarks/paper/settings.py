"""How a reproduction is run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def _silent(_share: float) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True)
class Settings:
    data: Path | None = None  # the folder of the real data
    seed: int = 0  # of everything that is drawn
    # Of the paper's redraws, in (0, 1]; below 1 the slow tables of STEP are left out too.
    share: float = 1.0
    report: Callable[[float], None] = _silent  # called with the share of the work that is done

    @property
    def full(self) -> bool:
        return self.share >= 1

    def redraws(self, paper: int) -> int:
        return max(4, round(paper * self.share))

    @property
    def folder(self) -> Path:
        assert self.data is not None
        return self.data
