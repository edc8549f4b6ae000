"""What a plan assumes of the policies: guesses, plausible gaps, or what a pilot study showed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from stopwise.core.readings.scale import Scale
from stopwise.core.scores import is_number, require_whole, score_text
from stopwise.errors import require
from stopwise.messages import named
from stopwise.planning.guesses import Guess, as_guess
from stopwise.planning.populations import Guessed, Population, Resampled
from stopwise.rows.table import Table

GAPS = (0.1, 0.2, 0.3, 0.4, 0.5)
NO_GUESS = (
    "no guesses were given, so success rates {} are assumed; partial credit and continuous scores "
    "usually need fewer trials"
)
BETA = "scores are assumed to be beta distributed with the given mean and standard deviation"
RESAMPLED = (
    "pilot scores are resampled with their uncertainty (a Bayesian bootstrap whose prior assumes "
    "the policies are as similar as the pilot suggests): each simulated study has its own true "
    "means, and power is the chance of finding what is true there"
)


@dataclass(frozen=True, eq=False)
class Scenario:
    """One assumption about the policies."""

    text: str  # what is assumed, in words
    gap: float  # the smallest between two means that differ, in [0, 1]
    lead: float  # that between the two best
    population: Population  # where trials come from

    @property
    def tied(self) -> "list[Scenario]":
        """The same with the two best equal; none if they are anyway, or are not known."""
        if self.lead < 1e-9 or not isinstance(self.population, Guessed):
            return []
        text = f"{self.text}, but the two best equal"
        return [replace(self, text=text, lead=0.0, population=self.population.with_tie())]


@dataclass(frozen=True, eq=False)
class GapFamily:
    """Policies whose means lie one gap apart, for every gap."""

    # The lowest policy, on which the others improve; None for success rates around one half.
    base: Guess | None
    policies: int
    correlation: float = 0.0  # of the scores of a row, as far as policies with the gap can have it
    # A number in [0, 1] that is the lowest instead; the base then says what scores are like.
    number: float | None = None

    @property
    def largest(self) -> float:
        if self.number is not None:
            return (1.0 - self.number) / self.policies
        return (1.0 - (0.0 if self.base is None else self.base.mean)) / (self.policies - 1)

    @property
    def deviation(self) -> float:
        """About that of the difference between two scores of a row."""
        of_score = 0.5 if self.base is None else max(self.base.deviation, 0.05)
        return of_score * math.sqrt((2 - (self.number is not None)) * (1 - self.correlation))

    @property
    def equal(self) -> Scenario:
        """The scenario in which there is nothing to find."""
        return Scenario("no difference", 0.0, 0.0, self.at(0.0))

    def at(self, gap: float) -> Guessed:
        steps = np.arange(self.policies)
        if self.number is not None:
            base = self.base or Guess.of_rate(self.number)
            means = (self.number + gap * (steps + 1)).tolist()
            return Guessed(tuple(base.with_mean(mean) for mean in means))
        if self.base is None:
            rates = np.clip(0.5 + gap * (steps - steps.mean()), 0.0, 1.0)
            guesses = tuple(Guess.of_rate(float(rate)) for rate in rates)
        else:
            guesses = tuple(self.base.improved(gap * step) for step in steps)
        return Guessed(guesses).correlated(self.correlation)


class Assumptions(NamedTuple):
    """What a plan rests on: scenarios, policies at any gap, and what has to be said of them."""

    scenarios: list[Scenario]
    family: GapFamily
    notes: list[str]


def assume(
    guesses: Sequence[Any],
    pilot: Table | None,
    gaps: Sequence[float] | None,
    *,
    policies: int | None,
    correlation: float,
    scale: Scale,
    number: float | None = None,
) -> Assumptions:
    """Scenarios from guesses, from a pilot study, or the default ones; see ``plan``.

    ``number`` is the reference in [0, 1], if policies are compared with one.
    """
    alone = number is not None
    least = 1 if alone else 2
    if policies is not None:
        require_whole(policies, "policies", least)
    require(
        is_number(correlation) and 0 <= correlation <= 1,
        named("correlation"),
        f" must lie between 0 and 1, but got {correlation!r}",
    )
    enough = pilot is not None or len(guesses) >= least
    require(
        gaps is None or not enough,
        named("gaps"),
        " cannot be combined with so many guesses, or with a pilot: these set the gap",
    )
    known = [as_guess(value, scale) for value in guesses]
    notes = [BETA] if any(guess.spread is not None for guess in known) else []
    if not enough:
        family = GapFamily(known[0] if known else None, policies or least, correlation, number)
        if not known:
            notes = [NO_GUESS.format("above the reference" if alone else "around one half")]
        return Assumptions(_of_gaps(family, gaps, scale), family, notes)
    population: Population
    if pilot is None:
        if len(known) == 2 and policies is not None and policies > 2 and not alone:
            shares = np.linspace(0.0, 1.0, policies).tolist()
            known = [known[0].mixed(known[1], share) for share in shares]
            notes.append(f"{policies} policies are assumed to lie evenly between the two guesses")
        text = ", ".join(_text(guess, scale) for guess in known)
        population = Guessed(tuple(known), correlation)
    else:
        require(correlation == 0, named("correlation"), " is taken from the pilot study")
        scores = scale.unit(pilot.scores)
        paired = pilot.design == "paired" and scores.shape[1] > 1
        known = [Guess.seen(column) for column in scores.T]
        text = ", ".join(
            f"{name} {score_text(scale.score(guess.mean))} (n = {count})"
            for name, guess, count in zip(pilot.policies, known, pilot.counts, strict=True)
        )
        correlation = _correlation(scores) if paired else 0.0
        population = Resampled(scores, paired)
        notes.append(RESAMPLED)
    require(
        policies in (None, len(known)),
        f"give {'a guess' if alone else '2 guesses, or one'} for each of the {policies} policies, "
        f"but got {len(known)}",
    )
    means = np.array([guess.mean for guess in known])
    if number is not None:
        distances = np.abs(means - number)
        gap = lead = float(distances[distances > 1e-9].min(initial=1.0))
        text = f"{text} against {score_text(scale.score(number))}"
        family = GapFamily(known[0], means.size, 0.0, number)
    else:
        ordered = np.diff(np.sort(means))
        different = ordered[(ordered > 1e-9) | (pilot is not None)]
        gap = float(different.min()) if different.size else 0.0
        lead = float(ordered[-1])
        family = GapFamily(known[int(np.argmin(means))], means.size, correlation)
    return Assumptions([Scenario(text, gap, lead, population)], family, notes)


def _of_gaps(family: GapFamily, gaps: Sequence[float] | None, scale: Scale) -> list[Scenario]:
    """Scenario for each gap, given in units of the score."""
    most = family.largest * scale.span
    usual = [gap * scale.span for gap in GAPS if gap <= family.largest + 1e-9]
    chosen = usual if gaps is None else list(gaps)
    text = f" needs at least one number up to {most:.3g}, but got none"
    require(len(chosen) > 0, named("gaps"), text)
    scenarios = []
    for gap in chosen:
        require(
            is_number(gap) and 0 < gap <= most + 1e-9,
            "a gap must be above 0 and, for these policies to stay within the bounds, at most "
            f"{most:.4g}, but got {gap!r}",
        )
        share = gap / scale.span
        scenarios.append(Scenario(f"gap {gap:.4g}", share, share, family.at(share)))
    return scenarios


def _correlation(scores: Any) -> float:
    """Mean correlation between policies within rows, at least 0."""
    complete = scores[~np.isnan(scores).any(axis=1)]
    if np.any(complete.std(axis=0) < 1e-9):
        return 0.0
    between = np.corrcoef(complete.T)[np.triu_indices(scores.shape[1], 1)]
    return max(float(between.mean()), 0.0)


def _text(guess: Guess, scale: Scale) -> str:
    mean = scale.score(guess.mean)
    if guess.binary or math.isclose(guess.deviation, 0.0):
        return score_text(mean)
    return f"{score_text(mean)} ± {score_text(guess.deviation * scale.span)}"
