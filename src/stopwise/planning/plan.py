"""The question, before a study, how many trials it will take."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from stopwise.core.keywords import flat
from stopwise.core.progress import Progress
from stopwise.core.rules import Rules
from stopwise.core.scores import is_number, require_whole
from stopwise.core.settings import PlanSettings
from stopwise.core.step.method import Step
from stopwise.errors import require
from stopwise.messages import named
from stopwise.planning.best_plan import plan_best
from stopwise.planning.budget import explained, explains
from stopwise.planning.notes import STEP_ASSUMES, notes_on
from stopwise.planning.plan_input import (
    check_assumed,
    check_scores,
    horizons_of,
    scale_and_pilot,
    unit_reference,
)
from stopwise.planning.plan_result import PlanResult
from stopwise.planning.plan_row import PlanRow
from stopwise.planning.planner import Planner
from stopwise.planning.scenarios import Assumptions, assume
from stopwise.planning.simulation import ExecutorChoice, Simulator, check_simulation, opened

# Of more, what to declare is not searched for: that takes minutes.
MOST_POLICIES = 3
# Of questions whose answer is no order of pairs.
OTHER_PLANS = {"best": plan_best}


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
        Who runs the simulation: "threads" (on this machine, the default), "processes", "ray", one
        made by ``stopwise.rollout.executors`` such as ``ray_cluster(64, address="auto")``, or
        any object with a ``map`` method. The plan does not depend on it.
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
    scale, table = scale_and_pilot(guesses, pilot, bounds, design, least=1 + (reference is None))
    scale = scale._replace(lower_is_better=bool(lower))
    check_simulation(minutes_per_trial, precision, seed)
    require_whole(robots, "robots", 1)
    design = design or "independent"
    assumed = assume(
        guesses,
        table,
        gaps,
        policies=policies,
        correlation=correlation,
        scale=scale,
        number=None if reference is None else unit_reference(reference, scale),
    )
    check_scores(settings.get("method", Rules.method), assumed.scenarios)
    count = assumed.family.policies
    list_size = settings.get("list_size")
    horizons, spendings = horizons_of(
        n_max, budget, count, stored=stored, list_size=list_size, tasks=tasks
    )
    names = tuple(f"policy {index}" for index in range(count)) if table is None else table.policies
    not_worse = settings.get("margin", 0.0) < 0 and alternative == "two-sided"
    rules = Rules.of(
        policies=names,
        n_max=horizons[-1],
        bounds=(scale.low, scale.high),
        design=design if table is None else table.design,
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
    check_assumed(rules, assumed.scenarios, correlation, scale)
    notes = () if table is None else table.notes
    common: dict[str, Any] = {
        "power": power,
        "bounds_inferred": table is not None and table.bounds_inferred,
        "minutes_per_trial": minutes_per_trial,
        "robots": robots,
    }
    explaining = explains(rules, budget, tasks)
    with opened(executor) as workers:
        simulator = Simulator(workers, seed, precision, progress)
        if rules.goal in OTHER_PLANS:
            notes = (*assumed.notes, *notes)
            return OTHER_PLANS[rules.goal](
                rules, horizons, assumed.scenarios, simulator, notes=notes, **common
            )
        planner = Planner(rules, power, simulator)
        made = _planned(
            planner,
            assumed,
            horizons,
            search=n_max is budget is stored is list_size is None,
            detectable=detectable and not explaining,
            notes=notes,
            **common,
        )
        return explained(made, spendings, tasks, planner, assumed) if explaining else made


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
        notes=(*assumptions, *notes_on(rows, rules), *notes),
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
