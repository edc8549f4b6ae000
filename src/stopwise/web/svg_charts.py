"""Where things lie in the small charts of the pages; the templates draw them as SVG."""

import math
from dataclasses import dataclass

from stopwise.web.responses import TaskView

WIDTH, LEFT, RIGHT = 640.0, 46.0, 12.0
EVIDENCE_HEIGHT, TOP, BOTTOM = 260.0, 24.0, 30.0
ROW, START, END = 34.0, 8.0, WIDTH - 8.0  # of charts with bars
COLOURS = 6


@dataclass(frozen=True)
class Tick:
    """A mark on an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Line:
    """One pair: a line through points, where it ends, its label and its colour."""

    label: str
    points: str
    end: tuple[float, float]
    decided: bool
    colour: int


@dataclass(frozen=True)
class Bar:
    """A horizontal bar with a label before it and a text behind it."""

    label: str
    y: float
    start: float
    end: float
    text: str
    kind: str


@dataclass(frozen=True)
class Chart:
    """A chart of the given size; ``bar`` is where a decision falls."""

    height: float
    left: float
    right: float
    bottom: float
    bar: float
    lines: tuple[Line, ...] = ()
    bars: tuple[Bar, ...] = ()
    ticks_x: tuple[Tick, ...] = ()
    ticks_y: tuple[Tick, ...] = ()
    width: float = WIDTH


def evidence_chart(task: TaskView) -> Chart:
    """Return 1 / p of each pair against its pairs of trials, on a logarithmic scale."""
    needed = -math.log10(task.alpha)
    values = [[-math.log10(max(p, 1e-300)) for p in pair.curve.p_value] for pair in task.pairs]
    top = max([needed * 1.25, *(max(value) * 1.05 for value in values)])
    top = min(top, needed * 3)  # what is decided need not be drawn to the sky
    last = max(4, *(pair.curve.n[-1] for pair in task.pairs))
    bottom = EVIDENCE_HEIGHT - BOTTOM

    def x(n: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * n / last, 1)

    def y(decades: float) -> float:
        return round(bottom - (bottom - TOP) * min(decades, top) / top, 1)

    lines = []
    for number, (pair, value) in enumerate(zip(task.pairs, values, strict=True)):
        places = [(x(n), y(v)) for n, v in zip(pair.curve.n, value, strict=True)]
        lines.append(
            Line(
                label=pair.curve.label,
                points=" ".join(f"{a},{b}" for a, b in places),
                end=places[-1],
                decided=(pair.finding or pair.better) is not None,
                colour=number % COLOURS,
            )
        )
    return Chart(
        height=EVIDENCE_HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        bottom=bottom,
        bar=y(needed),
        lines=tuple(lines),
        ticks_x=tuple(Tick(x(n), str(n)) for n in _round_steps(last)),
        ticks_y=tuple(Tick(y(d), f"{10**d:,}") for d in range(int(top) + 1)),
    )


def interval_chart(task: TaskView) -> Chart:
    """Return the interval of each pair's difference, with zero in the middle."""
    widest = max(max(abs(pair.low), abs(pair.high)) for pair in task.pairs) or 1.0
    middle, half = (START + END) / 2, (END - START) / 2

    def x(value: float) -> float:
        return round(middle + half * value / widest, 1)

    bars = [
        Bar(
            label=f"{pair.policy1} − {pair.policy0}",
            y=20.0 + ROW * row,
            start=x(pair.low),
            end=x(pair.high),
            text=_ends_text(pair.low, pair.high),
            kind="" if (pair.finding or pair.better) is None else "decided",
        )
        for row, pair in enumerate(task.pairs)
    ]
    ends = Tick(START, f"{-widest:.2g}".replace("-", "−")), Tick(END, f"+{widest:.2g}")
    return _bar_chart(bars, middle, ends[0], Tick(middle, "0"), ends[1])


def _bar_chart(bars: list[Bar], bar: float, *ticks: Tick) -> Chart:
    height = ROW * len(bars) + 30.0
    bottom, all_bars = height - 20.0, tuple(bars)
    return Chart(height, START, END, bottom, bar, bars=all_bars, ticks_x=ticks)


def candidate_chart(task: TaskView) -> Chart:
    """Return, of each policy, from which row to which it was a candidate."""
    last = max(4, task.rows)

    def x(row: float) -> float:
        return round(START + (END - START) * row / last, 1)

    bars = []
    for place, own in enumerate(task.candidates):
        kind, text = "candidate", "may still be the best"
        if own.dropped:
            kind, text = "dropped", f"dropped after round {own.last}"
        elif own.policy == task.best:
            kind, text = "best", "the best"
        elif own.set_aside:
            text = "set aside: needs no more trials"
        bars.append(Bar(own.policy, 20.0 + ROW * place, x(0), x(own.last), text, kind))
    return _bar_chart(bars, START, Tick(START, "0"), Tick(END, f"round {last}"))


def _round_steps(last: int) -> list[int]:
    """Return about five round numbers from 0 to last."""
    rough = last / 5
    unit = 10 ** math.floor(math.log10(max(rough, 1)))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return list(range(0, last + 1, int(step)))


def _ends_text(low: float, high: float) -> str:
    """Return both ends with their signs, also of one that has only just left 0."""
    start = "above 0" if 0 < low < 0.005 else f"{low:+.2f}"
    end = "below 0" if -0.005 < high < 0 else f"{high:+.2f}"
    return f"{start} to {end}"
