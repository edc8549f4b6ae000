"""The error rate of races whose episodes take longer when they go well."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from benchmarks.speed.virtual_cluster import VirtualCluster
from stopwise.core.seeds import episode_seed
from stopwise.rollout.drive import drive
from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.schedule import FailureRule, Schedule
from stopwise.rollout.stop_rule import StopRule
from tests.guarantees.pinned import assert_at_most, assert_pinned

ALPHA, RUNS, N_MAX, WORKERS = 0.2, 2000, 20, 12
# Successes of one policy are slow, those of the other fast.
SLOWER = {"a": {0.0: 1.0, 1.0: 6.0}, "b": {0.0: 6.0, 1.0: 1.0}, "low": {0.0: 1.0, 1.0: 6.0}}


class ByArrival(Schedule):
    """The sabotage: the i-th result to arrive is taken for the i-th row."""

    def receive(self, *episodes: Episode) -> None:
        for episode in episodes:
            if not self.over and episode.policy in self.rule.needed:
                self.rule.add(episode.policy, episode.score)


def trial(rates: dict[str, float]) -> Callable[[Ticket], tuple[float, float]]:
    def run(ticket: Ticket) -> tuple[float, float]:
        rng = np.random.default_rng(ticket.seed)
        score = float(rng.random() < rates[ticket.policy])
        return score, SLOWER[ticket.policy][score] * rng.exponential()

    return run


def seed_of(seed: int, paired: bool, row: int, policy: int) -> int:
    return episode_seed(seed, row, policy, paired=paired)


def claims(
    kind: type[Schedule], rates: dict[str, float], runs: int, design: str, n_max: int = N_MAX
) -> int:
    """Return in how many of the races the tie of a and b was not left alone."""
    wrong = 0
    for run in range(runs):
        rule = StopRule(list(rates), alpha=ALPHA, n_max=n_max, design=design)
        schedule = kind(
            rule, partial(seed_of, run, design == "paired"), failures=FailureRule("raise")
        )
        drive(schedule, VirtualCluster(trial(rates)).fleet(WORKERS))
        tie = next(s for s in rule.standings() if {s.policy0, s.policy1} == {"a", "b"})
        wrong += tie.decided
    return wrong


@pytest.mark.slow("2,000 races: adds their error rate to the comparison with rows in order")
def test_durations_that_depend_on_the_score_do_no_harm() -> None:
    """2,000 null races on 12 virtual workers; results arrive far out of order.

    Sabotage caught: taking results in order of arrival, as the next test shows.
    """
    wrong = claims(Schedule, {"a": 0.5, "b": 0.5}, RUNS, "independent")

    assert_at_most(wrong, RUNS, ALPHA)
    assert_pinned("race, durations depend on the score", [wrong])


def test_results_in_order_of_arrival_would_be_caught() -> None:
    wrong = claims(ByArrival, {"a": 0.5, "b": 0.5}, 60, "independent")

    with pytest.raises(AssertionError):
        assert_at_most(wrong, 60, ALPHA)
