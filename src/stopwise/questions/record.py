"""Evidence of pairs by group of trials, kept for their intervals while a file is replayed.

The groups are those of ``ConfidenceSequence``: where they end depends on nothing but the number of
pairs seen, so intervals at any level can be computed from the same record.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.confidence import RENEWALS, group_size
from stopwise.core.runs import of_runs, put_runs, writable


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
        shape = (len(ends), len(state[0]), sides)
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
        if len(places) == len(self.before[0]):
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
