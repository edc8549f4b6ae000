"""False claims of equal algorithms and of files sorted by scene, and what wins and runs take.

Run ``python -m benchmarks.efficiency.scores``: the tables of the guide on scores and of its design
page, by the same test in two directions, at alpha .05.
"""

from argparse import Namespace

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import Found, benchmark
from stopwise.core.arrays import Floats, Ints
from stopwise.core.simulate import Simulation
from stopwise.rows.align import align

RUNS = ((3, 20), (10, 20), (30, 5))
SCENES = ((4, 25, 0.4), (10, 10, 0.4), (20, 5, 0.4), (20, 5, 0.8), (30, 4, 0.4))


def study(scores: Floats, design: str = "independent", **settings: object) -> Simulation:
    strict = {"alternative": "two-sided", "ties": "strict", "n_max": scores.shape[-1]}
    return sw.simulate("nscore-plus", *scores, design=design, **{**strict, **settings})


def claims(scores: Floats, design: str = "independent") -> str:
    return f"{(study(scores, design).decision >= 0).mean():.3f}"


def trained(
    rng: np.random.Generator, size: tuple[int, int, int], spread: float, ahead: float = 0
) -> Floats:
    studies, runs, episodes = size
    logits = spread * rng.standard_normal((2, studies, runs)) + [[[0.0]], [[ahead]]]
    return (rng.random((2, studies, runs, episodes)) < 1 / (1 + np.exp(-logits))[..., None]) * 1.0


def seeds(number: int, seed: int) -> Table:
    table = Table("spread", *(f"{runs} x {each}" for runs, each in RUNS), '30 x 5, unit="seed"')
    for spread in (0.0, 0.5, 1.0):
        rng = np.random.default_rng(seed)
        drawn = [trained(rng, (number, *size), spread) for size in RUNS]
        episodes = [claims(own.reshape(2, number, -1)) for own in drawn]
        table.add_row(f"{spread:g}", *episodes, claims(drawn[-1].mean(axis=-1)))
    return table


def power_of_runs(number: int, seed: int) -> Table:
    """Share of studies decided by so many training runs, each the mean of 20 episodes."""
    table = Table("runs of each", ".5 and .72", ".5 and .87")
    for runs in (3, 5, 10, 20):
        rng = np.random.default_rng(seed)
        shown = [trained(rng, (number, runs, 20), 0.5, ahead).mean(axis=-1) for ahead in (1, 2)]
        table.add_row(str(runs), *(f"{study(own).rate(1):.2f}" for own in shown))
    return table


def in_turn(scenes: int, trials: int) -> Ints:
    """Return the places of a file sorted by scene in the order in which they are compared."""
    labels = [f"{scene:02d}" for scene in range(scenes) for _ in range(trials)]
    places = np.arange(len(labels), dtype=float)
    columns = {"policy": ["a"] * len(labels) + ["b"] * len(labels), "block": labels * 2}
    trials_ = sw.Trials.from_columns({**columns, "score": np.tile(places, 2)})
    return align(trials_).scores[:, 0].astype(int)


def sorted_files(number: int, seed: int) -> Table:
    orders = ("sorted, the worst order", "in random order", "plain rounds", "spread rounds")
    table = Table("scenes x trials, effect", *orders)
    for scenes, trials, effect in SCENES:
        rng = np.random.default_rng(seed)
        better = np.where(np.arange(scenes) < scenes / 2, effect, -effect) / 2
        rates = np.stack([0.5 - better, 0.5 + better])[:, None, :, None]
        drawn = (rng.random((2, number, scenes, trials)) < rates) * 1.0
        rows = drawn.reshape(2, number, -1)
        plain = drawn.swapaxes(2, 3).reshape(2, number, -1)
        places = rng.permuted(np.tile(np.arange(scenes), (number, 1)), axis=1)
        mixed = np.take_along_axis(drawn, places[None, :, :, None], axis=2).reshape(rows.shape)
        ordered = (rows, mixed, plain, rows[..., in_turn(scenes, trials)])
        name = f"{scenes} x {trials}, {effect:g}"
        table.add_row(name, *(claims(own, "paired") for own in ordered))
    return table


def wins(number: int, seed: int) -> Table:
    table = Table("mean times", "by means", "by wins")
    for slow, fast in ((25, 20), (30, 20), (40, 20)):
        rng = np.random.default_rng(seed)
        times = np.stack([rng.gamma(4, mean / 4, (number, 100)) for mean in (slow, fast)])
        cells = []
        for settings in ({"bounds": (0, 60)}, {"by": "wins"}):
            found = study(np.clip(times, 0, 60), lower_is_better=True, **settings)
            cells.append(f"{found.n.mean():.1f} / {found.rate(1):.3f}")
        table.add_row(f"{slow} and {fast} s", *cells)
    return table


@benchmark(runs=4_000, seed=0)
def main(options: Namespace) -> Found:
    tables = (seeds, power_of_runs, sorted_files, wins)
    return Found(make(options.runs, options.seed) for make in tables)
