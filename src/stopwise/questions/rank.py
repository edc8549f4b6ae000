"""From a table of scores to its analysis: replay, results, doubts and warnings."""

import math
from dataclasses import replace

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.comparison import Comparison
from stopwise.core.confidence_state import Interval
from stopwise.core.progress import watched
from stopwise.core.readings.averages import averaged
from stopwise.core.readings.scale import Scale
from stopwise.core.rules import Rules
from stopwise.messages import counted
from stopwise.questions.analysis import Analysis
from stopwise.questions.doubts import (
    CAUTIONS,
    checkpoints_only,
    dependent,
    doubtful,
    doubts,
    drifting,
    elsewhere,
    levels_differ,
    moving,
    said,
    wide_bounds,
)
from stopwise.questions.family import Family
from stopwise.questions.intervals import (
    columns_of,
    difference_intervals,
    interval_level,
    mean_intervals,
)
from stopwise.questions.letters import letters, order_text, ranked
from stopwise.questions.pairs import Replay, replay
from stopwise.questions.ranking import Ranking
from stopwise.questions.standing import (
    PairResult,
    PolicyResult,
    eliminations,
    only_best,
    standing_of,
)
from stopwise.questions.trace import Trace
from stopwise.rows.table import Table, beside_proxy, shares_won, unit_scores


def rank(table: Table, ranking: Ranking) -> Analysis:
    rules, family, comparison = ranking.rules, ranking.family, ranking.comparison
    used = _counted(table, rules)
    single = unit_scores(used, comparison)
    used = used.clipped(comparison.scale)
    scores = single if rules.groups is None else _rows_of_groups(used, comparison)
    shown = beside_proxy(used, scores, comparison)
    title = f"{table.task}: " if table.task else ""
    with watched(f"{title}{counted(len(scores), 'row')} of {family.k} policies") as progress:
        budget = ranking.budget
        outcome = replay(
            comparison, budget, shown[..., None, :, :], with_trace=True, progress=progress
        )
    pairs, differences = _pair_results(shown, comparison, family, outcome)
    # With audits, trials without a score were run, and a judge has seen them.
    tried = scores if rules.audit is None else shown[1]
    policies = _policy_results(used, single, tried, ranking, outcome)
    if rules.reference is not None:
        policies = _beside_number(policies, pairs, rules)
    found = doubts(used, policies, pairs, differences, rules)
    found = found or moving(comparison, scores, family, pairs)
    if found:  # the order of the rows may have decided, not the policies
        policies = tuple(replace(policy, letters="") for policy in policies)
    shared = (
        *drifting(pairs, scores, family),
        *dependent(comparison, scores, family),
        *elsewhere(comparison, shown, family),
        *levels_differ(used, rules),
    )
    order = [rules.policies.index(policy.name) for policy in policies]
    better = family.better(outcome.claims[0])
    same = family.better(np.repeat(outcome.same[0][:, None], 2, axis=1))
    tested = family.better(np.ones_like(outcome.claims[0]))
    eliminated = eliminations(rules.policies, family, outcome.claims[0], outcome.rows[0])
    left = tuple(policy.name for policy in policies if policy.name not in eliminated)
    return Analysis(
        policies=policies,
        pairs=pairs,
        order_text=order_text(
            rules.policies,
            better,
            tested,
            order,
            not_worse=family.sides == 1,
            same=same,
            within=f" (within {rules.equivalence:g})" if rules.equivalence else "",
            transitive=family.transitive,
        ),
        rules=rules,
        aligned=used,
        ties=family.ties,
        doubts=(*found, *shared),
        warnings=(
            *doubtful(found, lettered=family.baseline is None),
            *shared,
            *said(used, rules),
            *checkpoints_only(used),
            *_beyond(table, rules),
            *(wide_bounds(used.without(rules.reading.constants)) if family.transitive else ()),
            *_warnings(used, family, comparison, outcome),
        ),
        facts=comparison.test.facts(),
        best=only_best(rules, left, pairs),
        candidates=left,
        eliminated=eliminated,
        futile=any(pair.futile for pair in pairs)
        and all(pair.futile or pair.decided for pair in pairs),
    )


def _counted(table: Table, rules: Rules) -> Table:
    """Return the table of the trials that count: n_max of each policy, or as many as declared."""
    if rules.groups is None:
        return table.first(rules.n_max)
    scores = table.scores[: max(rules.groups.values())].copy()
    for index, name in enumerate(rules.policies):
        scores[rules.groups.get(name, rules.n_max) :, index] = np.nan
    return replace(table, scores=scores)


def _rows_of_groups(table: Table, comparison: Comparison) -> Floats:
    rows = comparison.scale.unit(averaged(table.scores, comparison.rules))
    meeting = np.flatnonzero((~np.isnan(rows)).sum(axis=1) > 1)
    return rows[: meeting.max(initial=-1) + 1]


def _beyond(table: Table, rules: Rules) -> tuple[str, ...]:
    """Note trials beyond n_max, where a file holds more."""
    n_max = rules.n_max
    single = table.without({*rules.reading.constants, *(rules.groups or ())})
    rest = 0 if n_max is None else int((~np.isnan(single.scores[n_max:])).sum())
    text = f"{counted(rest, 'trial')} beyond n_max = {n_max} per policy left out"
    return (text,) if rest else ()


def _policy_results(
    table: Table, single: Floats, scores: Floats, ranking: Ranking, outcome: Replay
) -> tuple[PolicyResult, ...]:
    """Return the policies' results, from best to worst; rows may be of averages of trials.

    ``scores`` say which trials rows have.
    """
    family, comparison, rules = ranking.family, ranking.comparison, ranking.rules
    n_max, scale, wins = rules.n_max, comparison.scale, rules.by == "wins"
    won = shares_won(scores) if wins else single
    means = _means(won if wins else table.scores)
    better = family.better(outcome.claims[0])
    order = ranked(better & (family.sides == 2), means * rules.reading.advantage(1.0))
    shown = [""] * family.k
    if family.baseline is None:
        shown = list(letters(better | better.T, order))
    # The pairs hold together at alpha; so do the policies.
    alpha = comparison.alpha * family.size / family.k
    lows, highs = mean_intervals(won, alpha)
    of = Scale(*scale.ends) if wins else scale
    last = outcome.last[0].tolist()
    entered = _entered(scores, ranking, outcome)
    results = []
    for index in order:
        name = table.policies[index]
        known = ~np.isnan((single if rules.audit is None else scores)[:, index])
        if rules.groups is None:
            trials_used = int(entered[:, index].sum())
        else:
            rows = np.flatnonzero(entered[:, index]).tolist()
            taken = [rules.reading.trials(name, row) for row in rows]
            trials_used = sum(int(known[own.start : own.stop].sum()) for own in taken)
        later = int(known[rules.reading.trials(name, last[index]).start :].sum())
        # Of a policy that needs more nothing is saved, though it may have had fewer than n_max.
        done = not outcome.tried[0, index]
        saved = later
        if name in rules.stored:  # they were run before
            saved = 0
        elif n_max is not None and done:
            saved = (
                rules.reading.trials(name, n_max).start
                - rules.reading.trials(name, last[index]).start
            )
        results.append(
            PolicyResult(
                name=name,
                n=int(known.sum()),
                mean=float(means[index]),
                interval=Interval(*of.interval(float(lows[index]), float(highs[index]))),
                letters=shown[index],
                trials_used=trials_used,
                trials_saved=saved,
                trials_unpaired=int(known.sum()) - later - trials_used,
            )
        )
    return tuple(results)


def _means(scores: Floats) -> Floats:
    """Return the mean of each column; of one that met nobody the share of wins is one half."""
    empty = np.isnan(scores).all(axis=0)
    means: Floats = np.nanmean(np.where(empty, 0.5, scores) if empty.any() else scores, axis=0)
    return means


def _beside_number(
    policies: tuple[PolicyResult, ...], pairs: tuple[PairResult, ...], rules: Rules
) -> tuple[PolicyResult, ...]:
    """Return the results with a number that has no trials, and intervals that agree with it."""
    number = rules.reference or 0.0
    ends = rules.reading.back(pairs[0].interval)

    def beside(policy: PolicyResult) -> PolicyResult:
        if policy.name in rules.reading.constants:
            own = replace(policy, n=0, trials_used=0, trials_saved=0, trials_unpaired=0)
            return replace(own, mean=number, interval=Interval(number, number))
        # Of several policies the intervals of the means hold together, those of the pairs may not.
        return replace(policy, interval=Interval(*ends)) if len(pairs) == 1 else policy

    return tuple(map(beside, policies))


def _entered(scores: Floats, ranking: Ranking, outcome: Replay) -> Bools:
    last = outcome.last[0]
    present = ~np.isnan(scores)
    entered = np.zeros_like(present)
    for pair, policies in enumerate(ranking.family.pairs.tolist()):
        end = min(int(last[policies].min()), int(outcome.rows[0, pair]))
        entered[:end, policies] |= np.asarray(present[:end, policies].all(axis=1, keepdims=True))
    return entered


def _pair_results(
    shown: Floats, comparison: Comparison, family: Family, outcome: Replay
) -> tuple[tuple[PairResult, ...], Floats]:
    """Return the pairs' results, and the mean advantage of policy 1 over all trials of each.

    ``shown`` is what the tests saw.
    """
    span = comparison.scale.span
    results, differences = [], np.full(family.size, np.nan)
    levels = outcome.levels[0]
    # The interval is valid at all times, so it uses all trials, also those after the decision.
    columns = [columns_of(comparison, shown, *pair) for pair in family.pairs.tolist()]
    lows, highs, estimates = difference_intervals(
        comparison, columns, levels, outcome.record, outcome.claims[0]
    )
    for pair, (policy0, policy1) in enumerate(family.pairs.tolist()):
        differences[pair] = span * comparison.reading.gained(
            shown[..., policy0], shown[..., policy1], pair
        )
        trace = outcome.trace
        assert isinstance(trace, Trace)
        standing = standing_of(comparison.rules, family, outcome, pair)
        estimate = comparison.difference(float(estimates[pair]))
        known = not (standing["implied"] or math.isnan(estimate))
        results.append(
            PairResult(
                **standing,
                difference=float(differences[pair]),
                estimate=estimate if known else None,
                interval=comparison.difference_interval(float(lows[pair]), float(highs[pair])),
                interval_level=interval_level(comparison, levels, pair),
                path=trace.path(pair),
            )
        )
    return tuple(results), differences


def _correlation(table: Table, family: Family) -> str:
    """Correlation of the proxy's differences with the real ones, pair by pair."""
    found: list[float] = []
    if table.proxy is None:
        return ""
    kinds = table.scores, table.proxy
    for first, second in family.pairs.tolist():
        both = np.stack([own[:, second] - own[:, first] for own in kinds])
        known = both[:, ~np.isnan(both).any(axis=0)]
        varies = known.shape[1] > 1 and bool((np.ptp(known, axis=1) > 0).all())
        found += [float(np.corrcoef(*known)[0, 1])] if varies else []
    if len(found) < 2:
        return f"{found[0]:.2g}" if found else "unknown"
    return f"{min(found):.2g} to {max(found):.2g}"


def _warnings(table: Table, family: Family, comparison: Comparison, outcome: Replay) -> list[str]:
    # A policy that is no longer needed is not missing.
    rules = comparison.rules
    tried = table.proxy if rules.audit is not None and table.proxy is not None else table.scores
    columns = zip(table.policies, tried.T, outcome.last[0].tolist(), strict=True)
    incomplete = any(
        np.isnan(own[: rules.reading.trials(name, rows).start]).any() for name, own, rows in columns
    )
    proxied = rules.proxy_mean is not None and rules.audit is None
    holds = {
        "rows-incomplete": incomplete,
        "proxy-left-out": incomplete and proxied,
        "bounds-undeclared": table.bounds is None and comparison.rules.by == "means",
        "wins": comparison.rules.by == "wins",
        "wins-not-transitive": not family.transitive and family.size > 1,
        "ties-not-counted": family.ties == "paper",
        "grouped": rules.groups is not None,
        "stored": bool(rules.stored),
        "proxy": proxied,
        "audit": rules.audit is not None,
    }
    known = {
        "method": comparison.method,
        "n_max": comparison.n_max,
        "stored": ", ".join(rules.stored),
        "correlation": _correlation(table, family),
        "audit": rules.audit,
        "audited": counted(int((~np.isnan(table.scores)).any(axis=1).sum()), "row"),
        "numbers": ", ".join(f"{name} {number}" for name, number in (rules.groups or {}).items()),
    }
    return [CAUTIONS[caution].format(**known) for caution, so in holds.items() if so]
