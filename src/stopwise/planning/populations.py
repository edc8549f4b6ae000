"""Where simulated trials come from: guesses, or scores seen so far with their uncertainty."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.errors import require
from stopwise.planning.guesses import Guess

# Weight, in trials, of the prior that a success or failure may yet come.
JEFFREYS = 1.0
# More policies than this, and not every combination of successes is given a share of the prior.
ALL_COMBINATIONS = 8
# How alike policies may be beforehand, in trials: from gaps as wide as the scores to gaps of an
# eighth of that. The gap between two means has a standard deviation of about
# sqrt(2 / (weight + 1)) times that of the scores.
WEIGHTS: Floats = 2.0 ** np.arange(1, 8) - 1.0


class World(NamedTuple):
    """Simulated studies that have begun: each has its truth, and trials are drawn as they come."""

    means: Floats  # true ones (runs, policies)
    # Returns the next n rows of each study (runs, n, policies), however they are cut into calls.
    draw: Callable[[int], Floats]


@dataclass(frozen=True, eq=False)
class Guessed:
    """Policies that are known by guess."""

    guesses: tuple[Guess, ...]
    # Averaged over the pairs, between scores of the same row: in a share of the rows the
    # environment decides how well all policies do, each by its own distribution.
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
        deviations = [max(guess.deviation, 1e-12) for guess in self.guesses]
        if len(deviations) == 1:
            return 0.0
        correlations = self._together / np.outer(deviations, deviations)
        return min(float(np.mean(correlations[np.triu_indices(len(deviations), 1)])), 1.0)

    @cached_property
    def _share(self) -> float:
        return self.correlation / self.most_correlation if self.correlation > 0 else 0.0

    def begin(self, rng: np.random.Generator, runs: int) -> World:
        """Studies before their first row."""
        each, shared = rng.spawn(2)

        def draw(n: int) -> Floats:
            uniform = rng.random((n, runs, len(self.guesses)))
            if self._share > 0:
                together = each.random((n, runs)) < self._share
                uniform = np.where(together[..., None], shared.random((n, runs, 1)), uniform)
            scores = [guess.at(uniform[..., i].T) for i, guess in enumerate(self.guesses)]
            return np.stack(scores, axis=-1)

        return World(np.broadcast_to(self.means, (runs, self.means.size)), draw)

    def with_tie(self) -> "Guessed":
        """The second best equal to the best."""
        guesses = list(self.guesses)
        second, best = np.argsort([guess.mean for guess in guesses], kind="stable")[-2:]
        guesses[second] = guesses[best]
        return Guessed(tuple(guesses)).correlated(self.correlation)

    def correlated(self, correlation: float) -> "Guessed":
        """The same with this correlation, as far as these policies can have it."""
        return replace(self, correlation=min(correlation, max(self.most_correlation, 0.0)))

    @cached_property
    def means(self) -> Floats:
        return np.array([guess.mean for guess in self.guesses])

    @property
    def covariances(self) -> Floats:
        """Of the scores of a row."""
        covariances = self._share * self._together
        np.fill_diagonal(covariances, [guess.deviation**2 for guess in self.guesses])
        return covariances


class _Atoms(NamedTuple):
    """Rows of scores (atoms, columns), what each weighs, and its share if policies are alike."""

    rows: Floats
    weights: Floats
    alike: Floats

    def truths(self, rng: np.random.Generator, weight: Floats) -> Floats:
        """Shares of the rows (runs, atoms), Dirichlet with the weights of each run."""
        drawn = rng.standard_gamma(self.weights + weight[:, None] * self.alike)
        shares: Floats = drawn / drawn.sum(axis=1, keepdims=True)
        return shares


@dataclass(frozen=True, eq=False)
class Resampled:
    """Policies of which some trials were seen; every simulated study draws its own truth.

    The Bayesian bootstrap: the truth of a study is a random reweighting (Dirichlet) of the scores
    seen. Alone it would expect the gap seen so far, which is mostly too large while it is being
    looked for; so there is a prior that the policies are alike: all scores seen, whichever policy
    they are from. It weighs as many trials as the scores seen make likely. To successes and
    failures Jeffreys' prior is added, half a success and half a failure, so that what was not seen
    may yet come.
    """

    scores: Floats  # (rows, policies) in [0, 1], NaN where a policy has no trial
    paired: bool = False  # a row is one environment: rows are then resampled as a whole

    def __post_init__(self) -> None:
        rows = ~np.isnan(self.scores).any(axis=1) if self.paired else ~np.isnan(self.scores)
        fewest = int(rows.sum(axis=0).min())
        require(fewest >= 2, f"resampling needs at least 2 trials of each policy, but got {fewest}")

    @property
    def binary(self) -> bool:
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

    def begin(self, rng: np.random.Generator, runs: int) -> World:
        """Studies before their first row, each with its own truth."""
        first, *rest = rng.spawn(1 + len(self._atoms))
        weight = np.zeros(runs)
        if self.scores.shape[1] > 1:  # else there is no other policy to be like
            weight = first.choice(WEIGHTS, runs, p=chances_of_weights(self.scores, self.paired))
        atoms = zip(self._atoms, rest, strict=True)
        truths = [(one.rows, one.truths(stream, weight), stream) for one, stream in atoms]

        def draw(n: int) -> Floats:
            return np.concatenate([_draw(*part, n) for part in truths], axis=-1)

        return World(np.concatenate([shares @ rows for rows, shares, _ in truths], axis=-1), draw)


Population = Guessed | Resampled


def chances_of_weights(scores: Floats, paired: bool) -> Floats:
    """Likelihood of each weight, given scores (rows, policies) with NaN for no trial.

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
    """Distinct rows, each with its number and its parts of both priors."""
    parts = seen, unseen, alike
    rows, place = np.unique(np.concatenate(parts), axis=0, return_inverse=True)
    rows_seen, shared = np.split(place.ravel(), [len(seen) + len(unseen)])
    each = np.repeat([1.0, JEFFREYS / max(len(unseen), 1)], [len(seen), len(unseen)])
    weights = np.bincount(rows_seen, each, minlength=len(rows)).astype(float)
    return _Atoms(rows, weights, np.bincount(shared, minlength=len(rows)) / len(alike))


def _draw(rows: Floats, shares: Floats, rng: np.random.Generator, n: int) -> Floats:
    """N rows of each run, drawn by its shares."""
    runs = len(shares)
    cumulative = np.cumsum(shares, axis=1)
    cumulative[:, -1] = 1.0
    # One search for all runs: run i looks between i and i + 1.
    offset = np.arange(runs)[:, None]
    levels = rng.random((n, runs)).T + offset
    place = np.searchsorted((cumulative + offset).ravel(), levels.ravel(), side="right")
    index = np.minimum(place.reshape(runs, n) - offset * len(shares.T), len(shares.T) - 1)
    drawn: Floats = rows[index]
    return drawn
