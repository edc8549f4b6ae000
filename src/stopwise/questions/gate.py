"""Is a new policy not worse than the old one, by more than is acceptable? Asked before a release.

Two tests of one pair run side by side on the same rows, each at alpha: one that the new policy is
not worse by the margin or more, one that it is worse by more than the margin. The first that
decides ends both. See docs/design/claims.md for what each false claim can cost.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from stopwise.core.keywords import flat
from stopwise.core.rules import Rules
from stopwise.core.scores import is_number
from stopwise.core.settings import GateSettings
from stopwise.core.words import dependence_text
from stopwise.data.reading import InputSettings
from stopwise.errors import require
from stopwise.messages import Message, named
from stopwise.questions.doubts import answered, changes, sorted_rows, wide_bounds
from stopwise.questions.gate_memory import Memory
from stopwise.questions.gate_result import NOT_WORSE, UNDECIDED, WORSE, GateResult, Measured
from stopwise.questions.gate_source import (
    complete,
    found_policies,
    measured,
    pairs_of,
    verdicts,
)
from stopwise.rows import scene_list
from stopwise.rows.reading import INPUT, taken
from stopwise.rows.table import Table


class GateQuestion(GateSettings, InputSettings, total=False):
    """The settings of a gate, and how files are read."""


@flat(GateQuestion)
def gate(
    new: Any,
    baseline: Any = None,
    margin: float | None = None,
    *,
    reference: float | None = None,
    results: Any = None,
    task: str | None = None,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    state: str | Path | None = None,
    versions: str | None = None,
    **settings: Unpack[GateQuestion],
) -> GateResult:
    """Test whether a new policy is not worse than a baseline by a margin, as a release asks.

    "Not worse" says that its mean is above that of the baseline less the margin; "worse", that it
    is below. Each of the two, where it is false, is ever shown with probability at most alpha,
    however often you look (with a ``state``, while trials come in). The decision is final; means
    and interval are of all trials.

    Parameters
    ----------
    new, baseline
        The trials of each policy: a file, a folder, a frame or its scores in order. With
        ``results``, or if ``new`` is a file with both, the names of policies in it.
    margin
        How much worse is still acceptable, in units of the score: a positive number, declared
        before the data. What is tested is ``margin=-0.05`` of ``SequentialTest`` for 0.05 here.
        With a reference 0 if none is given: is the new policy better than the number?
    reference
        A number to compare the new policy with, instead of a baseline.
    results
        A trial table, or whatever ``read_trials`` takes, that holds both policies.
    task
        Which task, if there are several.
    bounds
        Range [A, B] of the score, known before the data; by default the one that the trial table
        declares, else [0, 1].
    design
        "independent", "paired" or "stratified"; by default what the blocks of the table show.
    state
        File that remembers the pairs that were counted and the rules. Give all trials each time,
        old and new: a past that has changed, or other rules, are refused. Needed if trials are to
        come: without it they are taken to be complete, and their order may cycle through scenes.
    versions
        With ``state``: text that names the exact versions of both policies, such as two checkpoint
        hashes; another one is refused later.
    n_max
        The declared maximum number of pairs; later ones are not used.
    **settings
        The method, alpha, n_max and the method's own parameters.

    Examples
    --------
    >>> import stopwise as sw
    >>> found = sw.gate([1, 1, 0, 1] * 40, [1, 1, 1, 0] * 40, margin=0.2)
    >>> found.answer, found.n, found.all_trials.trials["new"]
    ('pass', 88, 160)
    >>> sw.gate([1, 1, 1, 1, 0] * 20, reference=0.6).n
    34
    """
    require(
        (baseline is None) != (reference is None),
        "compare the new policy with a baseline or with a number (reference): give one of the two",
        parameter="baseline",
    )
    margin = _checked(0.0 if margin is None and reference is not None else margin, reference)
    memory = Memory.opened(state, versions)
    reading = {name: value for name, value in settings.items() if name in INPUT}
    own = {name: value for name, value in settings.items() if name not in INPUT}
    lower = own.get("lower_is_better")
    trials, names = found_policies(
        new, baseline, results, {**reading, "bounds": bounds, "lower_is_better": lower}
    )
    trials, _ = taken(trials, {**own, **_for_scores(trials, reading)}, bounds=bounds)
    trials = scene_list.drawn(trials, own, design, task)
    table = pairs_of(
        trials, names, task=task, design=design, bounds=bounds, growing=state is not None
    )
    table, whole = scene_list.declared(table, own)
    pairs = complete(table, names)
    given = {key: value for key, value in own.items() if value is not None}
    rules = Rules.of(
        policies=names,
        bounds=pairs.bounds,
        design=pairs.design,
        alternative="greater",
        margin=-margin,
        reference=reference,
        **given,
        **whole,
    )
    pairs = pairs.with_constants(rules.reading.constants)
    memory.check(rules, pairs)
    found = _answer(rules, pairs, measured(table.scores, names))
    memory.keep(rules, pairs.first(found.n))
    return found


def _checked(margin: Any, reference: float | None) -> float:
    require(
        is_number(margin) and (margin > 0 or (margin == 0 and reference is not None)),
        named("margin"),
        " says how much worse is still acceptable, in units of the score: give a positive number "
        f"that was fixed before the data, such as 0.05, but got {margin!r}",
    )
    return float(margin)


def _for_scores(trials: Any, reading: Mapping[str, Any]) -> Mapping[str, Any]:
    return reading if isinstance(trials, Mapping) else {}


def _answer(rules: Rules, pairs: Table, all_trials: Measured) -> GateResult:
    not_worse, worse = verdicts(rules, pairs)
    ends = {NOT_WORSE: not_worse.n_decided, WORSE: worse.n_decided}
    n = min((end for end in ends.values() if end is not None), default=not_worse.n)
    first = [claim for claim, end in ends.items() if end == n]
    # Both at once (at absurd levels only) would say nothing.
    shown = first[0] if len(first) == 1 else UNDECIDED
    warnings, (old, new) = answered(pairs.notes), rules.policies[:2]
    if not_worse.dependence is not None:
        text = dependence_text(old, new, not_worse.dependence, rules.method)
        warnings.append(Message(text, code=f"scores-{not_worse.dependence}"))
    gaps = np.diff(pairs.scores).ravel()
    if shown != UNDECIDED and gaps.size > n and changes(gaps):
        warnings.append(sorted_rows(old, new))
    warnings += wide_bounds(pairs)
    broader = rules.reading.broader()
    if broader is not None:
        level = f"(a claim of its own at alpha {rules.alpha:g})"
        headline = _answer(broader, pairs, all_trials).headline
        warnings.insert(0, f"for new scenes and runs {level}: {headline}")
    seen = pairs.arranged(rules.reading.run)[:n]
    return GateResult(
        shown=shown,
        n=n,
        not_worse=not_worse,
        worse=worse,
        rules=rules,
        spread=float(gaps[: not_worse.n].std()),
        all_trials=all_trials,
        decision=None if shown == UNDECIDED else measured(seen, tuple(all_trials.trials)),
        task=pairs.task,
        warnings=tuple(warnings),
        about=pairs.checkpoint_claim,
    )
