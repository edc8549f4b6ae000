"""Which tickets are handed out, and which results count."""

from collections import Counter
from typing import Any

import pytest

from stopwise.errors import InvalidInput
from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.schedule import SPARE, EpisodeFailed, FailureRule, Schedule
from stopwise.rollout.stop_rule import StopRule


def schedule(on_error: str = "raise", policies: str = "ab", **rules: Any) -> Schedule:
    rule = StopRule(list(policies), **{"n_max": 50, **rules})
    return Schedule(rule, lambda row, policy: 10 * row + policy, failures=FailureRule(on_error))


def done(ticket: Ticket, score: float | None, error: str | None = None) -> Episode:
    return Episode(**ticket._asdict(), score=score, length=1, seconds=0.0, error=error)


def test_tickets_go_row_by_row_and_no_further_than_workers_need() -> None:
    plan = schedule()

    expected = [("a", 0, 0), ("b", 0, 1), ("a", 1, 10), ("b", 1, 11)]
    assert plan.take(4, 2) == [Ticket(*place) for place in expected]
    assert [(ticket.policy, ticket.row) for ticket in plan.take(100, 2)] == [("a", 2)]
    assert plan.take(100, 2) == []


def test_places_side_by_side_are_filled_with_one_policy() -> None:
    plan = schedule(n_max=5)

    assert [(t.policy, t.row) for t in plan.take(3, 3, 3)] == [("a", 0), ("a", 1), ("a", 2)]
    assert [(t.policy, t.row) for t in plan.take(3, 3, 3)] == [("b", 0), ("b", 1), ("b", 2)]
    assert [ticket.row for ticket in plan.take(100, 100, 3)] == [3, 4, 3, 4]


def test_a_policy_that_is_almost_out_is_not_begun_far_ahead() -> None:
    plan = schedule(policies="abc", n_max=None)
    scores = {"a": 0.9, "b": 0.8, "c": 0.0}
    while max(plan.rule.question.ways(plan.rule.standings())[policy][1] for policy in "abc") < 0.7:
        for ticket in plan.take(3, 3):
            plan.receive(done(ticket, scores[ticket.policy] + ticket.row % 2 / 10))
    begun = Counter(ticket.policy for ticket in plan.take(100, 100))

    assert begun["c"] < begun["a"] == begun["b"]


def test_a_slow_row_holds_the_others_back_and_nothing_is_lost() -> None:
    plan = schedule()
    first, *others = plan.take(100, 4)
    for ticket in others:
        plan.receive(done(ticket, 0.5))
    assert plan.rule.rows == 0
    assert plan.take(100, 4) == []

    plan.receive(done(first, 0.5))

    assert plan.rule.rows == 5
    assert len(plan.take(100, 4)) == 10
    plan.receive(done(first, 1.0))
    assert (plan.count, plan.episodes[-1].score) == (10, 0.5)


def test_overshoot_is_kept_apart_and_bounded() -> None:
    plan = schedule()
    while not plan.over:
        for ticket in reversed(plan.take(100, 8)):
            plan.receive(done(ticket, float(ticket.policy == "a")))

    assert plan.rule.decided
    assert len(plan.used) == 2 * plan.rule.rows
    assert {episode.row for episode in plan.used} == set(range(plan.rule.rows))
    assert all(episode.row >= plan.rule.rows for episode in plan.overshoot)
    assert len(plan.used) + len(plan.overshoot) == plan.count
    assert 0 < len(plan.overshoot) <= SPARE * 8
    assert plan.take(100) == []


def test_a_failure_counts_only_where_its_row_counts() -> None:
    plan = schedule()
    tickets = plan.take(100, 4)
    plan.receive(done(tickets[5], None, "it broke"))
    for ticket in tickets[:4]:
        plan.receive(done(ticket, 0.5))
    assert plan.rule.rows == 2

    with pytest.raises(EpisodeFailed, match=r"'b' in row 2 \(seed 21\) failed: it broke"):
        plan.receive(done(tickets[4], 0.5))

    assert plan.rule.rows == 2


@pytest.mark.parametrize(
    "wrong", ["", "ignore", "score", "score:", "score:x", "void:1", "score:nan"]
)
def test_unclear_choices_on_failures_are_refused(wrong: str) -> None:
    with pytest.raises(InvalidInput, match="on_error must be"):
        FailureRule(wrong)
