"""The loop of a race: tickets out, episodes in, each written down before it is looked at."""

import time
from collections.abc import Callable

from stopwise.rollout.checkpoints import PAUSE, Checkpoints, identity_of
from stopwise.rollout.executors import Executor
from stopwise.rollout.interrupts import undivided
from stopwise.rollout.journal import Journal
from stopwise.rollout.schedule import Schedule
from stopwise.rollout.sight import RaceProgress

# Progress is worked out for people, who look no more often: many episodes may end meanwhile.
SECONDS_BETWEEN_REPORTS = 0.1


def drive(
    schedule: Schedule,
    executor: Executor,
    journal: Journal | None = None,
    on_progress: Callable[[RaceProgress], None] | None = None,
    arrivals: Checkpoints | None = None,
) -> float:
    """Run until the schedule is over; return the seconds it took.

    Checkpoints that appear join, if that was declared. Where nothing can be tried before one does,
    it is waited for.
    """
    begin, rule = time.monotonic(), schedule.rule
    waits, told = False, -SECONDS_BETWEEN_REPORTS

    def tell() -> None:
        nonlocal told
        seconds = time.monotonic() - begin
        if on_progress is not None and (
            schedule.over or rule.waits or seconds - told >= SECONDS_BETWEEN_REPORTS
        ):
            told = seconds
            about = {"episodes": schedule.count, "p_values": rule.p_values, "seconds": seconds}
            on_progress(RaceProgress.of(rule, **about))

    while not schedule.over:
        appeared = {} if arrivals is None else arrivals.appeared(rule.awaited)
        for name, policy in appeared.items():
            executor.join(name, policy)
            if journal is not None:
                journal.join(name, rule.rows, str(identity_of(policy)))
            schedule.join(name)
        if rule.waits:
            if not waits:
                tell()
            time.sleep(PAUSE)
        waits = rule.waits
        executor.submit(schedule.take(executor.room, executor.capacity, executor.width))
        episodes = executor.collect()
        with undivided():  # journal and rule agree
            if journal is not None:
                for episode in episodes:
                    journal.add(episode)
            schedule.receive(*episodes)
        if episodes:
            tell()
    return time.monotonic() - begin
