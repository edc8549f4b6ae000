"""Is a new policy not worse than the old one, by more than is acceptable? Asked before a release.

Two tests of one pair run side by side on the same rows, each at alpha: one that the new policy is
not worse by the margin or more, one that it is worse by more than the margin. The first that
decides ends both. See docs/design/claims.md for what each false claim can cost.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.keywords import flat
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.score import BOUNDS_UNDECLARED, ROWS_INCOMPLETE
from stopwise.core.rules import Rules
from stopwise.core.scores import is_number
from stopwise.core.settings import GateSettings
from stopwise.core.snapshot import dump, load
from stopwise.core.stream import SequentialTest
from stopwise.core.words import dependence_text
from stopwise.data.folders import name_of
from stopwise.data.frames import is_path, is_place
from stopwise.data.read import read_trials
from stopwise.data.reading import InputSettings
from stopwise.data.trials import Trials
from stopwise.errors import InvalidState, require
from stopwise.files import replace_file
from stopwise.messages import Message, Setting, named
from stopwise.questions.counts import is_count
from stopwise.questions.doubts import answered, changes, checkpoints_only, sorted_rows, wide_bounds
from stopwise.questions.gate_result import FAIL, PASS, UNDECIDED, GateResult, Measured
from stopwise.rows import scene_list
from stopwise.rows.align import align
from stopwise.rows.reading import INPUT, taken
from stopwise.rows.table import Table
from stopwise.rows.task_tables import tables


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
    **settings: Unpack[GateQuestion],
) -> GateResult:
    """Test whether a new policy is not worse than a baseline by a margin, as a release asks.

    "Not worse" says that its mean is above that of the baseline less the margin; "worse", that it
    is below. Each claim, if false, is ever made with probability at most alpha, however often you
    look. The decision is final; means and interval are of all trials.

    Parameters
    ----------
    new, baseline
        The trials of each policy: a file, a folder, a frame or its scores in order. With
        ``results``, or if ``new`` is a file with both, the names of policies in it.
    margin
        How much worse is still acceptable, in units of the score: a positive number, declared
        before the data; with a reference it may be left out.
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
        File that remembers the pairs that were counted and the rules, for trials that come in over
        time. Give all of them each time: another past, or other rules, are refused.
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
    _refuse_counts(new, results)
    least: Any = 0.0 if margin is None and reference is not None else margin
    require(
        is_number(least) and (least > 0 or (least == 0 and reference is not None)),
        named("margin"),
        " says how much worse is still acceptable, in units of the score: give a positive number "
        f"that was fixed before the data, such as 0.05, but got {least!r}",
    )
    place = None if state is None else Path(state)
    before = {} if place is None else _remembered(place)
    reading = {name: value for name, value in settings.items() if name in INPUT}
    asked: dict[str, Any] = {
        name: value for name, value in settings.items() if name not in INPUT and value is not None
    }
    of_files = {**reading, "bounds": bounds, "lower_is_better": asked.get("lower_is_better")}
    trials, names = found_policies(new, baseline, results, of_files)
    more = reading if isinstance(trials, Mapping) else {}
    trials, _ = taken(trials, {**asked, **more}, bounds=bounds)
    trials = scene_list.drawn(trials, asked, design, task)
    table = _aligned(trials, names, task, design, growing=state is not None).declaring(bounds)
    table, whole = scene_list.declared(table, asked)
    if before and not before["declared"].get("whole_list"):
        whole = {}  # bets on the first scenes go on to the last
    table, pairs = _checked(table, names)
    low, high = pairs.bounds or (0.0, 1.0)
    require(
        least < high - low,
        named("margin"),
        f" must be less than {high - low:g}, the width of the bounds, but got {least:g}",
    )
    rules = Rules.of(
        policies=names,
        bounds=pairs.bounds,
        design=pairs.design,
        alternative="greater",
        margin=-float(least),
        reference=reference,
        **asked,
        **whole,
    )
    pairs = pairs.with_constants(rules.reading.constants)
    # As it will be read.
    declared = json.loads(json.dumps({**rules.identity(), "task": pairs.task}))
    if before:
        _require_same(place, before, declared, pairs.scores)
    result = _answer(rules, pairs, _measured(table.scores, names))
    if place is not None:
        content = {"declared": declared, "pairs": pairs.scores[: result.n].tolist()}
        replace_file(place, (dump(KIND, VERSION, content) + "\n").encode())
    return result


def found_policies(
    new: Any, baseline: Any, results: Any, reading: Mapping[str, Any]
) -> tuple[Trials | Mapping[str, Any], tuple[str, ...]]:
    """Return the trials of both policies, and their names, that of the new one last.

    Both are sources of trials, or names in ``results`` or, of the baseline, in the file ``new``.
    """
    _refuse_counts(new, results)
    given = {"baseline": baseline, "new": new}
    given = {
        usual: given_source for usual, given_source in given.items() if given_source is not None
    }
    named = baseline is None or (
        is_path(new) and isinstance(baseline, str) and not Path(baseline).exists()
    )
    together = results is not None or (named and is_place(new))
    for given_source in [new if results is None else results] if together else given.values():
        require(
            not is_path(given_source) or Path(given_source).exists(),
            f"{given_source}: there is no such file or folder",
        )
    trials: Any
    if not together:
        require(
            len({*map(is_place, given.values())}) == 1,
            "give the new policy and the baseline in the same way: both as files or frames, or "
            "both as scores",
        )
        names = [
            name_of(Path(given_source)) if is_path(given_source) else usual
            for usual, given_source in given.items()
        ]
        if len({*names}) < len(names):
            names = list(map(str, given.values()))
        sources = dict(zip(names, given.values(), strict=True))
        trials = read_trials(sources, **reading) if is_place(new) else sources
    else:
        source = new if results is None else results
        trials = source if isinstance(source, Trials) else read_trials(source, **reading)
        known = ", ".join(trials.policies)
        names = [] if baseline is None else [str(baseline)]
        others = [name for name in trials.policies if name not in names]
        if results is not None:
            others = [str(new)]
        require(
            len(others) == 1,
            f"{new} has {len(trials.policies)} policies ({known}): name the new one, and give the "
            "file with ",
            Setting("results"),
        )
        names += others
        for name in names:
            text = f"{name!r} is neither a file nor one of the policies: {known}"
            require(name in trials.policies, text)
    require(len({*names}) == len(given), f"the new policy and the baseline are both {names[0]!r}")
    return trials, tuple(names)


def _refuse_counts(new: Any, results: Any) -> None:
    require(
        results is not None or not isinstance(new, str) or not is_count(new) or Path(new).exists(),
        f"a gate takes single trials, in order, but got {new!r}: two counts are ",
        Setting("first", words="sw.compare('17/20', '14/20')"),
    )


def _aligned(
    trials: Any, names: tuple[str, ...], task: str | None, design: str | None, *, growing: bool
) -> Table:
    """Align the trials as ``analyze`` does, baseline first; while they grow, in their order."""
    if not isinstance(trials, Trials):
        return tables(trials, design=design)[0]
    require(
        task is not None or len(trials.tasks) == 1,
        f"a gate looks at one task, but there are {', '.join(trials.tasks)}: name one with ",
        Setting("task"),
    )
    return align(trials, task=task, design=design or "auto", policies=names, in_turn=not growing)


def _checked(table: Table, names: tuple[str, ...]) -> tuple[Table, Table]:
    """Return all trials, and the rows in which both policies have one."""
    require(
        not table.bounds_inferred,
        "a gate needs bounds that were declared before the data, not those of the data",
        parameter="bounds",
    )
    scale, notes = Scale(*(table.bounds or (0.0, 1.0))), checkpoints_only(table)
    if table.bounds is None:
        notes = (*notes, BOUNDS_UNDECLARED)
    table.check(scale.check)
    table = table.clipped(scale)
    whole = ~np.isnan(table.scores).any(axis=1)
    require(bool(whole.any()), f"no trial of {names[-1]} meets one of {names[0]}")
    # Unless paired, the later trials of one policy only have no partner yet.
    if table.design == "paired" and not whole.all():
        notes = (*notes, ROWS_INCOMPLETE)
    table = replace(table, bounds=scale.ends, notes=(*table.notes, *notes))
    return table, replace(table, scores=table.scores[whole])


def _measured(scores: Floats, names: tuple[str, ...]) -> Measured:
    counts = (~np.isnan(scores)).sum(axis=0).tolist()
    means = np.nanmean(scores, axis=0).tolist()
    return Measured(
        trials=dict(zip(names, counts, strict=True)), means=dict(zip(names, means, strict=True))
    )


def claims(rules: Rules) -> tuple[Rules, Rules]:
    """Rules of both tests: null mean1 <= mean0 - m, and null mean1 >= mean0 - m."""
    return rules, replace(rules, alternative="less", margin=-rules.margin)


def _answer(rules: Rules, pairs: Table, all_trials: Measured) -> GateResult:
    scores = pairs.arranged(rules.reading.run)
    not_worse, worse = (
        SequentialTest.under(claim).run(*scores.T, beyond=True) for claim in claims(rules)
    )
    ends = {PASS: not_worse.n_decided, FAIL: worse.n_decided}
    n = min((end for end in ends.values() if end is not None), default=not_worse.n)
    first = [answer for answer, end in ends.items() if end == n]
    # Both at once (at absurd levels only) would say nothing.
    answer = first[0] if len(first) == 1 else UNDECIDED
    warnings, (old, new) = answered(pairs.notes), rules.policies[:2]
    if not_worse.dependence is not None:
        text = dependence_text(old, new, not_worse.dependence, rules.method)
        warnings.append(Message(text, code=f"scores-{not_worse.dependence}"))
    gaps = np.diff(pairs.scores).ravel()
    if answer != UNDECIDED and gaps.size > n and changes(gaps):
        warnings.append(sorted_rows(old, new))
    warnings += wide_bounds(pairs)
    broader = rules.reading.broader()
    if broader is not None:
        level = f"(a claim of its own at alpha {rules.alpha:g})"
        headline = _answer(broader, pairs, all_trials).headline
        warnings.insert(0, f"for new scenes and runs {level}: {headline}")
    return GateResult(
        answer=answer,
        n=n,
        not_worse=not_worse,
        worse=worse,
        rules=rules,
        spread=float(gaps[: not_worse.n].std()),
        all_trials=all_trials,
        decision=None if answer == UNDECIDED else _measured(scores[:n], tuple(all_trials.trials)),
        task=pairs.task,
        warnings=tuple(warnings),
        about=pairs.checkpoint_claim,
    )


KIND, VERSION = "stopwise gate", 1


def _remembered(place: Path) -> dict[str, Any]:
    """What the state holds: nothing on the first night."""
    require(place.parent.is_dir(), f"{place}: there is no folder {place.parent}")
    if not place.exists():
        return {}
    try:
        return load(KIND, VERSION, place.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, InvalidState) as error:
        raise InvalidState(f"{place}: this is not the state of a gate ({error})") from error


def _require_same(
    place: Path | None, before: Mapping[str, Any], now: Mapping[str, Any], scores: Floats
) -> None:
    """Raise unless rules and past are those that are remembered."""
    then = before["declared"]
    for name in {**then, **now}:
        require(
            then.get(name) == now.get(name),
            f"{place}: {name} was {_text(then.get(name))} before, but is now "
            f"{_text(now.get(name))}; keep it as it was, or begin another state",
        )
    counted = np.array(before["pairs"], dtype=float).reshape(-1, 2)
    require(
        np.array_equal(scores[: len(counted)], counted),
        f"{place}: some of the {len(counted)} pairs counted before have changed or are missing; "
        "give all trials each time, old ones first and as they were",
    )


def _text(value: object) -> str:
    return "not given" if value is None else json.dumps(value, ensure_ascii=False)
