"""Evidence by row for figures, and by group of pairs for intervals, kept compactly.

The groups are those of ``ConfidenceSequence``: where they end depends on nothing but the number of
pairs seen, so intervals at any level can be computed from the same record.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints, of_runs, put_runs, writable
from stopwise.core.confidence import RENEWALS, group_size

# Every row up to here, then as many again, ever further apart.
DENSE = 300


@dataclass(frozen=True)
class Path:
    """The least p-value of one pair so far, against the number of its pairs of trials, from 0."""

    n: Ints  # increasing
    p_value: Floats  # adjusted for the family, to be held against alpha


@dataclass
class Trace:
    wanted: list[int]  # rows, in order
    # Of each pair its number of pairs of trials, and the p-values of both orders and of sameness.
    points: list[tuple[Ints, Floats]]

    @classmethod
    def start(cls, rows: int, pairs: int) -> "Trace":
        far = np.geomspace(DENSE, max(rows - 1, DENSE), DENSE).astype(int).tolist()
        wanted = sorted({*range(min(rows, DENSE)), *far, rows - 1})
        return cls(wanted, [(np.zeros(pairs, dtype=np.int64), np.ones((pairs, 3)))])

    def room(self, row: int) -> int:
        """Number of rows from this one on to the next that is kept, which is the last of them."""
        place = bisect_left(self.wanted, row)
        return self.wanted[place] - row + 1 if place < len(self.wanted) else 1

    def path(self, pair: int, *, same: bool) -> Path:
        """The evidence for one pair's order, or for its sameness, up to its decision."""
        n = np.array([numbers[pair] for numbers, _ in self.points])
        p_values = np.array([values[pair] for _, values in self.points])
        # A pair that waits, or is decided, repeats its n; what was known last counts.
        last = np.append(n[1:] != n[:-1], True)
        shown = 2 if same else int(p_values[-1, :2].argmin())
        return Path(n[last], np.minimum.accumulate(p_values[last, shown]))


def group_ends(rows: int) -> Ints:
    """Return after how many pairs each group ends, the last of them not before so many rows."""
    ends, seen = [], 0
    while seen < rows:
        seen += int(group_size(np.asarray(seen)))
        ends.append(seen)
    return np.array(ends, dtype=np.int64)


@dataclass
class Record:
    """What tests have seen at the end of each group of pairs; arrays are (groups, runs, sides)."""

    ends: Ints
    before: Any
    log_e: Floats  # at the end of the group, 0 at the start
    top: Floats  # the most within the group
    fall: Floats  # by how much a smaller margin would have gained more
    states: dict[int, Any]

    @classmethod
    def start(cls, rows: int, state: Any, sides: int) -> "Record":
        ends = group_ends(rows)
        shape = (len(ends), len(state.log_e), sides)
        states = dict.fromkeys(_renewals(ends), state)
        empty = np.full(shape, -np.inf)
        return cls(ends, state, np.zeros(shape), empty, np.zeros(shape), states)

    def of_runs(self, places: Ints) -> "Record":
        log_e, top, fall = (array[:, places] for array in (self.log_e, self.top, self.fall))
        states = {group: of_runs(state, places) for group, state in self.states.items()}
        return Record(self.ends, of_runs(self.before, places), log_e, top, fall, states)

    def room(self, seen: int) -> int:
        """Number of pairs that may be shown at once after so many: a state is kept behind them."""
        group = int(np.searchsorted(self.ends, seen, side="right"))
        later = (renewed for renewed in self.states if renewed >= group)
        return int(self.ends[next(later, -1)]) - seen

    def add(self, seen: Ints, places: Ints, state: Any, path: Floats, fall: Floats) -> None:
        """Add pairs (the first axis) of the runs at these places, who had seen so many before."""
        if len(path) == 1:
            group = np.searchsorted(self.ends, seen, side="right")
            self.log_e[group, places] = path[0]
            self.top[group, places] = np.maximum(self.top[group, places], path[0])
            self.fall[group, places] += fall[0]
            last = group[self.ends[group] == seen + 1]
            for renewed in set(last.tolist()) & self.states.keys():
                some = np.flatnonzero((group == renewed) & (self.ends[group] == seen + 1))
                self._keep(renewed, places[some], of_runs(state, some))
            return
        first, size = int(np.searchsorted(self.ends, seen[0], side="right")), len(path)
        stops = np.minimum(self.ends[first:] - seen[0], size)
        stops = stops[: int(np.searchsorted(stops, size)) + 1]
        starts = np.append(0, stops[:-1])
        at = slice(first, first + len(stops))
        self.log_e[at, places] = path[stops - 1]
        top = np.maximum.reduceat(path, starts, axis=0)
        self.top[at, places] = np.maximum(self.top[at, places], top)
        self.fall[at, places] += np.add.reduceat(fall, starts, axis=0)
        final = first + len(stops) - 1
        if final in self.states and self.ends[final] == seen[0] + size:
            self._keep(final, places, state)

    def rejected(self, levels: Floats) -> Bools:
        """Sides whose test had decided by the end of each group, at these levels."""
        reached = np.exp(-np.maximum.accumulate(self.top, axis=0)) <= levels * (1 + 1e-12)
        decided = np.asarray(reached.any(axis=-1))
        first = np.argmax(decided, axis=0)  # the other side decides nothing any more
        winners = np.take_along_axis(reached, first[None, :, None], axis=0)
        return np.asarray(decided[..., None] & winners)

    def _keep(self, group: int, places: Ints, state: Any) -> None:
        if len(places) == len(self.before.log_e):
            self.states[group] = state
            return
        if self.states[group] is self.before:
            self.states[group] = writable(self.before)
        put_runs(self.states[group], places, state)


def _renewals(ends: Ints) -> Iterator[int]:
    """Yield the groups at whose ends the bets of an interval are renewed."""
    due = 1
    for group, seen in enumerate(ends.tolist()):
        if seen >= due:
            yield group
            due = seen + max(seen // RENEWALS, 1)
