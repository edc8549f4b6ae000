"""Simulation in independent chunks, merged until the answer is precise enough.

Chunk i of every question has the i-th child of the seed, and which chunks are run depends only on
what earlier ones gave: so the answer is the same whoever runs the chunks, in whatever order they
finish. Questions share their random numbers, which sharpens their differences.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from stopwise.planning.executors import Choice, opened

__all__ = ["CHUNK", "Progress", "Question", "Tally", "gather"]

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


def gather(
    questions: Sequence[Question[Counts]],
    *,
    precision: float,
    seed: int,
    most: int,
    executor: Choice = None,
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
        "threads" (of this machine, the default), "processes", "ray", a fleet of
        ``rollout.executors``, or anything with ``map``.
    progress
        Called with (chunks done, chunks planned so far).
    """
    seeds = np.random.SeedSequence(seed).spawn(-(-most // CHUNK))
    tallies: list[Counts | None] = [None] * len(questions)
    chunks = np.zeros(len(questions), dtype=int)
    wanted = np.ones(len(questions), dtype=int)
    with opened(executor) as pool:
        while (wanted > chunks).any():
            jobs = [
                (index, questions[index], seeds[chunk])
                for index in np.flatnonzero(wanted > chunks).tolist()
                for chunk in range(chunks[index], wanted[index])
            ]
            done, planned = int(chunks.sum()), int(np.maximum(chunks, wanted).sum())
            chunks = np.maximum(chunks, wanted)
            for index, counts in pool.map(_run, jobs):
                known = tallies[index]
                tallies[index] = counts if known is None else known + counts
                done += 1
                if progress is not None:
                    progress(done, planned)
            found = [tally for tally in tallies if tally is not None]
            needed = [-(-tally.runs_needed(precision) // CHUNK) for tally in found]
            wanted = np.minimum(needed, len(seeds))
    return found


def _run(job: tuple[int, Question[Any], np.random.SeedSequence]) -> tuple[int, Any]:
    index, question, seed = job
    return index, question.ask(seed, CHUNK)
