"""Simulation in independent chunks, merged until the answer is precise enough.

Chunk i of every model has the i-th child of the seed, and which chunks are run depends only on what
earlier ones gave: so the answer is the same whoever runs the chunks, in whatever order they finish.
Models share their random numbers, which sharpens their differences.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from stopwise.core.progress import Progress
from stopwise.core.scores import is_number, require_whole
from stopwise.errors import require
from stopwise.messages import named
from stopwise.planning.ends import Ends, RunsNeeded

CHUNK = 500
MOST_RUNS = 100_000


class StudyModel(Protocol):
    """A study that can be simulated and pickled."""

    def simulate(self, seed: np.random.SeedSequence, runs: int) -> Ends: ...


class MapExecutor(Protocol):
    """Whatever runs a function on many items, as executors of ``concurrent.futures`` do."""

    def map(self, function: Callable[[Any], Any], items: Iterable[Any], /) -> Iterable[Any]: ...


ExecutorChoice = MapExecutor | None


@dataclass(frozen=True)
class Simulator:
    """Runs chunks until the standard errors are small enough."""

    workers: MapExecutor
    seed: int  # the same one gives the same answer
    precision: float  # the standard error to reach
    progress: Progress | None = None  # called with (chunks done, chunks planned so far)

    def run(
        self,
        models: Sequence[StudyModel],
        *,
        most: int = MOST_RUNS,
        precision: float | None = None,
        needed: RunsNeeded = Ends.runs_for_plan,
    ) -> list[Ends]:
        """Simulate each model to the precision, or with at most so many runs in whole chunks."""
        goal = precision or self.precision
        seeds = np.random.SeedSequence(self.seed).spawn(-(-most // CHUNK))
        tallies: dict[int, Ends] = {}
        chunks = np.zeros(len(models), dtype=int)
        wanted = np.ones(len(models), dtype=int)
        while (wanted > chunks).any():
            jobs = [
                (index, models[index], seeds[chunk])
                for index in np.flatnonzero(wanted > chunks).tolist()
                for chunk in range(chunks[index], wanted[index])
            ]
            done = int(chunks.sum())
            chunks = np.maximum(chunks, wanted)
            for index, counts in self.workers.map(_run, jobs):
                tallies[index] = tallies[index] + counts if index in tallies else counts
                done += 1
                if self.progress is not None:
                    self.progress(done, int(chunks.sum()))
            runs = [needed(tallies[index], goal) for index in range(len(models))]
            wanted = np.minimum(-(-np.array(runs) // CHUNK), len(seeds))
        return [tallies[index] for index in range(len(models))]


def _run(job: tuple[int, StudyModel, np.random.SeedSequence]) -> tuple[int, Ends]:
    index, model, seed = job
    # A fresh one: whoever spawns from a seed changes it, and other models have the same.
    fresh = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
    return index, model.simulate(fresh, CHUNK)


def check_simulation(minutes_per_trial: Any, precision: Any, seed: Any) -> None:
    """Raise unless time per trial, precision and seed can be used."""
    require(
        minutes_per_trial is None or (is_number(minutes_per_trial) and minutes_per_trial > 0),
        named("minutes_per_trial"),
        f" must be above 0, but got {minutes_per_trial!r}",
    )
    require(
        is_number(precision) and 0.001 <= precision <= 0.2,
        named("precision"),
        f" must lie between 0.001 and 0.2, but got {precision!r}",
    )
    require_whole(seed, "seed", 0)


@contextmanager
def opened(choice: ExecutorChoice) -> Iterator[MapExecutor]:
    """Yield the executor given, or threads, which end with the context."""
    if choice is None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            yield pool
        return
    wrong = f" must be an object with a map method, but got {choice!r}"
    require(hasattr(choice, "map"), named("executor"), wrong)
    yield choice
