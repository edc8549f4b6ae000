"""The question whether any policy is better than the baseline ends with the first that is."""

import numpy as np
import pytest

import stopwise as sw
from stopwise.questions import resume
from tests.guarantees.pinned import assert_at_most

NAMES = ("base", "new", "newer")


def rule(**settings: object) -> sw.StopRule:
    asked = {"baseline": "base", "n_max": 60, **settings}
    return sw.StopRule(NAMES, goal="improve", **asked)  # type: ignore[arg-type]


def play(asked: sw.StopRule, rates: tuple[float, ...], seed: int) -> sw.StopRule:
    rng = np.random.default_rng(seed)
    for scores in (rng.random((60, 3)) < rates).astype(float).tolist():
        for name in asked.needed:
            asked.add(name, scores[NAMES.index(name)])
    return asked


def test_it_ends_with_the_first_that_is_better() -> None:
    ended = play(rule(), (0.1, 0.5, 0.9), 1)
    live = ended.analysis()
    more = {name: [*own, *own] for name, own in live.scores.items()}
    filed = sw.analyze(more, goal="improve", baseline="base", n_max=60, bounds=(0, 1))

    assert (ended.stop, ended.decided, live.order_text) == (True, True, "newer > base; new ? base")
    assert ended.rows < 20
    assert [own.trials_used for own in filed.policies] == [ended.rows] * 3
    assert filed.pairs[0].p_value == live.pairs[0].p_value
    assert "Is any policy better than the baseline?" in filed.to_html()


def test_it_goes_on_while_policies_are_only_worse() -> None:
    ended = play(rule(), (0.9, 0.1, 0.9), 2)
    assert (ended.rows, ended.decided) == (60, False)
    assert ended.standings()[0].better == "base"
    assert resume(ended._question.to_json()).standings() == ended.standings()


def test_equal_policies_are_called_better_with_at_most_alpha() -> None:
    """Looking at both policies at the whole level instead would double the errors."""
    ends = [play(rule(alpha=0.2), (0.5, 0.5, 0.5), seed).decided for seed in range(100)]
    assert_at_most(sum(ends), 100, 0.2)


def test_it_needs_a_baseline_and_has_no_plan() -> None:
    with pytest.raises(sw.InvalidInput, match="needs one"):
        rule(baseline=None)
    with pytest.raises(sw.InvalidInput, match="offered for the goal 'order' only"):
        sw.plan(0.5, 0.7, goal="improve", baseline=True)
