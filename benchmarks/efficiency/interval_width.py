"""Mean width of the confidence sequence against WSR's, by number of pairs.

Run ``python -m benchmarks.efficiency.interval_width``.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from stopwise.core.arrays import Floats
from stopwise.core.confidence import ConfidenceSequence
from stopwise.core.wsr import WsrConfidenceSequence

SIZES = (10, 20, 50, 100, 200, 500)
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]
CASES: dict[str, tuple[Draw, Draw]] = {
    "Bernoulli .5, .5": (
        lambda rng, size: rng.binomial(1, 0.5, size) * 1.0,
        lambda rng, size: rng.binomial(1, 0.5, size) * 1.0,
    ),
    "Bernoulli .2, .6": (
        lambda rng, size: rng.binomial(1, 0.2, size) * 1.0,
        lambda rng, size: rng.binomial(1, 0.6, size) * 1.0,
    ),
    "Bernoulli .05, .1": (
        lambda rng, size: rng.binomial(1, 0.05, size) * 1.0,
        lambda rng, size: rng.binomial(1, 0.1, size) * 1.0,
    ),
    "7 levels": (
        lambda rng, size: rng.binomial(6, 0.4, size) / 6,
        lambda rng, size: rng.binomial(6, 0.6, size) / 6,
    ),
    "U-shaped beta": (
        lambda rng, size: rng.beta(0.3, 0.6, size),
        lambda rng, size: rng.beta(0.5, 0.5, size),
    ),
    "narrow beta": (
        lambda rng, size: rng.beta(50, 50, size),
        lambda rng, size: rng.beta(53, 47, size),
    ),
}


def widths(sequence: ConfidenceSequence, scores0: Floats, scores1: Floats) -> list[float]:
    """Return the mean width at each of the sizes."""
    state = sequence.start((len(scores0),))
    found = []
    for column in range(max(SIZES)):
        state = sequence.step(state, scores0[:, column], scores1[:, column])
        if column + 1 in SIZES:
            low, high = sequence.bounds(state)
            found.append(float(np.mean(high - low)))
    return found


def main() -> None:
    """Print widths and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    table = Table("case", "sequence", *(f"n = {size}" for size in SIZES), title="95% width")
    figures: dict[str, dict[str, list[float]]] = {}
    for name, (draw0, draw1) in track(CASES.items(), "cases", console=Console(stderr=True)):
        rng = np.random.default_rng(0)
        scores = draw0(rng, (arguments.runs, max(SIZES))), draw1(rng, (arguments.runs, max(SIZES)))
        ours = widths(ConfidenceSequence(alpha=0.05), *scores)
        wsr = widths(WsrConfidenceSequence(alpha=0.05), *scores)
        figures[name] = {"ours": ours, "wsr": wsr}
        table.add_row(name, "WSR", *(f"{width:.3f}" for width in wsr))
        table.add_row("", "ours", *(f"{width:.3f}" for width in ours))
        ratios = (a / b for a, b in zip(ours, wsr, strict=True))
        table.add_row("", "ratio", *(f"{ratio:.2f}" for ratio in ratios), end_section=True)
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
