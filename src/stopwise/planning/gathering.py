"""Simulation in independent chunks, merged until the answer is precise enough.

Chunk i of every question has the i-th child of the seed, and which chunks are run depends only on
what earlier ones gave: so the answer is the same whoever runs the chunks, in whatever order they
finish. Questions share their random numbers, which sharpens their differences.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, Self, TypeVar

import numpy as np

__all__ = ["CHUNK", "Executor", "Question", "Tally", "gather"]

CHUNK = 500
Progress = Callable[[int, int], None]


class Tally(Protocol):
    """What a chunk found; chunks add up."""

    def __add__(self, other: Self) -> Self: ...

    def runs_needed(self, precision: float) -> int:
        """Return how many runs reach this standard error."""


Counts = TypeVar("Counts", bound=Tally)
Counts_co = TypeVar("Counts_co", bound=Tally, covariant=True)


class Question(Protocol[Counts_co]):
    """Something to simulate; it can be pickled."""

    def ask(self, seed: np.random.SeedSequence, runs: int) -> Counts_co:
        """Return what this many studies find."""


class Executor(Protocol):
    """Whatever runs a function on many items, here or elsewhere, as ``concurrent.futures`` do."""

    def map(self, function: Callable[[Any], Any], items: Iterable[Any], /) -> Iterable[Any]:
        """Return the results in the order of the items."""


def gather(
    questions: Sequence[Question[Counts]],
    *,
    precision: float,
    seed: int,
    most: int,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[Counts]:
    """Answer each question with the standard error asked for, or with the most runs allowed.

    Parameters
    ----------
    questions
        What to simulate.
    precision
        The standard error wanted.
    seed
        A whole number; the same one gives the same answer.
    most
        The most runs per question, rounded up to whole chunks.
    executor
        Runs the chunks; by default the threads of this machine.
    progress
        Called with (chunks done, chunks planned so far).
    """
    seeds = np.random.SeedSequence(seed).spawn(-(-most // CHUNK))
    tallies: list[Counts | None] = [None] * len(questions)
    chunks = np.zeros(len(questions), dtype=int)
    wanted = np.ones(len(questions), dtype=int)
    with _Runner(executor) as run:
        while (wanted > chunks).any():
            jobs = [
                (index, questions[index], seeds[chunk])
                for index in np.flatnonzero(wanted > chunks).tolist()
                for chunk in range(chunks[index], wanted[index])
            ]
            done, planned = int(chunks.sum()), int(np.maximum(chunks, wanted).sum())
            chunks = np.maximum(chunks, wanted)
            for index, counts in run(jobs):
                known = tallies[index]
                tallies[index] = counts if known is None else known + counts
                done += 1
                if progress is not None:
                    progress(done, planned)
            found = [tally for tally in tallies if tally is not None]
            needed = [-(-tally.runs_needed(precision) // CHUNK) for tally in found]
            wanted = np.minimum(needed, len(seeds))
    return found


class _Runner:
    """Runs jobs on the executor given, or on threads of its own."""

    def __init__(self, executor: Executor | None) -> None:
        self._own = ThreadPoolExecutor(os.cpu_count()) if executor is None else None
        self._executor: Any = executor or self._own

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._own is not None:
            self._own.shutdown(cancel_futures=True)

    def __call__(self, jobs: list[Any]) -> Iterator[Any]:
        yield from self._executor.map(_run, jobs)


def _run(job: tuple[int, Question[Any], np.random.SeedSequence]) -> tuple[int, Any]:
    index, question, seed = job
    return index, question.ask(seed, CHUNK)
