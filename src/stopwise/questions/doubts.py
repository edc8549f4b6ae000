"""Signs that the trials are not what every claim rests on: fresh draws in random order.

A file sorted by score, or policies and scenes that changed on the way, give decisions and
intervals early on that the later trials contradict. Fresh draws hardly ever do so. Beside them:
what else a reader of an answer should know of its guarantee.
"""

import math
from collections.abc import Sequence

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.dependence import FALSE_ALARMS, dependence
from stopwise.core.pair_test import PairTest
from stopwise.core.pair_verdict import Decision
from stopwise.core.rules import Rules
from stopwise.core.words import ENOUGH_PAIRS, dependence_text, wide_bounds_text
from stopwise.messages import Message, Setting, counted, first_few
from stopwise.questions.family import Family
from stopwise.questions.standing import PairResult, PolicyResult
from stopwise.rows.groups import CODE as UNEQUAL_NUMBERS
from stopwise.rows.groups import with_cure
from stopwise.rows.table import Table

# As a share of the score's range; less is rounding.
ROUNDING = 1e-9
SORTED = "rows-sorted"  # the code of a doubt that rows came in random order
# Fewer rows are not searched for changes along the way.
MOVING_ROWS = 20
TIES_NOT_COUNTED = (
    "exact ties are assumed not to occur: if some means are equal, the chance of a false order can "
    "be up to twice alpha"
)

# Equal scores row by row are no chance if they have so many values.
COPIED_VALUES = 10


def doubts(
    table: Table, policies: Sequence[PolicyResult], pairs: Sequence[PairResult], rules: Rules
) -> tuple[str, ...]:
    signs = [] if table.mean is None else list(table.mean.doubts)
    span = rules.scale.span
    for pair in pairs:
        against = -pair.difference if pair.decision is Decision.POLICY1 else pair.difference
        ordered = pair.decided and not pair.same
        if ordered and against > ROUNDING * span + max(-pair.margin, 0.0):
            higher = pair.policy0 if pair.decision is Decision.POLICY1 else pair.policy1
            signs.append(
                f"{pair.relation} was decided after {counted(pair.n, 'pair')} of trials, but over "
                f"all pairs of trials {higher} did better"
            )
    estimates = {
        f"the mean of {policy.name}": (policy.mean, policy.interval) for policy in policies
    }
    for pair in pairs:
        name = f"the mean difference of {pair.policy1} and {pair.policy0}"
        estimates[name] = (pair.difference, pair.interval)
    slack = ROUNDING * span
    return (
        *signs,
        *(
            f"{name} lies outside its own interval"
            for name, (mean, interval) in estimates.items()
            if mean < interval.low - slack or mean > interval.high + slack
        ),
    )


def moving(
    comparison: PairTest, shown: Floats, family: Family, pairs: Sequence[PairResult]
) -> tuple[str, ...]:
    """Return the decided pairs whose difference changes along the rows, as if they were sorted."""
    notes = []
    for pair, policies in zip(pairs, family.pairs.tolist(), strict=True):
        if not pair.decided:
            continue
        gaps = comparison.reading.leads(*(shown[..., policy] for policy in policies))
        if len(gaps) > pair.n and changes(gaps, family.size):
            notes.append(sorted_rows(pair.policy0, pair.policy1))
    return tuple(notes)


def changes(gaps: Floats, pairs: int = 1) -> bool:
    """Kolmogorov's test of the sums along the rows, with ``FALSE_ALARMS`` over all pairs."""
    if gaps.size < MOVING_ROWS:
        return False
    centred = gaps - gaps.mean()
    largest = float(np.abs(np.cumsum(centred)).max())
    # The chance to exceed x is at most 2 exp(-2 x^2).
    limit = 0.5 * math.log(2.0 * pairs / FALSE_ALARMS)
    spread = max(float(centred @ centred), gaps.size * ROUNDING**2)
    return largest**2 > limit * spread


def sorted_rows(policy0: str, policy1: str) -> Message:
    text = (
        f"the difference of {policy0} and {policy1} changes along the rows, as if scenes came one "
        "after another or a policy changed"
    )
    return Message(text, code=SORTED)


def dependent(comparison: PairTest, scores: Floats, family: Family) -> tuple[str, ...]:
    """Return the pairs whose scores go together though they are taken for independent."""
    if not comparison.rests_on_independence:
        return ()
    notes = []
    scores = scores[0] if scores.ndim > 2 else scores  # of rounds their averages
    for policies in family.pairs:
        rows = scores[:, policies]
        met = rows[~np.isnan(rows).any(axis=1)]
        names = [comparison.rules.policies[policy] for policy in policies.tolist()]
        apart = set(names).isdisjoint(comparison.rules.stored)
        kind = dependence(met[:, 0], met[:, 1], FALSE_ALARMS / family.size)
        telling = kind is not None or len(np.unique(met)) >= COPIED_VALUES
        if telling and not apart and np.array_equal(*met.T):
            text = (
                f"the scores of {names[0]} and {names[1]} are the same, row by row: is one a "
                "copy of the other?"
            )
            notes.append(Message(text, code="scores-together"))
        elif kind is not None:
            text = dependence_text(names[0], names[1], kind, comparison.method, pairable=apart)
            notes.append(Message(text, code=f"scores-{kind}"))
    return tuple(notes)


def warnings(
    table: Table, rules: Rules, signs: tuple[str, ...], shared: tuple[str, ...], *, lettered: bool
) -> tuple[str, ...]:
    """Doubts about an answer, and notes without those that the rules answer."""
    grouped = table.mean is None and rules.goes_with(groups={rules.policies[0]: 1})
    vain = set() if grouped else {UNEQUAL_NUMBERS}
    notes = (
        with_cure(note) for note in answered(table.notes) if getattr(note, "code", "") not in vain
    )
    ranged = wide_bounds(table.without(rules.reading.constants)) if rules.reading.ranged else ()
    first = (
        "every claim assumes fresh draws in random order, and these trials do not look like that "
        "(is the file sorted by score, or did policies or scenes change along the way?): "
        f"{first_few(signs)}{'; no letters are given' if lettered else ''}"
    )
    doubtful = (first,) if signs else ()
    return (*doubtful, *shared, *notes, *checkpoints_only(table), *ranged)


def answered(notes: Sequence[str]) -> list[str]:
    """Return the notes without the question about direction: nothing is analysed before it."""
    return [note for note in notes if getattr(note, "code", "") != "direction-unknown"]


def checkpoints_only(table: Table) -> tuple[str, ...]:
    if not table.training_runs:
        return ()
    note = Message(
        "the trials of a training run are not fresh draws of the algorithm: claims are about the "
        "checkpoints that were tried; ",
        Setting("unit", "seed"),
        " takes the mean of a training run as one trial",
        ", of each task by itself" if table.mean is not None else "",
    )
    return (note,)


def wide_bounds(table: Table) -> tuple[str, ...]:
    known = table.scores[~np.isnan(table.scores)]
    if table.bounds is None or known.size < 2 * ENOUGH_PAIRS:
        return ()
    text = wide_bounds_text(float(known.min()), float(known.max()), table.bounds)
    return () if text is None else (text,)
