"""The question, before a study, how many trials it will take."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from stopwise.core import registry
from stopwise.core.keywords import flat
from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.progress import Progress
from stopwise.core.readings.scale import Scale
from stopwise.core.rules import Rules
from stopwise.core.scores import is_number, require_whole
from stopwise.core.settings import PlanSettings
from stopwise.core.step.method import Step
from stopwise.errors import require, require_choice
from stopwise.messages import Setting, named
from stopwise.planning.best_plan import plan_best
from stopwise.planning.budget import Division, divisions, explained, explains
from stopwise.planning.fixed_sample import MOST_POWER, WELCH
from stopwise.planning.plan_result import PlanResult, PlanRow
from stopwise.planning.planner import GENEROUS, STEP_ASSUMES, Planner
from stopwise.planning.populations import Guessed, WithNumber
from stopwise.planning.scenarios import Assumptions, Scenario, assume
from stopwise.planning.simulation import ExecutorChoice, Simulator, check_simulation, opened
from stopwise.planning.studies import PlannedOrder
from stopwise.questions import QUESTIONS, pose
from stopwise.questions.reach import out_of_reach
from stopwise.rows.reading import read_if_place
from stopwise.rows.table import Table
from stopwise.rows.task_tables import tables

N_MAX: tuple[int, ...] = (50, 100, 200)
# Of more, what to declare is not searched for: that takes minutes.
MOST_POLICIES = 3
HOPELESS = 0.01  # below this power it is asked whether an n_max can decide anything
STORED = (
    "the {} stored trials of the first policy are assumed to come from the conditions of the new "
    "ones; all counts are of new trials"
)
LISTED = (
    "the list of {} scenes is assumed to be drawn from such scores: the right verdict is which "
    "policy is better on that list, or that they are equal there"
)


@flat(PlanSettings)
def plan(
    *guesses: Any,
    pilot: Any = None,
    gaps: Sequence[float] | None = None,
    policies: int | None = None,
    n_max: int | Sequence[int] | None = None,
    budget: int | Sequence[int] | None = None,
    tasks: int = 1,
    stored: int | None = None,
    power: float = 0.8,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    correlation: float = 0.0,
    alternative: str = "two-sided",
    baseline: bool = False,
    minutes_per_trial: float | None = None,
    robots: int = 1,
    detectable: bool = True,
    precision: float = 0.015,
    seed: int = 0,
    executor: ExecutorChoice = None,
    progress: Progress | None = None,
    **settings: Unpack[PlanSettings],
) -> PlanResult:
    """Forecast the power of a study, how many trials it takes, and the smallest gap it detects.

    A plan never affects validity: what the method promises for the study holds whatever is assumed
    here. With ``method="step"`` and success rates everything is computed exactly; otherwise studies
    are simulated until the standard errors are as small as ``precision`` asks.

    With ``goal="best"`` the study ends when a best policy is named, and the plan also says what
    happens if the two best are equal. There ``n_max`` counts rows, and no smallest gap is searched
    for.

    With ``equivalence`` it also says how often studies end as practically the same, and equal
    guesses are possible; no smallest gap is searched for, and nothing is compared with a
    fixed-sample plan.

    Parameters
    ----------
    reference
        A number to compare with, instead of another policy; a single guess is then the policy that
        is compared with it, and ``gaps`` lie above it.
    *guesses
        What the policies are like, one each: a success rate, (mean, standard deviation) for a
        beta distribution, or {score: probability} for milestones. A single guess is the policy to
        improve on, by each of ``gaps``. Without guesses: success rates around one half, for each
        gap.
    pilot
        Instead of guesses, trials as for ``analyze``; they are resampled with their uncertainty.
    gaps
        Differences of means, in units of the score; by default .1 to .5 of the range.
    policies
        Number of policies; by default one per guess, or 2. More than two policies are spread
        evenly between two guesses.
    n_max, budget
        Candidates for the maximum number of trials per policy, or for all policies together. With
        a budget for more than two policies, or several tasks, the plan says what it finds.
    tasks
        On how many tasks a budget is spent: on each by itself, or with the task of each trial drawn
        at random.
    stored
        How many trials of the first policy were run before, at least n_max: they count in groups,
        it is not tried again, and the plan is about trials of the others.
    **settings
        ``method``, ``alpha``, ``adjust``, ``ties``, ``margin``, ``goal="order"`` (or "best", with
        ``indifference``), ``futility="binding"`` (also tells how soon a study ends if there is no
        difference), ``list_size`` (a fixed list of scenes, each tried once: which policy is better
        on it) and the method's own parameters, as for ``analyze``.
    power
        The target power, in (alpha, 1).
    bounds
        Range of the score; by default [0, 1], or that of the pilot study.
    design, correlation
        "independent", or "paired" with the correlation of scores in a row.
    alternative
        "two-sided"; with two policies also "greater" (is the second better?) or "less".
    baseline
        Whether to compare all policies with the first one only; a negative margin always does.
    minutes_per_trial, robots
        To convert trials to hours, and how many robots (or simulators) run them at the same time.
    detectable
        Whether to search for the smallest detectable gap.
    precision
        Standard error of each power; that of a mean number of trials is at most twice this share
        of it.
    seed
        A whole number; the same seed gives the same plan.
    executor
        Who runs the simulation: "threads" (the default), or any object with a ``map`` method, such
        as the executors of ``concurrent.futures``. The plan does not depend on it.
    progress
        Called with (chunks done, chunks planned so far).

    Examples
    --------
    >>> import stopwise as sw
    >>> plan = sw.plan(0.3, 0.6, n_max=[30, 60], method="step", minutes_per_trial=3)
    >>> [(row.n_max, round(row.power, 3), round(row.mean_n, 1)) for row in plan.rows]
    [(30, 0.599, 23.7), (60, 0.878, 35.1)]
    >>> best = sw.plan(0.4, 0.5, 0.6, 0.8, goal="best", n_max=400)
    >>> best.rows[0].power > 0.95, best.rows[0].mean_trials < 0.3 * best.order_trials
    (True, True)
    """
    reference = settings.get("reference")
    lower = settings.get("lower_is_better", Rules.lower_is_better)
    scale, table = _scale_and_pilot(guesses, pilot, bounds, design, least=1 + (reference is None))
    scale = scale._replace(lower_is_better=bool(lower))
    check_simulation(minutes_per_trial, precision, seed)
    require_whole(robots, "robots", 1)
    number = None
    if reference is not None:  # the rules say what is wrong with one outside
        known = Rules(policies=("policy",), bounds=scale.ends, reference=reference)
        number = float(scale.unit(np.asarray(known.reference)))
    assumed = assume(
        guesses, table, gaps, policies=policies, correlation=correlation, scale=scale, number=number
    )
    binary = all(scenario.population.binary for scenario in assumed.scenarios)
    method = settings.get("method", Rules.method)
    require(
        binary or registry.find(method).scores != "binary",
        f"{method} takes success or failure only, but the policies have other scores",
    )
    count = assumed.family.policies
    list_size = settings.get("list_size")
    horizons, spendings = _horizons(
        n_max, budget, count, stored=stored, list_size=list_size, tasks=tasks
    )
    names = tuple(f"policy {index}" for index in range(count)) if table is None else table.policies
    not_worse = settings.get("margin", 0.0) < 0 and alternative == "two-sided"
    rules = Rules.of(
        policies=names,
        n_max=horizons[-1],
        bounds=(scale.low, scale.high),
        design=(design or "independent") if table is None else table.design,
        alternative=alternative,
        baseline=names[0] if baseline or not_worse else None,
        groups=None if stored is None else {names[0]: stored},
        stored=() if stored is None else names[:1],
        **settings,
    )
    require(
        is_number(power) and rules.alpha < power < 1,
        named("power"),
        f" must lie strictly between alpha = {rules.alpha:g} and 1, but got {power!r}",
    )
    require_choice("goal", rules.goal, QUESTIONS)
    require(
        correlation == 0 or rules.design == "paired",
        f"a correlation of {correlation:g} needs ",
        Setting("design", "paired"),
        f", but the design is {rules.design!r}",
    )
    for scenario in assumed.scenarios if rules.goal == "order" else ():
        _check_guesses(rules, scenario, scale)
    common: dict[str, Any] = {
        "power": power,
        "bounds_inferred": table is not None and table.bounds_inferred,
        "minutes_per_trial": minutes_per_trial,
        "robots": robots,
        "notes": () if table is None else table.notes,
    }
    explaining = explains(rules, budget, tasks)
    with opened(executor) as workers:
        simulator = Simulator(workers, seed, precision, progress)
        if rules.goal == "best":
            common["notes"] = (*assumed.notes, *common["notes"])
            return plan_best(rules, horizons, assumed.scenarios, simulator, **common)
        planner = Planner(rules, power, simulator)
        made = _planned(
            planner,
            assumed,
            horizons,
            search=n_max is budget is stored is list_size is None,
            detectable=detectable and not explaining,
            **common,
        )
        return explained(made, spendings, tasks, planner, assumed) if explaining else made


def _scale_and_pilot(
    guesses: tuple[Any, ...], pilot: Any, bounds: Any, design: str | None, *, least: int
) -> tuple[Scale, Table | None]:
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


def _horizons(
    n_max: Any,
    budget: Any,
    policies: int,
    *,
    stored: int | None,
    list_size: int | None,
    tasks: int,
) -> tuple[list[int], list[Division]]:
    """The n_max to consider, smallest first, and the ways to spend a budget."""
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
    chosen = [way.n_max for way in spendings] or (usual if n_max is None else n_max)
    candidates = list(chosen) if isinstance(chosen, Sequence | np.ndarray) else [chosen]
    none = " needs at least one candidate, but got none"
    require(len(candidates) > 0, named("n_max"), none)
    return sorted({require_whole(n, "n_max", 2) for n in candidates}), spendings


def _check_guesses(rules: Rules, scenario: Scenario, scale: Scale) -> None:
    """Raise unless something can be found out about the order of these policies."""
    assumed, means = scenario.population, list[float]()
    if isinstance(assumed, WithNumber):
        means, assumed = [assumed.number], assumed.population
    if not isinstance(assumed, Guessed):
        return
    means += [guess.mean for guess in assumed.guesses]
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


def _planned(
    planner: Planner,
    assumed: Assumptions,
    horizons: list[int],
    *,
    search: bool,
    detectable: bool,
    notes: tuple[str, ...],
    **common: Any,
) -> PlanResult:
    """Plan such studies; what to declare is searched for if that is asked and possible."""
    rules, (scenarios, family, assumptions) = planner.rules, assumed
    studies = [planner.study(n) for n in horizons]
    rows = planner.rows(studies, scenarios)
    # Only a difference of means is searched for; that of a list is found in the end.
    listed = rules.list_size is not None
    plain = rules.only_order
    single = plain and len(scenarios) == 1
    members = {case.text for case in scenarios if family.holds(case)}
    limits = []
    if detectable and plain and not listed:
        for study in studies:
            known = [row for row in rows if row.n_max == study.n_max and row.scenario in members]
            limits.append(planner.detectable(study, family, known))
    needed = None
    if search and single and family.policies <= MOST_POLICIES:
        needed = planner.needed(scenarios[0], family, rows)
    nothing: list[PlanRow] = []
    if studies[0].comparison.test.stops_at_futility and rules.margin >= 0 and not listed:
        nothing = planner.rows(studies, [family.equal])
    plan = PlanResult(
        rows=tuple(rows),
        without_effect=tuple(nothing),
        detectable=tuple(limits),
        rules=rules,
        ties=studies[0].family.ties,
        needed=needed,
        notes=(*assumptions, *_notes_on(rows, rules), *notes),
        **common,
    )
    if not single:
        return plan
    others = planner.others(scenarios[0], plan.shown.n_max)
    step = [
        f"{STEP_ASSUMES}; where they do, its power with n_max = {row.n_max} is {row.power:.3f}"
        for (method, _), row in others.items()
        if method == Step.name
    ]
    return replace(plan, others=others, notes=(*plan.notes, *step))


def _notes_on(rows: Sequence[PlanRow], rules: Rules) -> list[str]:
    found: list[str] = []
    for n_max in sorted({row.n_max for row in rows if row.power < HOPELESS}):
        found += out_of_reach(pose(replace(rules, n_max=n_max)))
    # It plans for n_max, and yet it can be extended; stored trials make groups by n_max.
    if rules.reading.finite:
        found.append(LISTED.format(rules.list_size))
    elif rules.method == NScorePlus.name and not rules.reading.new:
        found.append(GENEROUS)
    found += [STORED.format(number) for number in (rules.groups or {}).values()]
    if any(row.power > MOST_POWER and row.fixed_n is not None for row in rows):
        found.append(
            f"where power exceeds {MOST_POWER:g}, the fixed-sample plan has a power of "
            f"{MOST_POWER:g}"
        )
    if any(row.fixed_test == WELCH for row in rows):
        found.append(
            "the fixed-sample plan uses Welch's t-test, which is approximate for bounded scores"
        )
    return found
