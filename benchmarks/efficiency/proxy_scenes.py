"""Pairs with a proxy whose mean comes from simulated scenes, relative to none, by their number.

Run ``python -m benchmarks.efficiency.proxy_scenes``. Four sets of scenes each serve a quarter of
the studies, so that no single lucky set decides.
"""

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import stopwise as sw
from benchmarks.efficiency.proxy import CASES, proxied
from benchmarks.typed import typed

SCENES = (2000, 20000, 100000)
CORRELATIONS = (0.0, 0.5, 0.75, 0.9)
SETS = 4


def main() -> None:
    """Print one row per case and correlation."""
    options = typed(__doc__, runs=240, cases=([1, 3, 5], "see proxy.CASES"))
    table = Table("scores", "means", "N", "correlation", "known", *map(str, SCENES))
    for index in options.cases:
        draw, n_max, mean0, mean1 = CASES[index]
        own: dict[str, Any] = {"n_max": n_max, "design": "paired", "workers": 1}
        for same in CORRELATIONS:
            pairs = np.zeros(2 + len(SCENES))
            for place in range(SETS):
                rng = np.random.default_rng([place, index])
                size = options.runs // SETS, n_max
                r0, g0 = proxied(rng, draw, mean0, same, size)
                r1, g1 = proxied(rng, draw, mean1, same, size)
                kinds: list[dict[str, Any]] = [{}, {"proxy": (g0, g1), "proxy_mean": mean1 - mean0}]
                for number in SCENES:
                    drawn = [draw(rng, mean, (1, number))[0] * 1.0 for mean in (mean0, mean1)]
                    scenes = np.stack(drawn, axis=1)
                    kinds.append({"proxy": (g0, g1), "proxy_scores": scenes})
                pairs += [sw.simulate("nscore-plus", r0, r1, **k, **own).n.mean() for k in kinds]
            kind, ends = draw.__name__.replace("_", " "), f"{mean0:g} {mean1:g}"
            shown = [f"{each:.2f}" for each in pairs[1:] / pairs[0]]
            table.add_row(kind, ends, str(n_max), f"{same:g}", *shown)
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
