"""Simulation in independent chunks, merged until the answer is precise enough.

Chunk i of every model has the i-th child of the seed, and which chunks are run depends only on what
earlier ones gave: so the answer is the same in whatever order threads finish them. Models share
their random numbers, which sharpens their differences.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from stopwise.core.progress import Progress
from stopwise.core.scores import is_number, require_whole
from stopwise.errors import require
from stopwise.messages import named
from stopwise.planning.ends import Ends, RunsNeeded
from stopwise.planning.studies import BestStudy, OrderStudy

CHUNK = 500
MOST_RUNS = 100_000


@dataclass(frozen=True)
class Simulator:
    """Runs chunks until the standard errors are small enough."""

    seed: int  # the same one gives the same answer
    precision: float  # the standard error to reach
    progress: Progress | None = None  # called with (chunks done, chunks planned so far)

    def __post_init__(self) -> None:
        require_whole(self.seed, "seed", 0)
        require(
            is_number(self.precision) and 0.001 <= self.precision <= 0.2,
            named("precision"),
            f" must lie between 0.001 and 0.2, but got {self.precision!r}",
        )

    def run(
        self,
        models: Sequence[OrderStudy | BestStudy],
        *,
        most: int = MOST_RUNS,
        precision: float | None = None,
        needed: RunsNeeded = Ends.runs_for_plan,
    ) -> list[Ends]:
        """Simulate each model to the precision, or with at most so many runs in whole chunks."""
        goal = precision or self.precision
        limit = -(-most // CHUNK)
        tallies: dict[int, Ends] = {}
        chunks = np.zeros(len(models), dtype=int)
        wanted = np.ones(len(models), dtype=int)

        def simulated(job: tuple[int, int]) -> tuple[int, Ends]:
            index, chunk = job
            # A fresh seed: whoever spawns from one changes it, and other models have the same.
            seed = np.random.SeedSequence(self.seed, spawn_key=(chunk,))
            return index, models[index].simulate(seed, CHUNK)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            while (wanted > chunks).any():
                jobs = [
                    (index, chunk)
                    for index in np.flatnonzero(wanted > chunks).tolist()
                    for chunk in range(chunks[index], wanted[index])
                ]
                done = int(chunks.sum())
                chunks = np.maximum(chunks, wanted)
                for index, counts in pool.map(simulated, jobs):
                    tallies[index] = tallies[index] + counts if index in tallies else counts
                    done += 1
                    if self.progress is not None:
                        self.progress(done, int(chunks.sum()))
                runs = [needed(tallies[index], goal) for index in range(len(models))]
                wanted = np.minimum(-(-np.array(runs, dtype=int) // CHUNK), limit)
        return [tallies[index] for index in range(len(models))]


def check_minutes(minutes_per_trial: float | None) -> None:
    require(
        minutes_per_trial is None or (is_number(minutes_per_trial) and minutes_per_trial > 0),
        named("minutes_per_trial"),
        f" must be above 0, but got {minutes_per_trial!r}",
    )
