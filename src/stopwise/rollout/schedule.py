"""Which episode is run next, and which results count: no clock, no worker, no file.

Tickets are handed out row by row. Results come back in any order; each counts by its row alone.
How far ahead of the present row tickets go bounds both what waits and what is run beyond the stop:
too few, and workers wait for the slowest of a row; too many, and a verdict leaves them in vain. See
docs/design/rollouts.md.
"""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping

from stopwise.core.readings.score import Shown
from stopwise.errors import InvalidInput, require
from stopwise.messages import Message, Setting, named
from stopwise.questions.question import Places, complete
from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.stop_rule import StopRule
from stopwise.rollout.stopped import RaceStopped

# So many episodes of a policy, all of them failed, stop a race whatever failures count as. If half
# of them fail by chance, that happens to one policy in a thousand.
FAILURES = 10
# Episodes begun and not yet looked at, in units of what the executor holds: where episodes differ
# threefold in length, a row waits that long for its slowest; more of them are begun in vain.
SPARE = 2.5
# Rows that may be begun ahead before there is evidence, and more for each row seen: an easy race
# is over by then.
FIRST, MORE = 16, 2
# Of the rows that a policy is likely to need: it may need fewer, and then the rest is in vain.
LIKELY = 0.6
# What is likely is computed anew after each row of the first fifty, and then less and less often.
RENEWED = 1.02
# Whatever is likely, so much of what the executor holds is begun: nothing is known for sure.
LEAST = 0.5


class EpisodeFailed(RaceStopped):
    """An episode that counts failed, and the race stops at that; nothing is lost."""


class ScoreOutside(EpisodeFailed, InvalidInput):
    """The score of an episode that counts is not one that was declared possible."""


class FailureRule:
    """What an episode without a score counts as: "raise", "void" (no trial) or "score:X"."""

    def __init__(self, on_error: str) -> None:
        text = f" must be raise, void or score:NUMBER, but got {on_error!r}"
        message = Message(named("on_error"), text)
        require(isinstance(on_error, str), message)
        self.kind, _, value = on_error.partition(":")
        require(self.kind in ("raise", "void", "score"), message)
        require(bool(value) == (self.kind == "score"), message)
        try:
            self.score = float(value) if value else None
        except ValueError as error:
            raise InvalidInput(message) from error
        require(math.isfinite(self.score or 0.0), message)


class Schedule:
    """Hands out tickets, takes results in, and knows when it is over.

    Its rows are those of the stopping rule. ``seed_of`` gives the seed of row and policy (by
    number), ``task_of`` the task, where there are several.
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
        self.seed_of, self._task_of = seed_of, task_of
        self._numbers = {policy: number for number, policy in enumerate(rule.policies)}
        self._joins: deque[tuple[str, int]] = deque()  # to come, with their rows
        self._next: defaultdict[str, int] = defaultdict(int)  # by policy, the number to hand out
        self._likely: dict[str, float] = {}  # by policy, rows to begin ahead
        self._likely_at = -1  # as of this row
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
        return len(self._episodes)

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """Every episode that came back, in order of arrival."""
        return tuple(self._episodes.values())

    @property
    def used(self) -> tuple[Episode, ...]:
        return tuple(episode for episode, _ in self._scored)

    @property
    def scored(self) -> list[tuple[Episode, float]]:
        """The same with the score that counts, without those that count as no trial."""
        return [(episode, score) for episode, score in self._scored if score is not None]

    @property
    def overshoot(self) -> tuple[Episode, ...]:
        """Episodes that came back and do not count, because the verdict did not need them."""
        used = {episode.place for episode in self.used}
        return tuple(e for e in self._episodes.values() if e.place not in used)

    def take(self, room: int, capacity: int | None = None, width: int = 1) -> list[Ticket]:
        """Return up to ``room`` tickets to run now, the nearest rows first.

        At most ``capacity`` can ever be under way; ``width`` tickets of one policy take no longer
        than one, and are handed out together.
        """
        tickets: list[Ticket] = []
        places = {} if self.rule.stop else self.rule.places
        while len(tickets) < room:
            ahead = {policy: self._ahead(policy, numbers) for policy, numbers in places.items()}
            policy = self._nearest(ahead, places, capacity or room)
            if policy is None:
                break
            together = range(min(width, room - len(tickets)))
            tickets += [self._ticket(policy) for _ in together if self._in_time(policy, places)]
        return tickets

    def restore(self, episodes: Iterable[Episode], joined: Mapping[str, int] | None = None) -> None:
        """Take in what an earlier run brought back; those places get no ticket.

        With those who joined it, and after how many rows: they join again at these.
        """
        self._joins.extend((joined or {}).items())
        self._keep(episodes)
        self._follow()

    def join(self, policy: str) -> None:
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
        self._keep(episodes)
        if self.count > before:
            self._follow()

    def _keep(self, episodes: Iterable[Episode]) -> None:
        for episode in episodes:
            self._episodes.setdefault(episode.place, episode)

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
                raise EpisodeFailed(
                    f"every episode of {policy!r} so far failed, {failed} of {failed}, the last "
                    f"with: {last.error}; this says more about the set-up than about the policy"
                )

    def _ahead(self, policy: str, numbers: range) -> int:
        """Number of rows by which the policy's next ticket is ahead."""
        number = max(self._next[policy], numbers.start)
        while (policy, number) in self._episodes:  # of an earlier run
            number += 1
        self._next[policy] = number
        return (number - numbers.start) // len(numbers)

    def _in_time(self, policy: str, places: Places) -> bool:
        """Whether the policy's next ticket is of a row that there will be."""
        ahead = self._ahead(policy, places[policy])
        return self.rule.n_max is None or self.rule.rows + ahead < self.rule.n_max

    def _nearest(self, ahead: Mapping[str, int], places: Places, capacity: int) -> str | None:
        begun = (
            sum(self._next[policy] - numbers.start for policy, numbers in places.items()) / capacity
        )
        for policy in sorted(ahead, key=ahead.__getitem__):
            if ahead[policy] == 0:
                return policy
            if self._allows(policy, ahead[policy], begun) and self._in_time(policy, places):
                return policy
        return None

    def _allows(self, policy: str, ahead: int, begun: float) -> bool:
        """Whether to begin an episode so many rows ahead."""
        rows = self.rule.rows
        if rows > RENEWED * self._likely_at:
            ways = self.rule.question.ways(self.rule.standings())
            self._likely = {name: LIKELY * _rows_more(*standing) for name, standing in ways.items()}
            self._likely_at = rows
        if ahead > FIRST + MORE * rows or begun >= SPARE:
            return False
        return begun < LEAST or ahead <= max(self._likely.get(policy, math.inf), 1.0)

    def _ticket(self, policy: str) -> Ticket:
        number = self._next[policy]
        self._next[policy] += 1
        place = number, self._numbers[policy]
        task = None if self._task_of is None else self._task_of(*place)
        return Ticket(policy, number, self.seed_of(*place), task)

    def _row(self, places: Places) -> dict[str, list[Shown]] | None:
        """Return the scores of a row, or None as long as one of its episodes is awaited."""
        wanted = [(policy, number) for policy, numbers in places.items() for number in numbers]
        if self._joins and self._joins[0][1] <= self.rule.rows:
            return None  # not before this policy has joined
        if any(place not in self._episodes for place in wanted):
            return None
        # All are checked before any is added, so an error leaves the row unchanged.
        judged = {place: self._judged(self._episodes[place]) for place in wanted}
        self._judgements.update(policy for policy, _ in wanted)
        self._failures.update(
            policy for policy, number in wanted if self._episodes[policy, number].error is not None
        )
        self._scored += [(self._episodes[place], score) for place, score in judged.items()]
        return complete(lambda *place: judged[place], places)

    def _judged(self, episode: Episode) -> float | None:
        """Return the score that counts, None for no trial, or raise."""
        if episode.error is None:
            assert episode.score is not None
            try:
                self.rule.check(episode.policy, episode.score)
            except InvalidInput as error:
                raise ScoreOutside(error.message) from None
            return episode.score
        if self.failures.kind == "raise":
            task = "" if episode.task is None else f", task {episode.task}"
            raise EpisodeFailed(
                f"the episode of {episode.policy!r} in row {episode.row} (seed {episode.seed}"
                f"{task}) failed: {episode.error}; to go on, choose ",
                Setting("on_error", "score:0"),
                " or ",
                Setting("on_error", "void"),
            )
        return self.failures.score


def _rows_more(seen: int, share: float) -> float:
    """Return the rows likely to be needed if evidence grows as the square of the rows.

    So it does at first, while a method learns how much to bet.
    """
    return max(seen * (share**-0.5 - 1), 0.0) if share > 0 else math.inf
