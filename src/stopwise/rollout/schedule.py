"""Which episode is run next, and which results count: no clock, no worker, no file.

Tickets are handed out row by row. Results come back in any order; each counts by its row alone.
``Lookahead`` says how far ahead of the present row, which bounds both what waits and what is run
beyond the stop. See docs/design/rollouts.md.
"""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping

from stopwise.core.readings.score import Shown
from stopwise.errors import InvalidInput, require
from stopwise.messages import Message, Setting, named
from stopwise.questions.question import Places, complete
from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.lookahead import Lookahead
from stopwise.rollout.stop_rule import StopRule
from stopwise.rollout.stopped import RaceStopped

# So many episodes of a policy, all of them failed, stop a race whatever failures count as. If half
# of them fail by chance, that happens to one policy in a thousand.
FAILURES = 10


class EpisodeFailed(RaceStopped):
    """An episode that counts failed, and the race stops at that; nothing is lost."""

    complete = True


class ScoreOutside(EpisodeFailed, InvalidInput):
    """The score of an episode that counts is not one that was declared possible."""


class FailureRule:
    """What an episode without a score counts as: "raise", "void" (no trial) or "score:X"."""

    def __init__(self, on_error: str) -> None:
        text = f" must be raise, void or score:NUMBER, but got {on_error!r}"
        message = Message(named("on_error"), text)
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
    failures
        What an episode without a score counts as.
    task_of
        The task of row and policy (by number), where there are several.
    """

    def __init__(
        self,
        rule: StopRule,
        seed_of: Callable[[int, int], int],
        *,
        failures: FailureRule,
        task_of: Callable[[int, int], str] | None = None,
    ) -> None:
        self.rule, self.failures = rule, failures
        self._seed_of, self._task_of = seed_of, task_of
        self._numbers = {policy: number for number, policy in enumerate(rule.policies)}
        self._joins: deque[tuple[str, int]] = deque()  # to come, with their rows
        self._next: defaultdict[str, int] = defaultdict(int)  # by policy, the number to hand out
        self._lookahead: Lookahead | None = None
        self._episodes: dict[tuple[str, int], Episode] = {}
        self._scored: list[tuple[Episode, float | None]] = []
        self._judgements: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()

    @property
    def over(self) -> bool:
        """Whether no further result is needed, and nobody is awaited who may need one."""
        return self.rule.stop and not self.rule.waits

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

    def take(self, room: int, capacity: int | None = None, width: int = 1) -> list[Ticket]:
        """Return up to so many tickets to run now, the nearest rows first.

        Parameters
        ----------
        room
            How many there is room for now.
        capacity
            How many can ever be under way; by default as many as there is room for.
        width
            How many of one policy take no longer than one: they are handed out together.
        """
        tickets: list[Ticket] = []
        places = {} if self.rule.stop else self.rule.places
        while len(tickets) < room:
            ahead = {policy: self._ahead(policy, own) for policy, own in places.items()}
            policy = self._nearest(ahead, places, capacity or room)
            if policy is None:
                break
            beside = range(min(width, room - len(tickets)))
            tickets += [self._ticket(policy) for _ in beside if self._in_time(policy, places)]
        return tickets

    def restore(self, episodes: Iterable[Episode], joined: Mapping[str, int] | None = None) -> None:
        """Take in what an earlier run brought back; those places get no ticket.

        With those who joined it, and after how many rows: they join again at these.
        """
        for episode in episodes:
            self._episodes.setdefault(episode.place, episode)
        self._joins.extend((joined or {}).items())
        self._follow()

    def join(self, policy: str) -> None:
        """Let a policy take part from the next row on."""
        self._joins.append((policy, self.rule.rows))
        self._follow()

    def receive(self, *episodes: Episode) -> None:
        """Take results in; a second one of a place changes nothing.

        Raises
        ------
        EpisodeFailed
            If they complete a row with a failure that stops the race, or all of a policy failed.
        """
        before = self.count
        for episode in episodes:
            self._episodes.setdefault(episode.place, episode)
        if self.count > before:
            self._follow()

    def _follow(self) -> None:
        """Look at all rows that are complete, and let those join whose row has come."""
        self.rule.follow(self._row)
        while self._joins and self._joins[0][1] <= self.rule.rows:
            policy, _ = self._joins.popleft()
            self.rule.join(policy)
            self.rule.follow(self._row)
        for policy, failed in self._failures.items():
            if failed == self._judgements[policy] and (failed >= FAILURES or self.over):
                last = next(e for e in reversed(self.used) if e.policy == policy)
                raise self._stopped(
                    EpisodeFailed,
                    f"every episode of {policy!r} so far failed, {failed} of {failed}, the last "
                    f"with: {last.error}; this says more about the set-up than about the policy",
                )

    def _ahead(self, policy: str, own: range) -> int:
        """Number of rows by which the policy's next ticket is ahead."""
        number = max(self._next[policy], own.start)
        while (policy, number) in self._episodes:  # of an earlier run
            number += 1
        self._next[policy] = number
        return (number - own.start) // len(own)

    def _in_time(self, policy: str, places: Places) -> bool:
        """Whether the policy's next ticket is of a row that there will be."""
        ahead = self._ahead(policy, places[policy])
        return self.rule.n_max is None or self.rule.rows + ahead < self.rule.n_max

    def _nearest(self, ahead: Mapping[str, int], places: Places, capacity: int) -> str | None:
        """Return the policy to be tried next, or None if all is begun that should be."""
        begun = sum(self._next[policy] - own.start for policy, own in places.items()) / capacity
        for policy in sorted(ahead, key=ahead.__getitem__):
            if ahead[policy] == 0:
                return policy
            if self._lookahead is None or self._lookahead.rows != self.rule.rows:
                self._lookahead = Lookahead(self.rule)
            allowed = self._lookahead.allows(policy, ahead[policy], begun)
            if allowed and self._in_time(policy, places):
                return policy
        return None

    def _ticket(self, policy: str) -> Ticket:
        """Return the policy's next ticket."""
        number = self._next[policy]
        self._next[policy] += 1
        place = number, self._numbers[policy]
        task = None if self._task_of is None else self._task_of(*place)
        return Ticket(policy, number, self._seed_of(*place), task)

    def _row(self, places: Places) -> dict[str, list[Shown]] | None:
        """Return the scores of a row, or None as long as one of its episodes is awaited."""
        wanted = [(policy, number) for policy, own in places.items() for number in own]
        if self._joins and self._joins[0][1] <= self.rule.rows:
            return None  # not before this policy has joined
        if any(place not in self._episodes for place in wanted):
            return None
        # All are judged before any is shown: an error leaves the row as it was.
        judged = {place: self._judged(self._episodes[place]) for place in wanted}
        for policy, number in wanted:
            self._judgements[policy] += 1
            if self._episodes[policy, number].error is not None:
                self._failures[policy] += 1
        self._scored += [(self._episodes[place], score) for place, score in judged.items()]
        return complete(lambda *place: judged[place], places)

    def _judged(self, episode: Episode) -> float | None:
        """Return the score that counts, None for no trial, or raise."""
        if episode.error is None:
            assert episode.score is not None
            try:
                self.rule.check(episode.policy, episode.score)
            except InvalidInput as error:
                raise self._stopped(ScoreOutside, error.message) from None
            return episode.score
        if self.failures.kind == "raise":
            task = "" if episode.task is None else f", task {episode.task}"
            message = Message(
                f"the episode of {episode.policy!r} in row {episode.row} (seed {episode.seed}"
                f"{task}) failed: {episode.error}; to go on, choose ",
                Setting("on_error", "score:0"),
                " or ",
                Setting("on_error", "void"),
            )
            raise self._stopped(EpisodeFailed, message)
        return self.failures.score

    def _stopped(self, kind: type[EpisodeFailed], message: str) -> EpisodeFailed:
        """Return the error that stops the race, with everything that came back."""
        stopped = kind(message)
        stopped.episodes = self.episodes
        return stopped
