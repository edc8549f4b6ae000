"""What a worker keeps loaded, and how it runs its tickets; the same wherever it lives."""

import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

from stopwise.core.scores import is_number
from stopwise.errors import InvalidInput, StopwiseError
from stopwise.messages import Setting
from stopwise.policies.import_path import made
from stopwise.rollout.environments import Arena, Measures, arena
from stopwise.rollout.episode import Episode, Ticket


@dataclass(frozen=True, kw_only=True)
class Setup:
    """All that a worker needs, as the user gave it to ``race``."""

    env: Any
    policies: Mapping[str, Any]
    score: str | Callable[[Measures], float] | None
    timeout: float | None
    success: str = "last"

    def worker(self) -> "Worker":
        """Return a worker, as a fleet needs it."""
        return Worker(self)

    def failed(self, ticket: Ticket, error: str, seconds: float) -> Episode:
        """Return the episode of a ticket whose worker was lost, or took too long."""
        return Episode.failed(ticket, error, seconds)


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A policy that joins a race under way, sent in place of tickets; as bytes, as the rest was."""

    name: str
    payload: bytes


class Worker:
    """Runs tickets; the environment is made at once, a policy when it is first needed.

    Of several tasks all but the first environment are made when they are first needed, too. With a
    time-out everything is loaded at once.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._envs = dict(setup.env) if isinstance(setup.env, Mapping) else {None: setup.env}
        self._arenas: dict[str | None, Arena] = {}
        self._policies = dict(setup.policies)
        self._loaded: dict[str, Any] = {}
        self._players: dict[tuple[str, str | None], Any] = {}
        self.width = self._arena(next(iter(self._envs))).width
        for policy in setup.policies:
            self._load_in_time(policy)

    def join(self, name: str, policy: Any) -> None:
        """Take a policy that joins."""
        self._policies[name] = policy
        self._load_in_time(name)

    def run(self, tickets: Sequence[Any]) -> list[Episode]:
        """Return one episode per ticket; whatever goes wrong in one is its outcome."""
        if tickets and isinstance(tickets[0], Newcomer):
            for own in tickets:
                self.join(own.name, pickle.loads(own.payload))
            return []
        found: list[Episode] = []
        # Tickets of one policy together, so that a vector environment can be filled.
        ordered = sorted(tickets, key=attrgetter("policy", "row"))
        ordered.sort(key=lambda ticket: (ticket.policy, ticket.task or ""))
        for (policy, task), group in groupby(ordered, key=attrgetter("policy", "task")):
            own, width = list(group), self._arena(task).width
            for start in range(0, len(own), width):
                found += self._run(policy, task, own[start : start + width])
        return found

    def close(self) -> None:
        """Close every environment, and the policies that were made here and can be closed."""
        for place in self._arenas.values():
            place.close()
        for name, policy in self._loaded.items():
            if policy is not self._policies[name]:
                getattr(policy, "close", lambda: None)()

    def _run(self, policy: str, task: str | None, tickets: list[Ticket]) -> list[Episode]:
        seeds, player = [ticket.seed for ticket in tickets], self._player(policy, task)
        begin = time.perf_counter()
        outcomes: Sequence[Measures | BaseException]
        try:
            outcomes = self._arenas[task].episodes(player, seeds, self._setup.timeout)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever the user's code raises is an outcome, exits too
            outcomes = [error] * len(tickets)
        seconds = (time.perf_counter() - begin) / len(tickets)
        return [
            self._episode(ticket, outcome, seconds)
            for ticket, outcome in zip(tickets, outcomes, strict=True)
        ]

    def _load_in_time(self, policy: str) -> None:
        """With a time-out, load it now, so that loading takes nothing of an episode's time."""
        if self._setup.timeout is not None:
            for task in self._envs:
                self._player(policy, task)

    def _arena(self, task: str | None) -> Arena:
        """Environment of a task; an exception while making it is returned as an error."""
        if task not in self._arenas:
            try:
                self._arenas[task] = arena(self._envs[task], self._setup.success)
            except InvalidInput as error:
                place = "" if task is None else f"task {task!r}: "
                raise InvalidInput(f"{place}{error}") from error
        return self._arenas[task]

    def _player(self, policy: str, task: str | None) -> Any:
        """Return the policy, loaded; if it cannot be, that is an error and no failed episode."""
        if (policy, task) not in self._players:
            place = self._arena(task)
            try:
                if policy not in self._loaded:
                    self._loaded[policy] = made(self._policies[policy])
                self._players[policy, task] = place.player(self._loaded[policy])
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever the user's code raises
                raise StopwiseError(
                    f"policy {policy!r} cannot be loaded: {_line(error)}"
                ) from error
        return self._players[policy, task]

    def _episode(
        self, ticket: Ticket, outcome: Measures | BaseException, seconds: float
    ) -> Episode:
        if isinstance(outcome, BaseException):
            return Episode.failed(ticket, _line(outcome), seconds)
        chosen = self._chosen(outcome)
        try:
            score, length = _number(chosen(outcome)), outcome.get("length")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # the user's score may fail as well
            return Episode.failed(ticket, _line(error), seconds)
        return Episode(
            **ticket._asdict(),
            score=score,
            length=None if length is None else int(length),
            seconds=seconds,
        )

    def _chosen(self, measures: Measures) -> Callable[[Measures], Any]:
        """Measure that holds the score; a missing one is a usage error.

        That is an error and no failed episode: counted as failures, it would be a table of zeros.
        """
        score = self._setup.score
        if callable(score):
            return score
        # A function's own "score" comes before gymnasium's "return".
        name = score or ("score" if "score" in measures else "return")
        if name not in measures:
            usable = [key for key, value in measures.items() if not isinstance(value, Mapping)]
            best = "success" if "success" in usable else next(iter(usable), None)
            hint = () if best is None else (": choose with ", Setting("score", best))
            known = ", ".join(repr(key) for key in measures) or "nothing"
            text = f"the episode has no {name!r}, only {known}"
            raise InvalidInput(text, *hint)
        return itemgetter(name)


def _number(value: Any) -> float:
    value = value.item() if hasattr(value, "item") else value
    value = float(value) if isinstance(value, bool) else value
    if not is_number(value):
        raise StopwiseError(f"the score must be a finite number, but is {value!r}")
    return float(value)


def _line(error: BaseException) -> str:
    """Return an error as one line with its kind; our own need none."""
    text = " ".join(str(error).split())
    if isinstance(error, StopwiseError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
