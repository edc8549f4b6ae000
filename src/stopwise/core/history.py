"""What a live test has seen so far, thinned out as it grows: for figures."""

from array import array
from typing import Any

from stopwise.core.arrays import Floats
from stopwise.core.scores import require_whole
from stopwise.errors import require

# At least so many points are kept of a long history.
KEPT = 2000


class History:
    """P-values and log e-values of each direction, after every pair and later every few pairs."""

    def __init__(self, directions: int, seen: int = 0) -> None:
        self._width = 2 * directions
        self._pairs = array("q")
        self._values = array("d")
        self._stride = 1
        self._seen = seen

    def add(self, p_value: Floats, log_e: Floats) -> None:
        self._seen += 1
        if self._seen % self._stride:
            return
        self._pairs.append(self._seen)
        self._values.extend((*p_value.tolist(), *log_e.tolist()))
        if len(self._pairs) > 2 * KEPT:
            self._stride *= 2
            kept = [at for at, pair in enumerate(self._pairs) if pair % self._stride == 0]
            rows = [self._values[at * self._width : (at + 1) * self._width] for at in kept]
            self._pairs = array("q", [self._pairs[at] for at in kept])
            self._values = array("d", [value for row in rows for value in row])

    def content(self) -> dict[str, Any]:
        return {
            "pairs": self._pairs.tolist(),
            "values": self._values.tolist(),
            "stride": self._stride,
        }

    def restore(self, content: dict[str, Any]) -> None:
        values = [float(value) for value in content["values"]]
        require(len(values) == self._width * len(content["pairs"]), "the history is incomplete")
        self._pairs, self._values = array("q", content["pairs"]), array("d", values)
        self._stride = require_whole(content["stride"], "stride", 1)

    def rows(self) -> list[tuple[int, list[float], list[float]]]:
        """Return numbers of pairs, each with the p-values and log e-values after it."""
        half = self._width // 2
        return [
            (pair, row[:half], row[half:])
            for at, pair in enumerate(self._pairs)
            for row in [self._values[at * self._width : (at + 1) * self._width].tolist()]
        ]
