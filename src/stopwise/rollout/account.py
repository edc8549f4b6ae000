"""From the schedule of a race to what users hold: its progress and its result."""

from collections import Counter
from collections.abc import Mapping, Sequence

from stopwise.data.trials import Trials
from stopwise.rollout.projection import remaining_rows
from stopwise.rollout.result import Progress, RaceResult
from stopwise.rollout.schedule import Schedule

__all__ = ["progress_of", "result_of"]


def progress_of(schedule: Schedule, seconds: float) -> Progress:
    """Return how the race stands."""
    rule, standings = schedule.rule, schedule.rule.standings()
    return Progress(
        episodes=schedule.count,
        rows=rule.rows,
        n_max=rule.n_max,
        needed=rule.needed,
        standings=standings,
        remaining=remaining_rows(standings, alpha=rule.alpha, rows=rule.rows, n_max=rule.n_max),
        seconds=seconds,
    )


def result_of(
    schedule: Schedule, *, retries: int, abandoned: int, seconds: float, notes: Sequence[str]
) -> RaceResult:
    """Return the result of a race that is over."""
    rule = schedule.rule
    failed = Counter(e.policy for e in schedule.used if e.error is not None)
    failures = {policy: failed[policy] for policy in rule.policies}
    warnings = [*notes, *_on_failures(schedule, failures), *_on_retries(retries)]
    return RaceResult(
        analysis=rule.analysis(warnings=warnings),
        trials=_trials(schedule, warnings),
        episodes=schedule.episodes,
        overshoot=schedule.overshoot,
        abandoned=abandoned,
        failures=failures,
        retries=retries,
        rows=rule.rows,
        window=schedule.window,
        decided=rule.decided,
        seconds=seconds,
    )


def _on_failures(schedule: Schedule, failures: Mapping[str, int]) -> list[str]:
    count = sum(failures.values())
    if not count:
        return []
    who = ", ".join(f"{policy} {number}" for policy, number in failures.items())
    if schedule.failures.kind == "score":
        return [
            f"{count} failed episodes count as score {schedule.failures.score:g} ({who}): the "
            "claim is about scores with failures so counted, and holds if episodes fail by "
            "themselves and not by the load of the machine"
        ]
    return [
        f"{count} failed episodes were left out ({who}): the claim is only about episodes that do "
        "not fail, and is void if whether one fails depends on how well it goes"
    ]


def _on_retries(retries: int) -> list[str]:
    if not retries:
        return []
    return [
        f"{retries} episodes were run anew because their worker was lost, which is valid if that "
        "does not depend on how well they go"
    ]


def _trials(schedule: Schedule, notes: Sequence[str]) -> Trials:
    """Return the scores that count; in a paired design the row is the block."""
    scored = schedule.scored
    columns: dict[str, list[object]] = {
        "policy": [episode.policy for episode, _ in scored],
        "score": [score for _, score in scored],
    }
    if schedule.rule.design == "paired":
        columns["block"] = [str(episode.row) for episode, _ in scored]
    return Trials.from_columns(columns, bounds=schedule.rule.bounds, notes=notes)
