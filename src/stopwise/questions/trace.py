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
    p_same: Floats  # of "practically the same", held against alpha, too; 1 where that is not asked

    def __post_init__(self) -> None:
        for array in (self.n, self.log_e, self.p_value, self.p_same):
            array.setflags(write=False)


@dataclass
class Trace:
    wanted: list[int]  # rows, in order
    n: list[Ints] = field(default_factory=list)
    log_e: list[Floats] = field(default_factory=list)
    p_value: list[Floats] = field(default_factory=list)
    p_same: list[Floats] = field(default_factory=list)

    @classmethod
    def start(cls, rows: int, pairs: int) -> "Trace":
        far = np.geomspace(DENSE, max(rows - 1, DENSE), DENSE).astype(int).tolist()
        trace = cls(sorted({*range(min(rows, DENSE)), *far, rows - 1}))
        first = np.zeros((1, pairs, 2))
        trace.add(np.zeros((1, pairs), dtype=np.int64), first, first + 1.0)
        return trace

    def wanted_from(self, row: int, rows: int) -> Ints:
        """Indices, relative to this row, of the next rows to keep."""
        first, last = (bisect_left(self.wanted, end) for end in (row, row + rows))
        return np.array(self.wanted[first:last], dtype=np.int64) - row

    def add(self, n: Ints, log_e: Floats, p_value: Floats, p_same: Floats | None = None) -> None:
        self.n.append(n)
        self.log_e.append(log_e)
        self.p_value.append(p_value)
        self.p_same.append(np.ones(n.shape) if p_same is None else np.broadcast_to(p_same, n.shape))

    def path(self, pair: int) -> Path:
        """Return one pair's evidence, up to its decision."""
        for rows in (self.n, self.log_e, self.p_value, self.p_same):
            rows[:] = [np.concatenate(rows)]
        n, log_e, p_value, p_same = (
            rows[0][:, pair] for rows in (self.n, self.log_e, self.p_value, self.p_same)
        )
        # A pair that waits, or is decided, repeats its n; what was known last counts.
        last = np.append(n[1:] != n[:-1], True)
        return Path(n[last], log_e[last], p_value[last], p_same[last])
