"""The one call: ``plan`` says how many trials a study will take."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stopwise.core import registry
from stopwise.core.scores import Scale, is_number, require_whole
from stopwise.errors import require
from stopwise.messages import Message, Setting
from stopwise.planning import scenarios
from stopwise.planning.answers import Work, find_limit, find_rows
from stopwise.planning.checks import check_work
from stopwise.planning.executors import Choice, opened
from stopwise.planning.fixed_sample import MOST_POWER
from stopwise.planning.gathering import Progress
from stopwise.planning.guess import as_guess
from stopwise.planning.population import Guessed
from stopwise.planning.question import Design
from stopwise.planning.result import Plan, PlanRow
from stopwise.planning.scenarios import GapFamily, Scenario
from stopwise.ranking.table import Table, check_scores, tables

__all__ = ["plan"]

N_MAX = (50, 100, 200)


def plan(
    *guesses: Any,
    pilot: Any = None,
    gaps: Sequence[float] | None = None,
    policies: int | None = None,
    n_max: int | Sequence[int] | None = None,
    budget: int | Sequence[int] | None = None,
    method: str = "nscore-plus",
    alpha: float = 0.05,
    power: float = 0.8,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    correlation: float = 0.0,
    alternative: str = "two-sided",
    adjust: str = "holm",
    ties: str = "strict",
    baseline: bool = False,
    minutes_per_trial: float | None = None,
    detectable: bool = True,
    precision: float = 0.015,
    seed: int = 0,
    executor: Choice = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Plan:
    """Forecast how many trials a study takes, its power, and the smallest gap that it can find.

    A plan never affects validity: what the method promises for the study holds whatever was
    supposed here. With ``method="step"`` and success rates everything is exact; otherwise studies
    are simulated until standard errors are as small as asked for.

    Parameters
    ----------
    *guesses
        What the policies are like, one each: a success rate, (mean, standard deviation) for a
        beta distribution, or {score: probability} of milestones. One alone is the policy to
        improve on, by each of ``gaps``. None at all: success rates around one half, for each gap.
    pilot
        Instead of guesses, trials as for ``analyze``; they are resampled with their uncertainty.
    gaps
        Differences of means, in units of the score; by default .1 to .5 of the range.
    policies
        Number of policies, by default as many as guesses, or 2; two guesses are then the ends.
    n_max, budget
        Candidates of the greatest number of trials per policy, or of trials in all.
    method, alpha, adjust, ties, **parameters
        As for ``analyze``.
    power
        The power wanted, in (alpha, 1).
    bounds
        Range of the score, by default [0, 1], or that of the pilot study.
    design, correlation
        "independent", or "paired" with the correlation of the scores within a row.
    alternative
        "two-sided"; of two policies also "greater" (is the second better?) or "less".
    baseline
        Whether all policies are compared with the first one only.
    minutes_per_trial
        For the time in hours.
    detectable
        Whether to look for the smallest gap that can be found.
    precision
        Standard error of the powers, and half that of mean numbers of trials as a share of them.
    seed
        A whole number; the same one gives the same plan.
    executor
        Who runs the simulation: "threads" (of this machine, the default), "processes", "ray", one
        made by ``stopwise.rollout.executors`` such as ``ray_cluster(64, address="auto")``, or
        anything with ``map``. The plan does not depend on it.
    progress
        Called with (chunks done, chunks planned so far).

    Examples
    --------
    >>> import stopwise as sw
    >>> plan = sw.plan(0.3, 0.6, n_max=[30, 60], method="step", minutes_per_trial=3)
    >>> [(row.n_max, round(row.power, 3), round(row.mean_n, 1)) for row in plan.rows]
    [(30, 0.599, 23.7), (60, 0.878, 35.1)]
    """
    scale, table = _setting(guesses, pilot, bounds, design)
    inferred = table is not None and table.bounds_inferred
    _check_level(power, alpha)
    check_work(minutes_per_trial, precision, seed)
    found, family, notes = _scenarios(
        guesses, table, gaps, policies=policies, correlation=correlation, scale=scale
    )
    _check_scores(method, found)
    count = found[0].population.policies
    names = tuple(f"policy {index}" for index in range(count)) if table is None else table.policies
    designs = [
        Design(
            method=method,
            alpha=alpha,
            n_max=n,
            policies=names,
            bounds=(scale.low, scale.high),
            design=table.design if table is not None else design or "independent",
            alternative=alternative,
            adjust=adjust,
            ties=ties,
            baseline=names[0] if baseline else None,
            parameters=parameters,
        )
        for n in _horizons(n_max, budget, count)
    ]
    _check_scenarios(designs[0], found, correlation)
    with opened(executor) as workers:
        work = Work(seed=seed, precision=precision, executor=workers, progress=progress)
        rows = find_rows(designs, found, scale, work)
        limits = [
            find_limit(chosen, family, power, scale, work, rows=rows)
            for chosen in designs
            if detectable
        ]
    return Plan(
        rows=tuple(rows),
        detectable=tuple(limits),
        power=power,
        method=method,
        alpha=alpha,
        policies=count,
        adjust=adjust,
        ties=designs[0].family.ties,
        alternative=alternative,
        design=designs[0].design,
        bounds=(scale.low, scale.high),
        bounds_inferred=inferred,
        minutes_per_trial=minutes_per_trial,
        notes=(*notes, *_notes(rows), *(() if table is None else table.warnings)),
    )


def _setting(
    guesses: tuple[Any, ...], pilot: Any, bounds: Any, design: str | None
) -> tuple[Scale, Table | None]:
    """Return the range of the score, and the table of the pilot study if there is one."""
    if pilot is None:
        return Scale.declared((0.0, 1.0) if bounds is None else bounds), None
    require(not guesses, "give either guesses or a pilot study, but got both")
    found = tables(pilot, design=design)
    require(len(found) == 1, f"a pilot study has one task, but this one has {len(found)}")
    table = found[0].declaring(bounds)
    require(
        len(table.policies) >= 2, f"a plan needs at least 2 policies, but got {len(table.policies)}"
    )
    scale = Scale.declared(table.bounds or (0.0, 1.0))
    check_scores(table, scale.check)
    return scale, table


def _check_level(power: Any, alpha: Any) -> None:
    require(
        is_number(alpha) and 0 < alpha < 1,
        f"alpha must lie strictly between 0 and 1, but got {alpha!r}",
    )
    require(
        is_number(power) and alpha < power < 1,
        f"power must lie strictly between alpha = {alpha:g} and 1, but got {power!r}",
    )


def _horizons(n_max: Any, budget: Any, policies: int) -> list[int]:
    require(n_max is None or budget is None, "give either n_max or budget, but got both")
    if budget is not None:
        totals = list(budget) if isinstance(budget, Sequence | np.ndarray) else [budget]
        least = 2 * policies
        n_max = [require_whole(total, "budget", least) // policies for total in totals]
    chosen = N_MAX if n_max is None else n_max
    candidates = list(chosen) if isinstance(chosen, Sequence | np.ndarray) else [chosen]
    require(len(candidates) > 0, "n_max needs at least one candidate, but got none")
    return sorted({require_whole(n, "n_max", 2) for n in candidates})


def _scenarios(
    guesses: tuple[Any, ...],
    table: Table | None,
    gaps: Sequence[float] | None,
    *,
    policies: int | None,
    correlation: float,
    scale: Scale,
) -> tuple[list[Scenario], GapFamily, tuple[str, ...]]:
    if policies is not None:
        require_whole(policies, "policies", 2)
    require(
        is_number(correlation) and 0 <= correlation <= 1,
        f"correlation must lie between 0 and 1, but got {correlation!r}",
    )
    require(
        gaps is None or (len(guesses) < 2 and table is None),
        "gaps are for one guess or none; with more the gap is known",
    )
    if table is not None:
        require(
            policies in (None, len(table.policies)) and correlation == 0,
            "number of policies and correlation are those of the pilot study: do not give them",
        )
        found, family, notes = scenarios.of_pilot(table, scale)
        return [found], family, notes
    if len(guesses) >= 2:
        found, family, notes = scenarios.of_guesses(
            guesses, policies=policies, correlation=correlation, scale=scale
        )
        return [found], family, notes
    base = as_guess(guesses[0], scale) if guesses else None
    family = GapFamily(base, policies or 2, correlation)
    notes = () if base else (scenarios.FROM_NOTHING,)
    if base is not None and base.spread is not None:
        notes = (scenarios.BETA,)
    return scenarios.of_gaps(family, gaps, scale), family, notes


def _check_scores(method: str, found: list[Scenario]) -> None:
    binary = all(scenario.population.binary for scenario in found)
    require(
        binary or registry.find(method).scores != "binary",
        f"{method} takes success or failure only, but the policies have other scores",
    )


def _check_scenarios(design: Design, found: list[Scenario], correlation: float) -> None:
    require(
        correlation == 0 or design.design == "paired",
        Message(
            f"a correlation of {correlation:g} needs ",
            Setting("design", "paired"),
            f", but it is {design.design!r}",
            code="correlation-unpaired",
        ),
    )
    if design.alternative == "two-sided":
        return
    for scenario in found:
        means = scenario.population.moments(np.random.default_rng(0), 1).means[0]
        better = "second" if means[1] > means[0] else "first"
        asked = "second" if design.alternative == "greater" else "first"
        require(
            better == asked or not isinstance(scenario.population, Guessed),
            f"alternative {design.alternative!r} asks whether the {asked} policy is better, but by "
            f"the guesses the {better} one is",
        )


def _notes(rows: list[PlanRow]) -> list[str]:
    found = []
    if any(row.power > MOST_POWER for row in rows):
        found.append(f"powers above {MOST_POWER:g} are compared with a fixed plan of that power")
    if any(row.fixed_test == "Welch's t-test" for row in rows):
        found.append("the fixed plan uses Welch's t-test, which is approximate for bounded scores")
    return found
