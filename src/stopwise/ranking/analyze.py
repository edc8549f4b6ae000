"""The one call: ``analyze`` ranks the policies of a table of scores."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.comparison import Comparison
from stopwise.core.confidence import ConfidenceSequence, Interval
from stopwise.core.progress import watched
from stopwise.errors import require
from stopwise.ranking.analysis import Analysis, PairResult, PolicyResult
from stopwise.ranking.doubts import doubts, in_short
from stopwise.ranking.family import Family
from stopwise.ranking.intervals import interval
from stopwise.ranking.letters import letters, order_text, ranked
from stopwise.ranking.pairs import Replay, replay
from stopwise.ranking.rules import Rules
from stopwise.ranking.standings import standing
from stopwise.ranking.table import Table, pooled, tables, unit_scores
from stopwise.ranking.trace import Trace

__all__ = ["analyze", "analyze_tasks", "rank"]


def analyze(
    trials: Any,
    *,
    method: str = "nscore-plus",
    alpha: float = 0.05,
    n_max: int | None = None,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    adjust: str = "holm",
    baseline: str | None = None,
    ties: str = "strict",
    pool: bool = False,
    iid_seed: int | None = None,
    **parameters: Any,
) -> Analysis:
    """Rank several policies on one task by sequential tests of all pairs.

    With an anytime method the probability that any order ever declared is false is at most alpha,
    whenever one stops, if rows of trials are independent (or, more weakly and not for ``step``,
    if conditional means given the past keep their order) and the bounds were known beforehand.

    Parameters
    ----------
    trials
        A trial table, aligned scores, or a mapping from policy to its scores in order.
    method
        Name of the method, see ``stopwise.methods()``.
    alpha
        Probability, in (0, 1), of any false claim among all pairs.
    n_max
        The declared greatest number of trials per policy; rows beyond are not used.
    bounds
        Range [A, B] of the score, known before the data; by default the one that the trial table
        declares, else [0, 1].
    design
        "independent" (the i-th trial meets the i-th), "paired" (by block) or "stratified" (by
        block, several trials each); by default what the blocks of the table show.
    adjust
        "bonferroni", "holm" or "closed": how alpha is shared, see docs/design/many-policies.md;
        ``closed`` mostly needs the fewest trials, for up to 7 policies.
    baseline
        Compare all other policies with this one only.
    ties
        "strict": an order declared of two policies with equal means counts as false. "paper":
        such exact ties are taken not to occur, as in the paper.
    pool
        Whether to pool several tasks; see the warning in the result for what is assumed.
    iid_seed
        Draw, with this seed, one policy per block and keep only its score (the paper's i.i.d.
        correction); by default all scores count.
    **parameters
        The method's own parameters.

    Examples
    --------
    >>> from stopwise.ranking.analyze import analyze
    >>> scores = {"a": [0.9, 1, 0.8] * 9, "b": [0.1, 0.3, 0.2] * 9, "c": [0.3, 0.2, 0.2] * 9}
    >>> analysis = analyze(scores)
    >>> analysis.letters
    {'a': 'a', 'c': 'b', 'b': 'b'}
    >>> analysis.order_text
    'a > c, b; c ? b'
    """
    found = [table.declaring(bounds) for table in tables(trials, design=design, iid_seed=iid_seed)]
    if pool and len(found) > 1:
        found = [pooled(found)]
    require(
        len(found) == 1,
        f"analyze takes one task, but got {len(found)}: "
        f"{', '.join(str(table.task) for table in found)}; use analyze_tasks, or pool=True",
    )
    table = found[0]
    rules = Rules(
        policies=table.policies,
        method=method,
        alpha=alpha,
        n_max=n_max,
        bounds=table.bounds or (0.0, 1.0),
        design=table.design,
        adjust=adjust,
        baseline=baseline,
        ties=ties,
        parameters=parameters,
    )
    return rank(table, rules)


def analyze_tasks(
    trials: Any,
    *,
    design: str | None = None,
    bounds: tuple[float, float] | None = None,
    iid_seed: int | None = None,
    **settings: Any,
) -> dict[str, Analysis]:
    """Return one analysis per task, each with its own alpha; settings as for ``analyze``."""
    found = tables(trials, design=design, iid_seed=iid_seed)
    note = f"{len(found)} tasks are analysed apart: alpha holds for each task, not for all together"
    more = (note,) if len(found) > 1 else ()
    return {
        table.task or "task": analyze(
            replace(table, warnings=(*table.warnings, *more)), bounds=bounds, **settings
        )
        for table in found
    }


def rank(table: Table, rules: Rules) -> Analysis:
    """Return the analysis of one table by rules that were validated."""
    names, family, comparison = rules.policies, rules.family, rules.comparison
    used = replace(table, scores=table.scores[: rules.n_max])
    scores = unit_scores(used, comparison)
    title = f"{table.task}: " if table.task else ""
    with watched(f"{title}{len(scores)} rows of {family.k} policies") as progress:
        outcome = replay(comparison, rules.budget, scores[None], with_trace=True, progress=progress)
    policies = _policy_results(used, scores, rules, outcome)
    pairs, differences = _pair_results(used, scores, comparison, family, outcome)
    found = doubts(policies, pairs, differences, comparison.scale.span)
    ranking = [names.index(policy.name) for policy in policies]
    better = family.better(outcome.claims[0])
    tested = family.better(np.ones_like(outcome.claims[0]))
    return Analysis(
        policies=policies,
        pairs=pairs,
        order_text=order_text(names, better, tested, ranking),
        method=rules.method,
        alpha=rules.alpha,
        adjust=rules.adjust,
        ties=family.ties,
        design=table.design,
        baseline=rules.baseline,
        bounds=comparison.bounds,
        bounds_inferred=table.bounds_inferred,
        n_max=rules.n_max,
        task=table.task,
        pooled_tasks=table.pooled_tasks,
        doubts=found,
        warnings=(
            *_doubtful(found),
            *table.warnings,
            *_beyond(table, rules.n_max),
            *_warnings(used, family, comparison, outcome),
        ),
        facts=comparison.test.facts(),
        scores=MappingProxyType(_scores_by_policy(used)),
    )


def _beyond(table: Table, n_max: int | None) -> tuple[str, ...]:
    """Say that trials were left out, for whoever declares a smaller n_max than the file holds."""
    rest = 0 if n_max is None else int((~np.isnan(table.scores[n_max:])).sum())
    return (f"{rest} trials beyond n_max = {n_max} per policy were left out",) if rest else ()


def _doubtful(found: tuple[str, ...]) -> tuple[str, ...]:
    """Say that the trials contradict what every claim rests on."""
    asked = (
        "the trials do not look like fresh draws in random order, on which the claims rest (is the "
        "file sorted by score, or did policies or scenes change on the way?)"
    )
    return (f"{asked}: {in_short(found)}",) if found else ()


def _policy_results(
    table: Table, scores: Floats, rules: Rules, outcome: Replay
) -> tuple[PolicyResult, ...]:
    """Return the policies' results, from best to worst."""
    family, comparison, n_max = rules.family, rules.comparison, rules.n_max
    low, high = comparison.bounds
    means = np.nanmean(table.scores, axis=0)
    better = family.better(outcome.claims[0])
    ranking = ranked(better, means)
    shown = [""] * family.k
    if family.baseline is None:
        shown = list(letters(better | better.T, ranking))
    # The pairs hold together at alpha; so do the policies.
    sequence = ConfidenceSequence(alpha=comparison.alpha * family.size / family.k)
    last = _last_rows(family, outcome)
    entered = _entered(scores, rules, outcome)
    decided = np.asarray(outcome.claims[0].any(axis=-1))
    results = []
    for index in ranking:
        known = ~np.isnan(scores[:, index])
        own = scores[known, index]
        trials_used = int(entered[:, index].sum())
        later = int(known[last[index] :].sum())
        # Of an undecided policy nothing is saved, though it may have had fewer than n_max trials.
        done = bool(decided[family.of_policy[index]].all())
        inside = interval(sequence, np.zeros(own.size), own, len(scores))
        results.append(
            PolicyResult(
                name=table.policies[index],
                n=own.size,
                mean=float(means[index]),
                interval=Interval(
                    low + max(inside.low, 0.0) * (high - low),
                    low + min(inside.high, 1.0) * (high - low),
                ),
                letters=shown[index],
                trials_used=trials_used,
                trials_saved=later if n_max is None or not done else n_max - last[index],
                trials_unpaired=own.size - later - trials_used,
            )
        )
    return tuple(results)


def _last_rows(family: Family, outcome: Replay) -> list[int]:
    """Return the rows of each policy until its last pair was decided, or all."""
    return [int(outcome.rows[0, has].max()) for has in family.of_policy]


def _entered(scores: Floats, rules: Rules, outcome: Replay) -> Bools:
    """Return which trials (rows, policies) entered a comparison: those with a partner in time."""
    last = _last_rows(rules.family, outcome)
    present = ~np.isnan(scores)
    entered = np.zeros_like(present)
    for pair, policies in enumerate(rules.family.pairs.tolist()):
        # Shared evidence counts as long as both policies are tried, also after the decision.
        end = int(outcome.rows[0, pair])
        if rules.budget.shares_evidence:
            end = min(last[policy] for policy in policies)
        entered[:end, policies] |= np.asarray(present[:end, policies].all(axis=1, keepdims=True))
    return entered


def _pair_results(
    table: Table, scores: Floats, comparison: Comparison, family: Family, outcome: Replay
) -> tuple[tuple[PairResult, ...], Floats]:
    """Return the pairs' results, and the mean differences over all trials of each pair."""
    span = comparison.scale.span
    results, differences = [], np.full(family.size, np.nan)
    for pair, (policy0, policy1) in enumerate(family.pairs.tolist()):
        # The interval is valid at all times, so it uses all trials, also those after the decision.
        rows = scores[:, [policy0, policy1]]
        met = rows[~np.isnan(rows).any(axis=1)]
        low, high = interval(comparison.confidence, met[:, 0], met[:, 1], len(scores))
        if met.size:
            differences[pair] = span * (met[:, 1] - met[:, 0]).mean()
        trace = outcome.trace
        assert isinstance(trace, Trace)
        results.append(
            PairResult(
                **standing(table.policies, family, outcome, pair),
                interval=Interval(low * span, high * span),
                path=trace.path(pair),
            )
        )
    return tuple(results), differences


def _scores_by_policy(table: Table) -> dict[str, Floats]:
    known = {}
    for name, column in zip(table.policies, table.scores.T, strict=True):
        known[name] = column[~np.isnan(column)]
        known[name].setflags(write=False)
    return known


def _warnings(table: Table, family: Family, comparison: Comparison, outcome: Replay) -> list[str]:
    found = []
    # A policy that is no longer needed is not missing.
    columns = zip(table.scores.T, _last_rows(family, outcome), strict=True)
    if any(np.isnan(column[:rows]).any() for column, rows in columns):
        found.append(
            "a pair uses only rows in which both policies have a trial, which is valid if what is "
            "missing does not depend on the scores"
        )
    if table.bounds is None:
        found.append("no bounds were declared: scores are taken to lie in [0, 1]")
    if family.ties == "paper":
        found.append(
            "exact ties are taken not to occur: if some means are equal, the chance of a false "
            "order can be up to twice alpha"
        )
    if not comparison.test.anytime:
        found.append(
            f"{comparison.method} answers only at n_max = {comparison.n_max}: it saves no trials"
        )
    if table.pooled_tasks and comparison.test.constant_rates:
        found.append(
            f"{comparison.method} needs means that stay the same throughout, which tasks that are "
            "pooled in turn have only if they are alike: choose a method that bets"
        )
    if not comparison.test.exact:
        found.append(f"{comparison.method} is approximate: nothing bounds its chance of an error")
    return found
