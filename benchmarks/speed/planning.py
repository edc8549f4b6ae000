"""Time of the default question, and of a simulated study next to a loop of live tests.

Run ``python -m benchmarks.speed.planning``. The table of bets is made before the clock of either
starts.
"""

import time

import numpy as np
from rich.console import Console
from rich.table import Table

import stopwise as sw
from stopwise.planning.guess import Guess
from stopwise.planning.population import Guessed
from stopwise.planning.question import Design, PlanQuestion

CASES = {
    "rates .4, .6": (Guess.of_rate(0.4), Guess.of_rate(0.6)),
    "beta .4 ± .2, .5 ± .2": (Guess.of_moments(0.4, 0.2), Guess.of_moments(0.5, 0.2)),
}
N_MAX, RUNS, LIVE, ROUNDS = 100, 2000, 10, 3


def simulated(question: PlanQuestion) -> float:
    """Return the seconds per simulated study."""
    begin = time.perf_counter()
    question.ask(np.random.SeedSequence(0), RUNS)
    return (time.perf_counter() - begin) / RUNS


def live(question: PlanQuestion) -> float:
    """Return the seconds per study of a live test, one update after the other."""
    scores = question.population.draw(np.random.default_rng(0), LIVE, N_MAX).scores
    begin = time.perf_counter()
    for study in scores:
        test = sw.SequentialTest(n_max=N_MAX, alternative="two-sided", ties="strict")
        test.run(study[:, 0], study[:, 1])
    return (time.perf_counter() - begin) / LIVE


def main() -> None:
    """Print the figures."""
    console = Console()
    begin, processor = time.perf_counter(), time.process_time()
    sw.plan()
    wall, used = time.perf_counter() - begin, time.process_time() - processor
    console.print(f"default question: {wall:.1f} s, {used:.1f} s of processors")
    table = Table("policies", "live", "simulated", "ratio", title="per study, medians")
    for name, guesses in CASES.items():
        design = Design(policies=("a", "b"), n_max=N_MAX, parameters={})
        question = PlanQuestion(design, Guessed(guesses))
        question.ask(np.random.SeedSequence(0), 10)
        rounds = [(live(question), simulated(question)) for _ in range(ROUNDS)]
        one, many = np.median(rounds, axis=0)
        table.add_row(name, f"{1e3 * one:.1f} ms", f"{1e6 * many:.0f} µs", f"{one / many:.0f}")
    console.print(table)


if __name__ == "__main__":
    main()
