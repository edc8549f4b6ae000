"""From a table of scores to its analysis: replay, results, doubts and warnings."""

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.comparison import Comparison
from stopwise.core.confidence_state import Interval
from stopwise.core.progress import watched
from stopwise.core.promise import ENOUGH_PAIRS, wide_bounds_text
from stopwise.messages import Message, counted, first_few
from stopwise.questions.analysis import Analysis
from stopwise.questions.analysis_parts import PairResult, PolicyResult
from stopwise.questions.doubts import dependent, doubts
from stopwise.questions.family import Family
from stopwise.questions.intervals import difference_intervals, interval_level, mean_intervals
from stopwise.questions.letters import letters, order_text, ranked
from stopwise.questions.pairs import Replay, replay
from stopwise.questions.ranking import Ranking
from stopwise.questions.standing import eliminations, standing_of
from stopwise.questions.trace import Trace
from stopwise.rows.table import Table, unit_scores

# What may void the guarantee, or is to be known of it, by code.
CAUTIONS = {
    "rows-incomplete": "each pair uses only rows in which both policies have a trial; this is "
    "valid only if which trials are missing does not depend on the scores",
    "bounds-undeclared": "no bounds were declared: scores are assumed to lie in [0, 1]",
    "ties-not-counted": "exact ties are assumed not to occur: if some means are equal, the chance "
    "of a false order can be up to twice alpha",
    "fixed-sample": "{method} answers only at n_max = {n_max}: it saves no trials",
    "pooled-rates": "{method} assumes means that stay the same throughout, which pooled tasks have "
    "only if they are alike: choose a method that bets",
    "approximate": "{method} is approximate: its chance of an error has no proven limit",
    "randomised": "{method} decides partly by lot, with seed {seed}: keep that seed; an analysis "
    "repeated with others until it decides has no guarantee",
}


def rank(table: Table, ranking: Ranking) -> Analysis:
    """Return the analysis of one table."""
    rules, family, comparison = ranking.rules, ranking.family, ranking.comparison
    used = table.first(rules.n_max)
    scores = unit_scores(used, comparison)
    title = f"{table.task}: " if table.task else ""
    with watched(f"{title}{counted(len(scores), 'row')} of {family.k} policies") as progress:
        budget = ranking.budget
        outcome = replay(comparison, budget, scores[None], with_trace=True, progress=progress)
    policies = _policy_results(used, scores, ranking, outcome)
    pairs, differences = _pair_results(used, scores, comparison, family, outcome)
    found = doubts(policies, pairs, differences, comparison.scale.span)
    shared = dependent(comparison, scores, family)
    order = [rules.policies.index(policy.name) for policy in policies]
    better = family.better(outcome.claims[0])
    tested = family.better(np.ones_like(outcome.claims[0]))
    eliminated = eliminations(rules.policies, family, outcome.claims[0], outcome.rows[0])
    left = tuple(policy.name for policy in policies if policy.name not in eliminated)
    return Analysis(
        policies=policies,
        pairs=pairs,
        order_text=order_text(rules.policies, better, tested, order),
        rules=rules,
        aligned=used,
        ties=family.ties,
        doubts=(*found, *shared),
        warnings=(
            *doubtful(found),
            *shared,
            *table.notes,
            *_beyond(table, rules.n_max),
            *wide_bounds(used),
            *_warnings(used, family, comparison, outcome),
        ),
        facts=comparison.test.facts(),
        best=left[0] if len(left) == 1 else None,
        candidates=left,
        eliminated=eliminated,
    )


def _beyond(table: Table, n_max: int | None) -> tuple[str, ...]:
    """Say that trials were left out, for whoever declares a smaller n_max than the file holds."""
    rest = 0 if n_max is None else int((~np.isnan(table.scores[n_max:])).sum())
    text = f"{counted(rest, 'trial')} beyond n_max = {n_max} per policy left out"
    return (Message(text, code="beyond-n-max"),) if rest else ()


def wide_bounds(table: Table) -> tuple[str, ...]:
    """Say that the scores fill little of the declared range."""
    known = table.scores[~np.isnan(table.scores)]
    if table.bounds is None or known.size < 2 * ENOUGH_PAIRS:
        return ()
    text = wide_bounds_text(float(known.min()), float(known.max()), table.bounds)
    return () if text is None else (Message(text, code="bounds-wide"),)


def doubtful(found: tuple[str, ...]) -> tuple[str, ...]:
    """Say that the trials contradict what every claim rests on."""
    asked = (
        "every claim assumes fresh draws in random order, and these trials do not look like that "
        "(is the file sorted by score, or did policies or scenes change along the way?)"
    )
    return (Message(f"{asked}: {first_few(found)}", code="doubtful"),) if found else ()


def _policy_results(
    table: Table, scores: Floats, ranking: Ranking, outcome: Replay
) -> tuple[PolicyResult, ...]:
    """Return the policies' results, from best to worst."""
    family, comparison, n_max = ranking.family, ranking.comparison, ranking.rules.n_max
    low, high = comparison.bounds
    means = np.nanmean(table.scores, axis=0)
    better = family.better(outcome.claims[0])
    order = ranked(better, means)
    shown = [""] * family.k
    if family.baseline is None:
        shown = list(letters(better | better.T, order))
    # The pairs hold together at alpha; so do the policies.
    alpha = comparison.alpha * family.size / family.k
    lows, highs = mean_intervals(scores, alpha)
    last = _last_rows(family, outcome)
    entered = _entered(scores, ranking, outcome)
    decided = np.asarray(outcome.claims[0].any(axis=-1))
    results = []
    for index in order:
        known = ~np.isnan(scores[:, index])
        own = scores[known, index]
        trials_used = int(entered[:, index].sum())
        later = int(known[last[index] :].sum())
        # Of an undecided policy nothing is saved, though it may have had fewer than n_max trials.
        done = bool(decided[family.of_policy[index]].all())
        results.append(
            PolicyResult(
                name=table.policies[index],
                n=own.size,
                mean=float(means[index]),
                interval=Interval(
                    low + float(lows[index]) * (high - low),
                    low + float(highs[index]) * (high - low),
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


def _entered(scores: Floats, ranking: Ranking, outcome: Replay) -> Bools:
    """Return which trials (rows, policies) entered a comparison: those with a partner in time."""
    last = _last_rows(ranking.family, outcome)
    present = ~np.isnan(scores)
    entered = np.zeros_like(present)
    for pair, policies in enumerate(ranking.family.pairs.tolist()):
        # Shared evidence counts as long as both policies are tried, also after the decision.
        end = int(outcome.rows[0, pair])
        if ranking.budget.shares_evidence:
            end = min(last[policy] for policy in policies)
        entered[:end, policies] |= np.asarray(present[:end, policies].all(axis=1, keepdims=True))
    return entered


def _pair_results(
    table: Table, scores: Floats, comparison: Comparison, family: Family, outcome: Replay
) -> tuple[tuple[PairResult, ...], Floats]:
    """Return the pairs' results, and the mean differences over all trials of each pair."""
    span = comparison.scale.span
    results, differences = [], np.full(family.size, np.nan)
    levels = None if outcome.levels is None else outcome.levels[0]
    # The interval is valid at all times, so it uses all trials, also those after the decision.
    lows, highs = difference_intervals(comparison, scores, family.pairs, levels)
    for pair, (policy0, policy1) in enumerate(family.pairs.tolist()):
        rows = scores[:, [policy0, policy1]]
        met = rows[~np.isnan(rows).any(axis=1)]
        if met.size:
            differences[pair] = span * (met[:, 1] - met[:, 0]).mean()
        trace = outcome.trace
        assert isinstance(trace, Trace)
        results.append(
            PairResult(
                **standing_of(table.policies, family, outcome, pair),
                interval=Interval(float(lows[pair]) * span, float(highs[pair]) * span),
                interval_level=interval_level(comparison, levels, pair),
                path=trace.path(pair),
            )
        )
    return tuple(results), differences


def _warnings(
    table: Table, family: Family, comparison: Comparison, outcome: Replay
) -> list[Message]:
    # A policy that is no longer needed is not missing.
    columns = zip(table.scores.T, _last_rows(family, outcome), strict=True)
    incomplete = any(np.isnan(column[:rows]).any() for column, rows in columns)
    test = comparison.test
    holds = {
        "rows-incomplete": incomplete,
        "bounds-undeclared": table.bounds is None,
        "ties-not-counted": family.ties == "paper",
        "fixed-sample": not test.anytime,
        "pooled-rates": bool(table.pooled_tasks) and test.constant_rates,
        "approximate": not test.exact,
        "randomised": test.uses_seed(comparison.rules.parameters),
    }
    known = {
        "method": comparison.method,
        "n_max": comparison.n_max,
        "seed": comparison.rules.parameters.get("seed"),
    }
    return [Message(CAUTIONS[code].format(**known), code=code) for code, so in holds.items() if so]
