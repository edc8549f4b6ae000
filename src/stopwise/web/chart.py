"""Geometry of the chart of evidence; the templates draw it as SVG."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stopwise.questions.standing import PairResult

WIDTH, HEIGHT = 640.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 628.0, 24.0, 230.0
POINTS = 300  # per curve; more would not be visible


@dataclass(frozen=True)
class Line:
    """One pair: its label, a line through points, and where it ends."""

    label: str
    points: str
    end: tuple[float, float]
    decided: bool


@dataclass(frozen=True)
class Chart:
    """The lines, where on the screen a decision falls, and the marks of the axes."""

    lines: list[Line]
    bar: float
    ticks_x: dict[float, str]
    ticks_y: dict[float, str]
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = RIGHT
    bottom: float = BOTTOM


def chart_of(pairs: Sequence[PairResult], alpha: float) -> Chart:
    """1 / p of each pair against its pairs of trials, on a logarithmic scale."""
    heights = [-np.log10(np.maximum(pair.path.p_value, 1e-300)) for pair in pairs]
    needed = -math.log10(alpha)
    highest = max(float(height.max()) for height in heights)
    top = min(max(1.25 * needed, 1.05 * highest), 3 * needed)  # the axis has a top
    last = max(4, *(int(pair.path.n[-1]) for pair in pairs))

    def x(n: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * n / last, 1)

    def y(decades: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * min(decades, top) / top, 1)

    lines = []
    for pair, height in zip(pairs, heights, strict=True):
        keep = np.unique(np.linspace(0, height.size - 1, POINTS).astype(int))
        places = [(x(pair.path.n[place]), y(height[place])) for place in keep]
        text = " ".join(f"{a},{b}" for a, b in places)
        lines.append(Line(pair.relation, text, places[-1], pair.decided))
    return Chart(
        lines,
        bar=y(needed),
        ticks_x={x(n): str(n) for n in _round_steps(last)},
        ticks_y={y(decade): f"{10**decade:,}" for decade in range(int(top) + 1)},
    )


def _round_steps(last: int) -> range:
    """About five round numbers from 0 to last."""
    rough = last / 5
    unit = 10 ** math.floor(math.log10(max(rough, 1)))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return range(0, last + 1, step)
