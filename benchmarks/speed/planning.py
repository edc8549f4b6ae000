"""Time of the default question, and of a simulated study next to a loop of live tests.

Run ``python -m benchmarks.speed.planning``. The table of bets is made before the clock of either
starts.
"""

import time

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import Found, benchmark, seconds
from stopwise.core.rules import Rules
from stopwise.planning.guesses import Guess
from stopwise.planning.populations import Guessed
from stopwise.planning.studies import OrderStudy, PlannedOrder

CASES = {
    "rates .4, .6": (Guess.of_rate(0.4), Guess.of_rate(0.6)),
    "beta .4 ± .2, .5 ± .2": (Guess.of_moments(0.4, 0.2), Guess.of_moments(0.5, 0.2)),
}
N_MAX, RUNS, LIVE, ROUNDS = 100, 2000, 10, 3


def simulated(model: OrderStudy) -> float:
    """Return the seconds per simulated study."""
    return seconds(lambda: model.simulate(np.random.SeedSequence(0), RUNS)) / RUNS


def live(model: OrderStudy) -> float:
    """Return the seconds per study of a live test, one update after the other."""
    scores = model.population.draw(np.random.default_rng(0), LIVE, N_MAX).scores
    begin = time.perf_counter()
    for study in scores:
        test = sw.SequentialTest(n_max=N_MAX)
        test.run(study[:, 0], study[:, 1])
    return (time.perf_counter() - begin) / LIVE


@benchmark()
def main() -> Found:
    """Print the figures."""
    lines = []
    for name, guesses in {"default question": (), "two success rates": (0.5, 0.7)}.items():
        begin, processor = time.perf_counter(), time.process_time()
        sw.plan(*guesses)
        wall, used = time.perf_counter() - begin, time.process_time() - processor
        lines.append(f"{name}: {wall:.1f} s, {used:.1f} s of processors")
    table = Table("policies", "live", "simulated", "ratio", title="per study, medians")
    for name, assumed in CASES.items():
        study = PlannedOrder(Rules(policies=("a", "b"), n_max=N_MAX))
        model = OrderStudy(study, Guessed(assumed))
        model.simulate(np.random.SeedSequence(0), 10)
        rounds = [(live(model), simulated(model)) for _ in range(ROUNDS)]
        one, many = np.median(rounds, axis=0)
        table.add_row(name, f"{1e3 * one:.1f} ms", f"{1e6 * many:.0f} µs", f"{one / many:.0f}")
    return Found([*lines, table])
