"""What ``plan`` is given: the range of scores, the n_max to consider, and whether it all fits."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stopwise.core import registry
from stopwise.core.readings.scale import Scale
from stopwise.core.rules import Rules
from stopwise.core.scores import require_whole
from stopwise.errors import require, require_choice
from stopwise.messages import Setting, named
from stopwise.planning.budget import Division, divisions
from stopwise.planning.populations import Guessed, WithNumber
from stopwise.planning.scenarios import Scenario
from stopwise.planning.studies import PlannedOrder
from stopwise.questions import QUESTIONS
from stopwise.rows.reading import read_if_place
from stopwise.rows.table import Table
from stopwise.rows.task_tables import tables

N_MAX: tuple[int, ...] = (50, 100, 200)


def scale_and_pilot(
    guesses: tuple[Any, ...], pilot: Any, bounds: Any, design: str | None, *, least: int
) -> tuple[Scale, Table | None]:
    """Range of the score, and the table of the pilot study if there is one."""
    if pilot is None:
        return Scale.declared((0.0, 1.0) if bounds is None else bounds), None
    require(not guesses, "give either guesses or a pilot study, not both")
    found = tables(read_if_place(pilot), design=design)
    require(len(found) == 1, f"a pilot study must have one task, but this one has {len(found)}")
    table = found[0].declaring(bounds)
    require(
        len(table.policies) >= least,
        f"a plan needs at least {least} policies, but got {len(table.policies)}",
        code="few-policies",
    )
    scale = Scale.declared(table.bounds or (0.0, 1.0))
    table.check(scale.check)
    return scale, table.clipped(scale)


def unit_reference(reference: float, scale: Scale) -> float:
    """Reference in [0, 1]; the rules say what is wrong with one outside."""
    rules = Rules(policies=("policy",), bounds=scale.ends, reference=reference)
    return float(scale.unit(np.asarray(rules.reference)))


def horizons_of(
    n_max: Any,
    budget: Any,
    policies: int,
    *,
    stored: int | None,
    list_size: int | None,
    tasks: int,
) -> tuple[list[int], list[Division]]:
    """List the n_max to consider, smallest first, and the divisions to spend a budget."""
    usual = N_MAX if list_size is None else (require_whole(list_size, "list_size", 2),)
    if stored is not None:
        require_whole(stored, "stored", 2)
        usual = tuple(number for number in N_MAX if number <= stored) or (stored,)
        policies -= 1  # which are tried
    require(
        n_max is None or budget is None,
        "give either ",
        named("n_max"),
        " or ",
        named("budget"),
        ", not both",
    )
    spendings = [] if budget is None else divisions(budget, policies, tasks)
    chosen = usual if n_max is None else n_max
    if spendings:
        chosen = [way.n_max for way in spendings]
    candidates = list(chosen) if isinstance(chosen, Sequence | np.ndarray) else [chosen]
    none = " needs at least one candidate, but got none"
    require(len(candidates) > 0, named("n_max"), none)
    return sorted({require_whole(n, "n_max", 2) for n in candidates}), spendings


def check_scores(method: str, scenarios: list[Scenario]) -> None:
    binary = all(scenario.population.binary for scenario in scenarios)
    require(
        binary or registry.find(method).scores != "binary",
        f"{method} takes success or failure only, but the policies have other scores",
    )


def check_assumed(
    rules: Rules, scenarios: list[Scenario], correlation: float, scale: Scale
) -> None:
    """Raise unless the rules and what is assumed go together."""
    require_choice("goal", rules.goal, QUESTIONS)
    require(
        correlation == 0 or rules.design == "paired",
        f"a correlation of {correlation:g} needs ",
        Setting("design", "paired"),
        f", but the design is {rules.design!r}",
    )
    for scenario in scenarios:
        assumed, number = scenario.population, list[float]()
        if isinstance(assumed, WithNumber):
            number = [assumed.number]
            assumed = assumed.population
        if isinstance(assumed, Guessed) and rules.goal == "order":
            means = [guess.mean for guess in assumed.guesses]
            _check_guesses(rules, [*number, *means], scale)


def _check_guesses(rules: Rules, means: list[float], scale: Scale) -> None:
    """Raise unless something can be found out about the order of these policies."""
    if rules.margin and not rules.reading.constants:
        beyond = PlannedOrder(rules).true_claims(np.array(means)).any()
        require(
            bool(beyond),
            "according to the guesses nothing is there to be shown: no policy is "
            + (
                f"less than {-rules.margin:g} worse than the first"
                if rules.margin < 0
                else f"better than another by more than {rules.margin:g}"
            ),
        )
        return
    if rules.reading.finite:  # on a list, others may be better than on average
        return
    require(
        max(means) - min(means) > 1e-9 or rules.alike > 0,
        f"the guesses have the same mean {scale.score(means[0]):.4g}: equal policies "
        "cannot be told apart by any number of trials, so there is nothing to plan",
    )
    better, asked = means[1] > means[0], rules.alternative == "greater"
    which = ("first", "second")
    asks, but = f"{which[asked]} policy is better", f"guesses the {which[better]} one is"
    if rules.reading.constants:
        above = ("below", "above")[:: int(rules.reading.advantage(1))]
        asks = f"policy is {above[asked]} {rules.reading.pair_names[0]}"
        but = f"guess it is {above[better]}"
    require(
        rules.alternative == "two-sided" or better == asked,
        f"alternative {rules.alternative!r} asks whether the {asks}, but according to the {but}",
    )
