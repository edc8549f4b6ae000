"""From a table of scores to its analysis: replay, results, doubts and warnings."""

import math
from dataclasses import replace

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.confidence import Interval
from stopwise.core.progress import watched
from stopwise.core.readings.score import Met, Scores
from stopwise.core.words import within_text
from stopwise.messages import counted
from stopwise.questions.analysis import Analysis
from stopwise.questions.doubts import TIES_NOT_COUNTED, dependent, doubts, moving, warnings
from stopwise.questions.family import Family
from stopwise.questions.intervals import (
    columns_of,
    difference_intervals,
    interval_level,
    mean_intervals,
)
from stopwise.questions.letters import letters, order_text, ranked
from stopwise.questions.pairs import PairStates, PairTests, replay
from stopwise.questions.standing import (
    PairResult,
    PolicyResult,
    eliminations,
    only_best,
    standings_of,
)
from stopwise.rows.table import Table, unit_rows

ACCOUNTS = ("n", "trials_used", "trials_saved", "trials_unpaired")


def rank(table: Table, ranking: PairTests) -> Analysis:
    rules, family, comparison = ranking.rules, ranking.family, ranking.comparison
    reading = rules.reading
    used = table.with_each(reading.counted)
    shown = unit_rows(used, comparison)
    used = used.clipped(comparison.scale)
    title = f"{table.task}: " if table.task else ""
    with watched(f"{title}{counted(shown.shape[-2], 'row')} of {family.k} policies") as progress:
        outcome = replay(
            comparison,
            ranking.budget,
            shown[..., None, :, :],
            with_trace=True,
            progress=progress,
        )
    pairs = _pair_results(shown, outcome)
    met = _met(used, family, reading, outcome)
    policies = _policy_results(used, shown, ranking, outcome)
    if reading.constants:
        # Of several policies the intervals of the means hold together, those of pairs may not.
        alone = Interval(*reading.back(pairs[0].interval)) if len(pairs) == 1 else None
        policies = tuple(
            replace(policy, interval=alone) if alone is not None and policy.n else policy
            for policy in policies
        )
    signs: tuple[str, ...] = ()
    if not reading.certain:
        signs = doubts(used, policies, pairs, rules) or moving(comparison, shown, family, pairs)
    if signs:  # the order of the rows may have decided, not the policies
        policies = tuple(replace(policy, letters="") for policy in policies)
    shared = dependent(comparison, shown, family)
    single = table.arranged([name for name in reading.run if not reading.several(name)])
    rest = 0 if rules.n_max is None else int((~np.isnan(single))[rules.n_max :].sum())
    beyond = f"{counted(rest, 'trial')} beyond n_max = {rules.n_max} per policy left out"
    eliminated = eliminations(rules.policies, outcome)
    left = tuple(policy.name for policy in policies if policy.name not in eliminated)
    return Analysis(
        policies=policies,
        pairs=pairs,
        order_text=order_text(
            rules.policies,
            family.better(outcome.claims[0]),
            family.better(np.ones_like(outcome.claims[0])),
            [rules.policies.index(policy.name) for policy in policies],
            not_worse=family.sides == 1,
            same=family.better(np.repeat(outcome.same[0][:, None], 2, axis=1)),
            within=within_text(rules.equivalence),
            transitive=family.transitive,
        ),
        rules=rules,
        aligned=used,
        ties=family.ties,
        doubts=(*signs, *shared),
        warnings=(
            *warnings(used, rules, signs, shared, lettered=family.baseline is None),
            *((beyond,) if rest else ()),
            *reading.cautions(met),
            *([TIES_NOT_COUNTED] if family.ties == "paper" else []),
        ),
        facts=comparison.test.facts(),
        best=only_best(rules, left, pairs),
        candidates=left,
        eliminated=eliminated,
        futile=any(pair.futile for pair in pairs)
        and all(pair.futile or pair.decided for pair in pairs),
    )


def _policy_results(
    table: Table, shown: Floats, ranking: PairTests, outcome: PairStates
) -> tuple[PolicyResult, ...]:
    family, comparison, rules = ranking.family, ranking.comparison, ranking.rules
    n_max, reading = rules.n_max, rules.reading
    values, scale = reading.values(table.layers(reading)), reading.tested_scale
    empty = np.isnan(values).all(axis=0)  # of one that met nobody the share of wins is one half
    means = np.nanmean(np.where(empty, 0.5, values), axis=0)
    better = family.better(outcome.claims[0])
    order = ranked(better & (family.sides == 2), means * reading.advantage(1.0))
    letter = [""] * family.k
    if family.baseline is None:
        letter = list(letters(better | better.T, order))
    # The pairs hold together at alpha; so do the policies.
    alpha = comparison.alpha * family.size / family.k
    lows, highs = mean_intervals(reading, scale.unit(values), alpha)
    entered = _entered(reading.ran(shown), ranking, outcome)
    ran = ~np.isnan(reading.ran(table.layers(reading)))
    results = []
    for index in order:
        name, last = table.policies[index], int(outcome.last[0, index])
        if name in reading.constants:  # a number has no trials
            number = reading.constants[name]
            ends, none = Interval(number, number), dict.fromkeys(ACCOUNTS, 0)
            results.append(
                PolicyResult(name=name, mean=number, interval=ends, letters=letter[index], **none)
            )
            continue
        known, starts = ran[:, index], reading.starts(name, max(len(entered), last, n_max or 0))
        before = np.append(0, np.cumsum(known))[np.minimum(starts, len(known))]
        n, until = int(known.sum()), int(before[last])
        used = int(np.diff(before[: len(entered) + 1])[entered[:, index]].sum())
        # Of a policy that needs more nothing is saved, though it may have had fewer than n_max.
        done = not outcome.tried[0, index]
        saved = n - until
        if name not in reading.tried:  # its trials were run before
            saved = 0
        elif n_max is not None and done:
            saved = int(starts[n_max] - starts[last])
        results.append(
            PolicyResult(
                name=name,
                n=n,
                mean=float(means[index]),
                interval=Interval(*scale.interval(float(lows[index]), float(highs[index]))),
                letters=letter[index],
                trials_used=used,
                trials_saved=saved,
                trials_unpaired=until - used,
            )
        )
    return tuple(results)


def _entered(scores: Floats, ranking: PairTests, outcome: PairStates) -> Bools:
    last = outcome.last[0]
    present = ~np.isnan(scores)
    entered = np.zeros_like(present)
    for pair, policies in enumerate(ranking.family.pairs.tolist()):
        end = min(int(last[policies].min()), int(outcome.rows[0, pair]))
        entered[:end, policies] |= np.asarray(present[:end, policies].all(axis=1, keepdims=True))
    return entered


def _pair_results(shown: Floats, outcome: PairStates) -> tuple[PairResult, ...]:
    comparison, ends = outcome.comparison, outcome.family.pairs.tolist()
    levels = outcome.levels[0]
    # The interval is valid at all times, so it uses all trials, also those after the decision.
    columns = [columns_of(comparison, shown, *pair) for pair in ends]
    lows, highs, estimates = difference_intervals(
        comparison, columns, levels, outcome.record, outcome.claims[0]
    )
    results = []
    assert outcome.trace is not None
    for pair, fields in enumerate(standings_of(comparison.rules, outcome)):
        policy0, policy1 = ends[pair]
        gained = comparison.reading.gained(shown[..., policy0], shown[..., policy1], pair)
        estimate = comparison.difference(float(estimates[pair]))
        known = not (fields["implied"] or math.isnan(estimate))
        results.append(
            PairResult(
                **fields,
                difference=float(comparison.scale.span * np.round(gained, 12)) + 0.0,
                estimate=estimate if known else None,
                interval=comparison.difference_interval(float(lows[pair]), float(highs[pair])),
                interval_level=interval_level(comparison, levels, pair),
                path=outcome.trace.path(pair, same=bool(outcome.same[0, pair])),
            )
        )
    return tuple(results)


def _met(table: Table, family: Family, reading: Scores, outcome: PairStates) -> Met:
    layers = table.layers(reading)
    columns = zip(table.policies, reading.ran(layers).T, outcome.last[0].tolist(), strict=True)
    return Met(
        layers=layers,
        pairs=family.pairs.tolist(),
        # A policy that is no longer needed is not missing.
        incomplete=any(
            np.isnan(scores[: reading.trials(name, rows).start]).any()
            for name, scores, rows in columns
        ),
        unbounded=table.bounds is None,
    )
