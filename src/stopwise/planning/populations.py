"""Where simulated trials come from: guesses, or scores seen so far with their uncertainty."""

import itertools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.errors import require
from stopwise.planning.guesses import Guess

__all__ = ["WEIGHTS", "Guessed", "Moments", "Population", "Resampled", "chances_of_weights"]

# Weight, in trials, of the prior that a success or failure may yet come.
JEFFREYS = 1.0
# More policies than this, and not every combination of successes is given a share of the prior.
ALL_COMBINATIONS = 8
# How alike policies may be beforehand, in trials: from gaps as wide as the scores to gaps of an
# eighth of that. The gap between two means has a standard deviation of about
# sqrt(2 / (weight + 1)) times that of the scores.
WEIGHTS: Floats = 2.0 ** np.arange(1, 8) - 1.0


class SimulatedScores(NamedTuple):
    """Simulated studies: scores (runs, n, policies) and the true means (runs, policies)."""

    scores: Floats
    means: Floats


class Moments(NamedTuple):
    """True means (worlds, policies) and covariances of a row (worlds, policies, policies)."""

    means: Floats
    covariances: Floats


class Population(ABC):
    """Policies of which trials can be drawn; scores are normalised to [0, 1]."""

    @property
    @abstractmethod
    def binary(self) -> bool:
        """Whether every score is success or failure."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, runs: int, n: int) -> SimulatedScores:
        """Return studies of n rows each; with more rows the first ones stay the same."""

    @abstractmethod
    def moments(self, rng: np.random.Generator, worlds: int) -> Moments:
        """Return means and covariances of as many worlds as asked for, or of the only one."""


@dataclass(frozen=True, eq=False)
class Guessed(Population):
    """Policies that are known by guess.

    Parameters
    ----------
    guesses
        One per policy.
    correlation
        Correlation, averaged over the pairs, between scores of the same row: in a share of the
        rows the environment decides how well all policies do, each by its own distribution.
    """

    guesses: tuple[Guess, ...]
    correlation: float = 0.0

    def __post_init__(self) -> None:
        most = self.most_correlation
        require(
            0 <= self.correlation <= most + 1e-9,
            f"policies like these can have a correlation from 0 to {most:.3g}, but got "
            f"{self.correlation:g}",
        )

    @property
    def binary(self) -> bool:
        """Whether every score is success or failure."""
        return all(guess.binary for guess in self.guesses)

    @cached_property
    def _together(self) -> Floats:
        """Covariances if the environment decided every row."""
        edges = np.unique(np.concatenate([[0.0], *(guess.cumulative for guess in self.guesses)]))
        middles = np.minimum(0.5 * (edges[1:] + edges[:-1]), np.nextafter(1.0, 0.0))
        scores = np.stack([guess.at(middles) - guess.mean for guess in self.guesses])
        covariance: Floats = (scores * np.diff(edges)) @ scores.T
        return covariance

    @cached_property
    def most_correlation(self) -> float:
        """The largest correlation that policies with these distributions can have."""
        deviations = [max(guess.deviation, 1e-12) for guess in self.guesses]
        correlations = self._together / np.outer(deviations, deviations)
        return min(float(np.mean(correlations[np.triu_indices(len(deviations), 1)])), 1.0)

    @cached_property
    def _share(self) -> float:
        """Share of rows that the environment decides."""
        return self.correlation / self.most_correlation if self.correlation > 0 else 0.0

    def draw(self, rng: np.random.Generator, runs: int, n: int) -> SimulatedScores:
        """Return studies of n rows each."""
        uniform = rng.random((n, runs, len(self.guesses)))
        if self._share > 0:
            own, shared = rng.spawn(2)
            together = own.random((n, runs)) < self._share
            uniform = np.where(together[..., None], shared.random((n, runs, 1)), uniform)
        scores = [guess.at(uniform[..., i].T) for i, guess in enumerate(self.guesses)]
        means = np.array([guess.mean for guess in self.guesses])
        return SimulatedScores(
            np.stack(scores, axis=-1), np.broadcast_to(means, (runs, means.size))
        )

    def moments(self, rng: np.random.Generator, worlds: int) -> Moments:  # noqa: ARG002
        """Return the one world that is guessed."""
        means = np.array([[guess.mean for guess in self.guesses]])
        covariance = self._share * self._together
        np.fill_diagonal(covariance, [guess.deviation**2 for guess in self.guesses])
        return Moments(means, covariance[None])


class _Atoms(NamedTuple):
    """Rows of scores (atoms, columns), what each weighs, and its share if policies are alike."""

    rows: Floats
    weights: Floats
    alike: Floats

    def truths(self, rng: np.random.Generator, weight: Floats) -> Floats:
        """Return the shares of the rows (runs, atoms), Dirichlet with the weights of each run."""
        drawn = rng.standard_gamma(self.weights + weight[:, None] * self.alike)
        shares: Floats = drawn / drawn.sum(axis=1, keepdims=True)
        return shares


@dataclass(frozen=True, eq=False)
class Resampled(Population):
    """Policies of which some trials were seen; every simulated study draws its own truth.

    The Bayesian bootstrap: the truth of a study is a random reweighting (Dirichlet) of the scores
    seen. Alone it would expect the gap seen so far, which is mostly too large while it is being
    looked for; so there is a prior that the policies are alike: all scores seen, whichever policy
    they are from. It weighs as many trials as the scores seen make likely. To successes and
    failures Jeffreys' prior is added, half a success and half a failure, so that what was not seen
    may yet come.

    Parameters
    ----------
    scores
        Array (rows, policies) in [0, 1], NaN where a policy has no trial.
    paired
        Whether a row is one environment: rows are then resampled as a whole.
    """

    scores: Floats
    paired: bool = False

    def __post_init__(self) -> None:
        rows = ~np.isnan(self.scores).any(axis=1) if self.paired else ~np.isnan(self.scores)
        fewest = int(rows.sum(axis=0).min())
        require(fewest >= 2, f"resampling needs at least 2 trials of each policy, but got {fewest}")

    @property
    def binary(self) -> bool:
        """Whether every score seen is success or failure."""
        return bool(np.isin(self.scores[~np.isnan(self.scores)], (0.0, 1.0)).all())

    @cached_property
    def _atoms(self) -> list[_Atoms]:
        """One set of atoms for all policies together if paired, else one per policy."""
        if self.paired:
            complete = self.scores[~np.isnan(self.scores).any(axis=1)]
            # Beforehand the policies' names mean nothing: what one did, another might have done.
            turned = [np.roll(complete, shift, axis=1) for shift in range(complete.shape[1])]
            return [_weighted(complete, np.concatenate(turned), self._unseen)]
        columns = [column[~np.isnan(column), None] for column in self.scores.T]
        pooled = np.concatenate(columns)
        return [_weighted(column, pooled, self._unseen) for column in columns]

    @property
    def _unseen(self) -> Floats:
        """Rows that may come though they were not seen: of successes and failures all."""
        width = self.scores.shape[1] if self.paired else 1
        if not self.binary or width > ALL_COMBINATIONS:
            return np.empty((0, width))
        return np.array(list(itertools.product((0.0, 1.0), repeat=width)))

    def draw(self, rng: np.random.Generator, runs: int, n: int) -> SimulatedScores:
        """Return studies of n rows each, every one from its own truth."""
        weight, parts = self._begin(rng, runs)
        drawn = [_draw(atoms.rows, atoms.truths(own, weight), own, n) for atoms, own in parts]
        return SimulatedScores(
            *(np.concatenate(part, axis=-1) for part in zip(*drawn, strict=True))
        )

    def moments(self, rng: np.random.Generator, worlds: int) -> Moments:
        """Return the moments of random truths."""
        policies = self.scores.shape[1]
        means = np.empty((worlds, policies))
        covariances = np.zeros((worlds, policies, policies))
        start = 0
        weight, parts = self._begin(rng, worlds)
        for atoms, own in parts:
            block = slice(start, start + atoms.rows.shape[1])
            shares = atoms.truths(own, weight)
            means[:, block] = shares @ atoms.rows
            centred = atoms.rows - means[:, None, block]
            covariances[:, block, block] = np.einsum("wa,wai,waj->wij", shares, centred, centred)
            start = block.stop
        return Moments(means, covariances)

    def _begin(
        self, rng: np.random.Generator, runs: int
    ) -> tuple[Floats, list[tuple[_Atoms, np.random.Generator]]]:
        """Return how alike the policies are in each run, and a generator for each set of atoms."""
        first, *rest = rng.spawn(1 + len(self._atoms))
        weight = first.choice(WEIGHTS, runs, p=chances_of_weights(self.scores, self.paired))
        return weight, list(zip(self._atoms, rest, strict=True))


def chances_of_weights(scores: Floats, paired: bool) -> Floats:
    """Return how likely each weight is, given scores (rows, policies) with NaN for no trial.

    Beforehand all are equally likely, so that gaps of every size are. By the normal limit, means of
    n trials differ by chance with the variance of a score times 1 / n, and by the prior with
    1 / (weight + 1) times it.
    """
    if paired:  # only differences within rows tell policies apart
        complete = scores[~np.isnan(scores).any(axis=1)]
        scores = complete - complete.mean(axis=1, keepdims=True)
    policies = scores.shape[1]
    means = np.nanmean(scores, axis=0)
    variance = float(np.nanmean((scores - means.mean()) ** 2))
    if paired:
        variance *= policies / (policies - 1)
    apart = 0.0 if variance < 1e-12 else float(((means - means.mean()) ** 2).sum()) / variance
    n = float((~np.isnan(scores)).sum(axis=0).min())
    spread = 1.0 / n + 1.0 / (WEIGHTS + 1.0)
    log_likelihood = -0.5 * (apart / spread + (policies - 1) * np.log(spread))
    likelihood = np.exp(log_likelihood - log_likelihood.max())
    chances: Floats = likelihood / likelihood.sum()
    return chances


def _weighted(seen: Floats, alike: Floats, unseen: Floats) -> _Atoms:
    """Return the distinct rows, each with its number and its parts of both priors."""
    parts = seen, unseen, alike
    rows, place = np.unique(np.concatenate(parts), axis=0, return_inverse=True)
    own, shared = np.split(place.ravel(), [len(seen) + len(unseen)])
    each = np.repeat([1.0, JEFFREYS / max(len(unseen), 1)], [len(seen), len(unseen)])
    weights = np.bincount(own, each, minlength=len(rows)).astype(float)
    return _Atoms(rows, weights, np.bincount(shared, minlength=len(rows)) / len(alike))


def _draw(rows: Floats, shares: Floats, rng: np.random.Generator, n: int) -> SimulatedScores:
    """Return n rows of each run, drawn by its shares."""
    runs = len(shares)
    cumulative = np.cumsum(shares, axis=1)
    cumulative[:, -1] = 1.0
    # One search for all runs: run i looks between i and i + 1.
    offset = np.arange(runs)[:, None]
    levels = rng.random((n, runs)).T + offset
    place = np.searchsorted((cumulative + offset).ravel(), levels.ravel(), side="right")
    index = np.minimum(place.reshape(runs, n) - offset * len(shares.T), len(shares.T) - 1)
    return SimulatedScores(rows[index], shares @ rows)
