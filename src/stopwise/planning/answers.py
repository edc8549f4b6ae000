"""From suppositions and designs to rows of a plan and smallest gaps, exact where possible."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from stopwise.core.scores import Scale
from stopwise.core.step.method import Step
from stopwise.planning.detectable import Detectable, smallest_gap
from stopwise.planning.exact import exact_stopping_times, is_exact
from stopwise.planning.executors import Executor
from stopwise.planning.fixed_sample import fixed_plan
from stopwise.planning.gathering import CHUNK, Progress, gather
from stopwise.planning.population import Guessed
from stopwise.planning.question import Design, PlanQuestion
from stopwise.planning.result import PlanRow
from stopwise.planning.scenarios import GapFamily, Scenario
from stopwise.planning.stopping import StoppingTimes

__all__ = ["Work", "find_limit", "find_rows"]

# Runs of one power on the way to the smallest gap; all gaps share their random numbers.
GAP_RUNS = 2 * CHUNK
MOST_RUNS = 100_000


@dataclass(frozen=True)
class Work:
    """How simulations are run."""

    seed: int
    precision: float
    executor: Executor
    progress: Progress | None

    def gather(
        self,
        questions: list[PlanQuestion],
        *,
        precision: float | None = None,
        most: int = MOST_RUNS,
    ) -> list[StoppingTimes]:
        """Answer each question with the precision of the plan, or the one given."""
        return gather(
            questions,
            precision=precision or self.precision,
            seed=self.seed,
            most=most,
            executor=self.executor,
            progress=self.progress,
        )


def find_rows(
    designs: list[Design], found: list[Scenario], scale: Scale, work: Work
) -> list[PlanRow]:
    """Return the rows, by scenario and then by n_max."""
    cases = [(scenario, design) for scenario in found for design in designs]
    times: dict[int, StoppingTimes] = {}
    for design in designs:
        exact = [
            (place, scenario.population)
            for place, (scenario, own) in enumerate(cases)
            if own is design and is_exact(design, scenario.population)
        ]
        if exact:
            given = [population for _, population in exact if isinstance(population, Guessed)]
            computed = exact_stopping_times(design, given)
            times.update(zip((place for place, _ in exact), computed, strict=True))
    rest = [place for place in range(len(cases)) if place not in times]
    questions = [PlanQuestion(cases[place][1], cases[place][0].population) for place in rest]
    if questions:
        times.update(zip(rest, work.gather(questions), strict=True))
    return [
        _row(scenario, design, times[place], scale)
        for place, (scenario, design) in enumerate(cases)
    ]


def _row(scenario: Scenario, design: Design, times: StoppingTimes, scale: Scale) -> PlanRow:
    fixed = fixed_plan(design, scenario.population, times.power)
    return PlanRow(
        scenario=scenario.text,
        gap=scenario.gap * scale.span,
        n_max=design.n_max,
        power=times.power,
        power_error=times.power_error,
        wrong=times.wrong_rate,
        undecided=times.undecided_rate,
        pair_power=times.pair_power,
        mean_n=times.mean_n,
        mean_n_error=times.mean_n_error,
        n_quantiles=(times.quantile(0.1), times.quantile(0.5), times.quantile(0.9)),
        mean_trials=times.mean_trials,
        fixed_n=None if fixed is None else fixed.n,
        fixed_test=None if fixed is None else fixed.test,
        policies=len(design.policies),
        runs=times.runs,
        times=times,
    )


def find_limit(
    design: Design,
    family: GapFamily,
    power: float,
    scale: Scale,
    work: Work,
    *,
    rows: list[PlanRow],
) -> Detectable:
    """Return the smallest gap that this design finds; what is known already says where to begin."""
    largest = family.largest
    if largest < 1e-6:
        return Detectable(n_max=design.n_max, gap=None, gap_error=0.0)
    start = _first_gap(design, family, power, scale, rows)
    gap, error = smallest_gap(
        _power_of_gap(design, family, work),
        power=power,
        largest=largest,
        start=min(max(start, 0.01 * largest), 0.9 * largest),
    )
    return Detectable(
        n_max=design.n_max,
        gap=None if gap is None else gap * scale.span,
        gap_error=error * scale.span,
    )


def _first_gap(
    design: Design, family: GapFamily, power: float, scale: Scale, rows: list[PlanRow]
) -> float:
    """Return where to begin: between gaps whose power is known, else by the normal limit."""
    known = sorted((row.gap / scale.span, row.power) for row in rows if row.n_max == design.n_max)
    gaps, powers = np.array(known).T
    if powers[0] < power < powers[-1]:
        return float(np.interp(ndtri(power), ndtri(np.clip(powers, 1e-4, 1 - 1e-4)), gaps))
    deviation = 0.5 if family.base is None else max(family.base.deviation, 0.05)
    effect = float(ndtri(power) - ndtri(design.level))
    return effect * deviation * math.sqrt(2 * (1 - family.correlation) / design.n_max)


def _power_of_gap(
    design: Design, family: GapFamily, work: Work
) -> Callable[[float], tuple[float, float]]:
    """Return the power at a gap with its standard error, exact where that is possible."""
    test = design.comparison.test

    def evaluate(gap: float) -> tuple[float, float]:
        population = family.at(gap)
        if is_exact(design, population) and isinstance(test, Step):
            rate0, rate1 = (guess.mean for guess in population.guesses)
            return float(test.stopping.power(rate0, rate1)), 0.0
        question = PlanQuestion(design, population)
        # A precision out of reach: every gap gets the same runs, with the same random numbers.
        (times,) = work.gather([question], precision=1e-6, most=GAP_RUNS)
        return times.power, times.power_error

    return evaluate
