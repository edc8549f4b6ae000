"""What the policies might be like: guesses, plausible gaps, or what a pilot study showed."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.scores import Scale, is_number, score_text
from stopwise.errors import require
from stopwise.planning.guess import Guess, as_guess
from stopwise.planning.population import Guessed, Population, Resampled
from stopwise.rows.table import Table

__all__ = ["GAPS", "GapFamily", "Scenario", "of_gaps", "of_guesses", "of_pilot"]

GAPS = (0.1, 0.2, 0.3, 0.4, 0.5)
FROM_NOTHING = (
    "nothing was guessed: success or failure with rates around one half, close to the hardest "
    "case; other rates, partial credit and continuous scores mostly need fewer trials"
)
BETA = "scores are taken to be beta distributed with the given mean and standard deviation"


@dataclass(frozen=True, eq=False)
class Scenario:
    """One supposition about the policies; the gap is the smallest between two, in [0, 1]."""

    text: str
    gap: float
    population: Population


@dataclass(frozen=True, eq=False)
class GapFamily:
    """Policies whose means lie one gap apart, for every gap.

    Parameters
    ----------
    base
        The lowest policy, on which the others improve; None for success rates around one half.
    policies
        Number of policies.
    correlation
        Of the scores of a row, as far as policies with the gap can have it.
    """

    base: Guess | None
    policies: int
    correlation: float = 0.0

    @property
    def largest(self) -> float:
        """The largest gap that fits into the bounds."""
        return (1.0 - (0.0 if self.base is None else self.base.mean)) / (self.policies - 1)

    def at(self, gap: float) -> Guessed:
        """Return the policies with this gap."""
        steps = np.arange(self.policies)
        if self.base is None:
            rates = np.clip(0.5 + gap * (steps - steps.mean()), 0.0, 1.0)
            guesses = tuple(Guess.of_rate(float(rate)) for rate in rates)
        else:
            guesses = tuple(self.base.improved(gap * step) for step in steps)
        free = Guessed(guesses)
        return Guessed(guesses, min(self.correlation, max(free.most_correlation, 0.0)))


def of_gaps(family: GapFamily, gaps: Sequence[float] | None, scale: Scale) -> list[Scenario]:
    """Return a scenario for each gap, given in units of the score."""
    chosen = [gap * scale.span for gap in GAPS] if gaps is None else list(gaps)
    most = family.largest * scale.span
    if gaps is None:
        chosen = [gap for gap in chosen if gap <= most + 1e-9]
    require(len(chosen) > 0, f"gaps must be some numbers, but there are none up to {most:.3g}")
    for gap in chosen:
        require(
            is_number(gap) and 0 < gap <= most + 1e-9,
            f"a gap must be above 0 and, for these policies to stay within the bounds, at most "
            f"{most:.4g}, but got {gap!r}",
        )
    return [
        Scenario(f"gap {gap:.4g}", gap / scale.span, family.at(gap / scale.span)) for gap in chosen
    ]


def of_guesses(
    values: Sequence[Any], *, policies: int | None, correlation: float, scale: Scale
) -> tuple[Scenario, GapFamily, tuple[str, ...]]:
    """Return the scenario of some guesses, its family of gaps, and what has to be said."""
    guesses = [as_guess(value, scale) for value in values]
    notes = [BETA] if any(guess.spread is not None for guess in guesses) else []
    if policies is not None and policies != len(guesses):
        require(
            len(guesses) == 2 and policies > 2,
            f"give 2 guesses, or one for each of the {policies} policies, but got {len(guesses)}",
        )
        shares = np.linspace(0.0, 1.0, policies).tolist()
        guesses = [guesses[0].mixed(guesses[1], share) for share in shares]
        notes.append(f"{policies} policies are taken to lie evenly between the two guesses")
    means = sorted(guess.mean for guess in guesses)
    gaps = [high - low for low, high in itertools.pairwise(means)]
    different = [gap for gap in gaps if gap > 1e-9]
    require(
        len(different) > 0,
        f"the guesses have the same mean {scale.low + means[0] * scale.span:.4g}: equal policies "
        "cannot be told apart by any number of trials, so there is nothing to plan",
    )
    population = Guessed(tuple(guesses), correlation)
    lowest = min(guesses, key=lambda guess: guess.mean)
    text = ", ".join(_text(guess, scale) for guess in guesses)
    family = GapFamily(lowest, len(guesses), correlation)
    return Scenario(text, min(different), population), family, tuple(notes)


def of_pilot(table: Table, scale: Scale) -> tuple[Scenario, GapFamily, tuple[str, ...]]:
    """Return the scenario of a pilot study, resampled with its uncertainty."""
    scores = (table.scores - scale.low) / scale.span
    paired = table.design == "paired"
    population = Resampled(scores, paired)
    means = np.nanmean(scores, axis=0)
    counts = (~np.isnan(scores)).sum(axis=0)
    text = ", ".join(
        f"{name} {score_text(scale.low + mean * scale.span)} (n = {count})"
        for name, mean, count in zip(table.policies, means, counts, strict=True)
    )
    lowest = scores[:, int(np.argmin(means))]
    values, times = np.unique(lowest[~np.isnan(lowest)], return_counts=True)
    base = Guess(values, times / times.sum())
    ordered = np.diff(np.sort(means))
    family = GapFamily(base, len(means), _correlation(scores) if paired else 0.0)
    note = (
        "pilot scores are resampled with their uncertainty (Bayesian bootstrap, with a prior that "
        "the policies are alike, as strong as the pilot makes likely): every simulated study has "
        "its own truth, and power is the chance of finding it"
    )
    return Scenario(text, float(ordered.min()), population), family, (note,)


def _correlation(scores: Any) -> float:
    """Return the mean correlation between policies within rows, at least 0."""
    complete = scores[~np.isnan(scores).any(axis=1)]
    if np.any(complete.std(axis=0) < 1e-9):
        return 0.0
    between = np.corrcoef(complete.T)[np.triu_indices(scores.shape[1], 1)]
    return max(float(between.mean()), 0.0)


def _text(guess: Guess, scale: Scale) -> str:
    mean = scale.low + guess.mean * scale.span
    if guess.binary or math.isclose(guess.deviation, 0.0):
        return score_text(mean)
    return f"{score_text(mean)} ± {score_text(guess.deviation * scale.span)}"
