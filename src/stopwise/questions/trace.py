"""Evidence by row for figures, kept compactly."""

from bisect import bisect_left
from dataclasses import dataclass, field

import numpy as np

from stopwise.core.arrays import Floats, Ints

# Every row up to here, then about as many again, ever further apart.
DENSE = 2000


@dataclass(frozen=True)
class Path:
    """The evidence of one pair against the number of its pairs of trials; it begins at n = 0."""

    n: Ints  # pairs of trials seen, increasing
    log_e: Floats  # (points, 2): that policy 1, that policy 0 is better; NaN without any
    p_value: Floats  # (points, 2), adjusted for the family, to be held against alpha

    def __post_init__(self) -> None:
        for array in (self.n, self.log_e, self.p_value):
            array.setflags(write=False)


@dataclass
class Trace:
    """Collects rows of evidence for all pairs."""

    wanted: list[int]  # rows, in order
    n: list[Ints] = field(default_factory=list)
    log_e: list[Floats] = field(default_factory=list)
    p_value: list[Floats] = field(default_factory=list)

    @classmethod
    def start(cls, rows: int, pairs: int) -> "Trace":
        """Return a trace that will keep some of so many rows, the last one included."""
        far = np.geomspace(DENSE, max(rows - 1, DENSE), DENSE).astype(int).tolist()
        trace = cls(sorted({*range(min(rows, DENSE)), *far, rows - 1}))
        trace.add(np.zeros(pairs, dtype=np.int64), np.zeros((pairs, 2)), np.ones((pairs, 2)))
        return trace

    def next(self, row: int) -> int:
        """Return the first wanted row from this one on."""
        index = bisect_left(self.wanted, row)
        return self.wanted[index] if index < len(self.wanted) else row

    def add(self, n: Ints, log_e: Floats, p_value: Floats) -> None:
        """Keep one row."""
        self.n.append(n.copy())
        self.log_e.append(log_e.copy())
        self.p_value.append(p_value.copy())

    def path(self, pair: int) -> Path:
        """Return one pair's evidence, up to its decision."""
        n = np.array([row[pair] for row in self.n])
        # A pair that waits, or is decided, repeats its n; what was known last counts.
        keep = np.flatnonzero(np.append(n[1:] != n[:-1], True))
        return Path(
            n[keep],
            np.array([self.log_e[i][pair] for i in keep]),
            np.array([self.p_value[i][pair] for i in keep]),
        )
