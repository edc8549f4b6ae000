"""The question, before a study, how many trials it will take."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from stopwise.core import registry
from stopwise.core.futility import MayBeFutile
from stopwise.core.keywords import flat
from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.progress import Progress
from stopwise.core.readings.scale import Scale
from stopwise.core.rules import Rules
from stopwise.core.scores import MOST_PLANNED, is_number, require_whole
from stopwise.core.settings import PlanSettings
from stopwise.errors import require, require_choice
from stopwise.messages import Setting, named
from stopwise.planning.budget import Spending, divisions, explained, explains
from stopwise.planning.plan_result import PlanResult, PlanRow
from stopwise.planning.planner import Planner
from stopwise.planning.populations import Guessed
from stopwise.planning.scenarios import Assumptions, assume
from stopwise.planning.simulation import Simulator, check_minutes
from stopwise.planning.studies import OrderStudy, with_number
from stopwise.questions import QUESTIONS, pose
from stopwise.questions.reach import out_of_reach
from stopwise.rows.reading import read_if_place
from stopwise.rows.table import Table
from stopwise.rows.task_tables import tables

N_MAX: tuple[int, ...] = (50, 100, 200)
# Of more, what to declare is not searched for: that takes minutes.
MOST_POLICIES = 3
HOPELESS = 0.01  # below this power it is asked whether an n_max can decide anything
GENEROUS = (
    "declare n_max generously: a study stops as soon as it can, a larger n_max costs few trials, "
    "and extending a smaller one later costs many"
)
STEP_ASSUMES = (
    "step assumes success rates that stay the same throughout the study; where they do, its power "
    "with n_max = {} is {:.3f}"
)
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
    progress: Progress | None = None,
    **settings: Unpack[PlanSettings],
) -> PlanResult:
    """Forecast the power of a study, how many trials it takes, and the smallest gap it detects.

    A plan never affects validity: what the method promises for the study holds whatever is assumed
    here. Studies are simulated until the standard errors are as small as ``precision`` asks.

    With ``goal="best"`` the study ends when a best policy is named, and the plan also says what
    happens if the two best are equal; ``n_max`` then counts rows. With ``equivalence`` it also says
    how often studies end as practically the same. In both cases no smallest gap is searched for.

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
    progress
        Called with (chunks done, chunks planned so far).

    Examples
    --------
    >>> import stopwise as sw
    >>> plan = sw.plan(0.3, 0.6, n_max=[30, 60], method="step", minutes_per_trial=3)
    >>> [(row.n_max, round(row.power, 3), round(row.mean_n, 1)) for row in plan.rows]
    [(30, 0.599, 23.9), (60, 0.91, 33.6)]
    >>> best = sw.plan(0.4, 0.5, 0.6, 0.8, goal="best", n_max=400)
    >>> best.rows[0].power > 0.95, best.rows[0].mean_trials < 300
    (True, True)
    """
    reference, lower = settings.get("reference"), settings.get("lower_is_better", False)
    scale, table = _scale_and_pilot(guesses, pilot, bounds, design, least=1 + (reference is None))
    scale = scale._replace(lower_is_better=bool(lower))
    check_minutes(minutes_per_trial)
    require_whole(robots, "robots", 1)
    number = None
    if reference is not None:  # the rules say what is wrong with one outside
        known = Rules(policies=("policy",), bounds=scale.ends, reference=reference)
        number = float(scale.unit(np.asarray(known.reference)))
    assumed = assume(
        guesses, table, gaps, policies=policies, correlation=correlation, scale=scale, number=number
    )
    method = settings.get("method", Rules.method)
    require(
        registry.find(method).scores != "binary"
        or all(scenario.population.binary for scenario in assumed.scenarios),
        f"{method} takes success or failure only, but the policies have other scores",
    )
    count, list_size = assumed.family.policies, settings.get("list_size")
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
    _check(rules, assumed, correlation)
    explaining = explains(rules, budget, tasks)
    planner = Planner(rules, power, Simulator(seed, precision, progress))
    made = _planned(
        planner,
        assumed,
        horizons,
        search=n_max is budget is stored is list_size is None,
        detectable=detectable and not explaining,
        bounds_inferred=table is not None and table.bounds_inferred,
        minutes_per_trial=minutes_per_trial,
        robots=robots,
        notes=() if table is None else table.notes,
    )
    return explained(made, spendings, planner, assumed) if explaining else made


def _scale_and_pilot(
    guesses: tuple[Any, ...], pilot: Any, bounds: Any, design: str | None, *, least: int
) -> tuple[Scale, Table | None]:
    if pilot is None:
        return Scale.declared((0.0, 1.0) if bounds is None else bounds), None
    require(not guesses, "give either guesses or a pilot study, not both")
    by_task = tables(read_if_place(pilot), design=design)
    require(len(by_task) == 1, f"a pilot study must have one task, but this one has {len(by_task)}")
    table = by_task[0].declaring(bounds)
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
) -> tuple[list[int], list[Spending]]:
    """The n_max to consider, smallest first, and the ways to spend a budget."""
    usual = (
        N_MAX if list_size is None else (require_whole(list_size, "list_size", 2, MOST_PLANNED),)
    )
    if stored is not None:
        require_whole(stored, "stored", 2)
        usual = tuple(number for number in N_MAX if number <= stored) or (stored,)
        policies -= 1  # which are tried
    either = "give either ", named("n_max"), " or ", named("budget"), ", not both"
    require(n_max is None or budget is None, *either)
    spendings = [] if budget is None else divisions(budget, policies, tasks)
    chosen = [spending.n_max for spending in spendings] or (usual if n_max is None else n_max)
    candidates = list(chosen) if isinstance(chosen, Sequence | np.ndarray) else [chosen]
    require(len(candidates) > 0, named("n_max"), " needs at least one candidate, but got none")
    return sorted({require_whole(n, "n_max", 2, MOST_PLANNED) for n in candidates}), spendings


def _check(rules: Rules, assumed: Assumptions, correlation: float) -> None:
    """Raise unless such studies can be planned, and something can be found out by them."""
    require_choice("goal", rules.goal, QUESTIONS)
    require(
        correlation == 0 or rules.design == "paired",
        f"a correlation of {correlation:g} needs ",
        Setting("design", "paired"),
        f", but the design is {rules.design!r}",
    )
    later = "a plan lets all policies take part from the start: plan without "
    require(not rules.later, later, Setting("later"))
    if rules.goal != "order" or rules.reading.finite:  # on a list, others may be better
        return
    for population in [scenario.population for scenario in assumed.scenarios]:
        if isinstance(population, Guessed):
            means, study = with_number(rules, population.means), OrderStudy(rules, population)
            text = ", ".join(f"{rules.scale.score(mean):.4g}" for mean in means)
            require(
                bool(study.true_claims(means).any() or study.close(means).any()),
                f"there is nothing to plan: with means {text} no claim that is asked for is true",
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
    rows = planner.rows(scenarios, horizons)
    if rules.goal == "best":
        tied = [case for scenario in scenarios for case in scenario.tied]
        return PlanResult(
            rows=rows,
            equal=planner.rows(tied, horizons),
            power=planner.power,
            rules=rules,
            ties="strict",
            notes=(*assumptions, *notes),
            **common,
        )
    # Only a difference of means is searched for; that of a list is found in the end.
    study, listed = OrderStudy(rules, scenarios[0].population), rules.reading.finite
    limits = horizons if detectable and rules.only_order and not listed else []
    single = rules.only_order and len(scenarios) == 1
    needed: PlanRow | None = None
    equal: tuple[PlanRow, ...] = ()
    if search and single and family.policies <= MOST_POLICIES:
        needed = planner.needed(scenarios[0], rows[-1])
    binding = study.comparison.test.stops_at_futility
    if needed is not None and isinstance(study.comparison.test, MayBeFutile):
        parameters = {**rules.parameters, "futility": "binding"}
        equal = planner.rows([family.equal], [needed.n_max], parameters=parameters)
    elif binding and rules.margin >= 0 and not listed:
        equal = planner.rows([family.equal], horizons)
    made = PlanResult(
        rows=rows,
        equal=equal,
        detectable=tuple(planner.detectable(n, family) for n in limits),
        power=planner.power,
        rules=rules,
        ties=study.family.ties,
        needed=needed,
        notes=(*assumptions, *_notes_on(rows, rules), *notes),
        **common,
    )
    others = planner.others(scenarios[0], made.shown.n_max) if single else {}
    step = [
        STEP_ASSUMES.format(row.n_max, row.power) for name, row in others.items() if name == "step"
    ]
    return replace(made, others=others, notes=(*made.notes, *step))


def _notes_on(rows: Sequence[PlanRow], rules: Rules) -> list[str]:
    notes: list[str] = []
    for n_max in sorted({row.n_max for row in rows if row.power < HOPELESS}):
        notes += out_of_reach(pose(replace(rules, n_max=n_max)))
    # It plans for n_max, and yet it can be extended; stored trials make groups by n_max.
    if rules.reading.finite:
        notes.append(LISTED.format(rules.list_size))
    elif rules.method == NScorePlus.name and not rules.reading.new:
        notes.append(GENEROUS)
    return notes + [STORED.format(number) for number in (rules.groups or {}).values()]
