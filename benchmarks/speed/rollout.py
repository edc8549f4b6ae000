"""Overhead of a race per episode, beside a plain loop.

Run ``python -m benchmarks.speed.rollout``. Everything is measured in rounds in turn, in the same
run, by processor time, which other users' load does not change much; medians are shown. Wanted:
less than 1 ms per episode beyond the plain loop.
"""

import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import gymnasium
from rich.table import Table

import stopwise as sw
from benchmarks.program import Found, benchmark, seconds

ROUNDS, ROWS, LIMIT_MS = 5, 150, 1.0
# No decision at this level, so that all rows are run.
SETTINGS: dict[str, Any] = {"bounds": (0, 500), "n_max": ROWS, "alpha": 1e-12, "seed": 0}


def tilt(observation: Any) -> int:
    """Push to the side to which the pole leans: about 40 steps."""
    return int(observation[2] > 0)


def lean(observation: Any) -> int:
    return tilt(observation)


def plain_loop(seeds: list[int]) -> None:
    environment = gymnasium.make("CartPole-v1")
    for seed in seeds:
        observation, _ = environment.reset(seed=seed)
        total, ended = 0.0, False
        while not ended:
            observation, reward, terminated, truncated, _ = environment.step(tilt(observation))
            total += float(reward)
            ended = terminated or truncated
    environment.close()


processor_seconds = partial(seconds, clock=time.process_time)


@benchmark()
def main() -> Found:
    policies = {"tilt": tilt, "lean": lean}
    first = sw.race(policies, "CartPole-v1", **SETTINGS)  # also makes the plan for n_max
    seeds = [episode.seed for episode in first.episodes]
    times: dict[str, list[float]] = {"plain loop": [], "race": [], "race with a journal": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            race = partial(sw.race, policies, "CartPole-v1", **SETTINGS)
            journal = Path(folder) / f"{number}.jsonl"
            times["plain loop"].append(processor_seconds(lambda: plain_loop(seeds)))
            times["race"].append(processor_seconds(race))
            times["race with a journal"].append(processor_seconds(partial(race, journal=journal)))
    table = Table("", "episodes per processor second", "beyond the loop, ms per episode")
    for name, found in times.items():
        pairs = zip(found, times["plain loop"], strict=True)
        extra = 1000 * median(mine - loop for mine, loop in pairs) / len(seeds)
        table.add_row(name, f"{len(seeds) / median(found):.0f}", f"{extra:.3f}")
    return Found([table], good=extra < LIMIT_MS)
