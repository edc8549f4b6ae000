"""Which episode is run next, and which results count: no clock, no worker, no file.

Tickets are handed out row by row. Results come back in any order; each counts by its row alone.
At most ``window`` rows are begun and not yet looked at, which bounds both what waits and what is
run beyond the stop. See docs/design/rollouts.md.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable

from stopwise.core.delegated import Delegated
from stopwise.errors import InvalidInput, StopwiseError, require
from stopwise.messages import Message, Setting, named
from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.stop_rule import StopRule


class EpisodeFailed(StopwiseError):
    """An episode that counts failed, and the race was told to stop at that.

    Attributes
    ----------
    episodes
        Every episode that came back until then, in order of arrival.
    """

    episodes: tuple[Episode, ...] = ()


class FailureRule:
    """What an episode without a score counts as.

    Parameters
    ----------
    on_error
        "raise", "void" (no trial) or "score:X" (the score X).
    """

    def __init__(self, on_error: str) -> None:
        text = f" must be raise, void or score:NUMBER, but got {on_error!r}"
        message = Message(named("on_error"), text, code="unknown-choice")
        require(isinstance(on_error, str), message)
        kind, _, value = on_error.partition(":")
        require(kind in ("raise", "void", "score") and bool(value) == (kind == "score"), message)
        try:
            score = float(value) if kind == "score" else 0.0
        except ValueError as error:
            raise InvalidInput(message) from error
        require(math.isfinite(score), message)
        self.kind = kind
        self.score = score if kind == "score" else None


class Schedule:
    """Hands out tickets, takes results in, and knows when it is over.

    Parameters
    ----------
    rule
        The stopping rule; its rows are those of the schedule.
    seed_of
        The seed of row and policy (by number).
    window
        The greatest number of rows begun and not yet looked at.
    failures
        What an episode without a score counts as.
    """

    def __init__(
        self,
        rule: StopRule,
        seed_of: Callable[[int, int], int],
        *,
        window: int,
        failures: FailureRule,
    ) -> None:
        self.rule, self.window, self.failures = rule, window, failures
        self._seed_of = seed_of
        self._numbers = {policy: number for number, policy in enumerate(rule.policies)}
        self._begun = 0
        self._queue: deque[Ticket] = deque()
        self._episodes: dict[tuple[str, int], Episode] = {}
        self._scored: list[tuple[Episode, float | None]] = []

    over = Delegated[bool]("rule.stop", "Whether no further result is needed.")

    @property
    def count(self) -> int:
        """How many episodes came back."""
        return len(self._episodes)

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """Every episode that came back, in order of arrival."""
        return tuple(self._episodes.values())

    @property
    def used(self) -> tuple[Episode, ...]:
        """The episodes on which the verdict rests, row by row."""
        return tuple(episode for episode, _ in self._scored)

    @property
    def scored(self) -> list[tuple[Episode, float]]:
        """The same with the score that counts, without those that count as no trial."""
        return [(episode, score) for episode, score in self._scored if score is not None]

    @property
    def overshoot(self) -> tuple[Episode, ...]:
        """Episodes that came back and do not count, because the verdict did not need them."""
        used = {episode.place for episode in self.used}
        return tuple(found for found in self._episodes.values() if found.place not in used)

    def take(self, most: int) -> list[Ticket]:
        """Return up to so many tickets to run now, in the order of their rows."""
        tickets: list[Ticket] = []
        while len(tickets) < most and not self.over:
            if self._queue:
                ticket = self._queue.popleft()
                if ticket.policy in self.rule.needed:
                    tickets.append(ticket)
            elif self._may_begin():
                self._begin()
            else:
                break
        return tickets

    def restore(self, episodes: Iterable[Episode]) -> None:
        """Take in what an earlier run brought back; those places get no ticket."""
        for episode in episodes:
            self._episodes.setdefault(episode.place, episode)
        self.rule.follow(self._row)

    def receive(self, episode: Episode) -> bool:
        """Take one result in; return False if its place has one already.

        Raises
        ------
        EpisodeFailed
            If it completes a row with a failure, and failures stop the race.
        """
        if episode.place in self._episodes:
            return False
        self._episodes[episode.place] = episode
        self.rule.follow(self._row)
        return True

    def _may_begin(self) -> bool:
        inside = self.rule.n_max is None or self._begun < self.rule.n_max
        return inside and self._begun < self.rule.rows + self.window

    def _begin(self) -> None:
        row, self._begun = self._begun, self._begun + 1
        self._queue.extend(
            Ticket(policy, row, self._seed_of(row, self._numbers[policy]))
            for policy in self.rule.needed
            if (policy, row) not in self._episodes
        )

    def _row(self, row: int, needed: tuple[str, ...]) -> dict[str, float] | None:
        """Return the scores of a row, or None as long as one of its episodes is awaited."""
        found = [self._episodes.get((policy, row)) for policy in needed]
        episodes = [episode for episode in found if episode is not None]
        if len(episodes) < len(found):
            return None
        # All are judged before any is shown: an error leaves the row as it was.
        scored = [(episode, self._judged(episode)) for episode in episodes]
        self._scored += scored
        return {episode.policy: score for episode, score in scored if score is not None}

    def _judged(self, episode: Episode) -> float | None:
        """Return the score that counts, None for no trial, or raise."""
        if episode.error is None:
            assert episode.score is not None
            self.rule.check(episode.policy, episode.score)
            return episode.score
        if self.failures.kind == "raise":
            failed = EpisodeFailed(
                f"the episode of {episode.policy!r} in row {episode.row} (seed {episode.seed}) "
                f"failed: {episode.error}; to go on, choose ",
                Setting("on_error", "score:0"),
                " or ",
                Setting("on_error", "void"),
                code="episode-failed",
            )
            failed.episodes = self.episodes
            raise failed
        return self.failures.score
