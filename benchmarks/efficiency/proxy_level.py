"""How often equal policies are told apart with a proxy or a judge, whatever it says.

Run ``python -m benchmarks.efficiency.proxy_level``: the draws of the guarantee tests, in more runs.
"""

import argparse

import numpy as np
from rich.console import Console
from rich.table import Table

import stopwise as sw
from tests.guarantees.proxies import PROXIES


def main() -> None:
    """Print one row per proxy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--audit", type=float, default=0.3)
    parser.add_argument("--workers", type=int)
    options = parser.parse_args()
    table = Table("proxy", "as a proxy", f"as a judge, audit {options.audit:g}")
    for name, (draw, mean) in PROXIES.items():
        rng = np.random.default_rng(1)
        r0, r1, g0, g1 = draw(rng, (options.runs, options.n))
        asked = rng.random(r0.shape) < options.audit
        scores = np.where(asked, r0, np.nan), np.where(asked, r1, np.nan)
        n_max, workers = options.n, options.workers
        as_proxy = sw.simulate(
            "nscore-plus",
            r0,
            r1,
            proxy=(g0, g1),
            proxy_mean=mean,
            n_max=n_max,
            design="paired",
            workers=workers,
        )
        as_judge = sw.simulate(
            "nscore-plus",
            *scores,
            proxy=(g0, g1),
            audit=options.audit,
            n_max=n_max,
            design="paired",
            workers=workers,
        )
        table.add_row(name, f"{as_proxy.rate(1):.4f}", f"{as_judge.rate(1):.4f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
