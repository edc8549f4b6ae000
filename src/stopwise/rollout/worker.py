"""What a worker keeps loaded, and how it runs its tickets; the same wherever it lives."""

import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

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


class Ready(NamedTuple):
    """The answer of a worker elsewhere, once it is ready."""

    width: int  # tickets of one policy that take no longer than one, side by side


class Worker:
    """Runs tickets; the environment is made at once, a policy when it is first needed.

    Of several tasks all but the first environment are made when they are first needed, too. With a
    time-out policies are loaded at once, so that loading takes nothing of an episode's time.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._envs = dict(setup.env) if isinstance(setup.env, Mapping) else {None: setup.env}
        self._arenas: dict[str | None, Arena] = {}
        self._policies: dict[str, Any] = {}
        self._loaded: dict[str, Any] = {}
        self._players: dict[tuple[str, str | None], Any] = {}
        self.width = self._arena(next(iter(self._envs))).width
        for name, policy in setup.policies.items():
            self.join(name, policy)

    def join(self, name: str, policy: Any) -> None:
        self._policies[name] = policy
        if self._setup.timeout is not None:
            for task in self._envs:
                self._player(name, task)

    def run(self, tickets: Sequence[Ticket]) -> list[Episode]:
        """Return one episode per ticket; whatever goes wrong in one is its outcome."""

        def group(ticket: Ticket) -> tuple[str, str]:
            return ticket.policy, ticket.task or ""

        episodes: list[Episode] = []
        # Tickets of one policy together, so that a vector environment can be filled.
        for _, alike in groupby(sorted(tickets, key=lambda t: (*group(t), t.row)), key=group):
            batch = list(alike)
            width = self._arena(batch[0].task).width
            for start in range(0, len(batch), width):
                episodes += self._run(batch[start : start + width])
        return episodes

    def close(self) -> None:
        for place in self._arenas.values():
            place.close()
        for name, policy in self._loaded.items():
            if policy is not self._policies[name]:
                getattr(policy, "close", lambda: None)()

    def _run(self, tickets: list[Ticket]) -> list[Episode]:
        policy, _, _, task = tickets[0]
        player = self._player(policy, task)
        begin = time.perf_counter()
        outcomes: Sequence[Measures | BaseException]
        try:
            seeds = [ticket.seed for ticket in tickets]
            outcomes = self._arenas[task].episodes(player, seeds, self._setup.timeout)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # any exception of the user's code is an outcome
            outcomes = [error] * len(tickets)
        seconds = (time.perf_counter() - begin) / len(tickets)
        return [
            self._episode(ticket, outcome, seconds)
            for ticket, outcome in zip(tickets, outcomes, strict=True)
        ]

    def _arena(self, task: str | None) -> Arena:
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
        score = self._setup.score
        if not callable(score):
            score = _measure(outcome, score)
        try:
            number, length = _number(score(outcome)), outcome.get("length")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # the user's score may fail as well
            return Episode.failed(ticket, _line(error), seconds)
        length = None if length is None else int(length)
        return Episode(**ticket._asdict(), score=number, length=length, seconds=seconds)


class Hired(Worker):
    """A worker elsewhere, made of the setup as it was sent."""

    def __init__(self, payload: bytes) -> None:
        super().__init__(pickle.loads(payload))

    def ready(self) -> Ready:
        return Ready(self.width)

    def hear(self, payloads: Sequence[bytes]) -> None:
        for payload in payloads:
            self.join(*pickle.loads(payload))


def packed(thing: Any) -> bytes:
    """Return it as bytes; with cloudpickle, which gymnasium brings, lambdas go too."""
    pickler: Any = pickle
    try:
        import cloudpickle

        pickler = cloudpickle
    except ImportError:
        pass  # named functions and factories can still be sent
    try:
        return bytes(pickler.dumps(thing))
    except Exception as error:  # whatever the user's objects raise
        raise InvalidInput(
            f"env, policies or score cannot be sent to another process ({error}): give factories "
            "by name, package.module:name"
        ) from error


def _measure(measures: Measures, score: str | None) -> Callable[[Measures], Any]:
    """Look up the score; where it is missing, all episodes would fail: that is a usage error."""
    # A function's own "score" comes before gymnasium's "return".
    name = score or ("score" if "score" in measures else "return")
    if name not in measures:
        usable = [key for key, value in measures.items() if not isinstance(value, Mapping)]
        best = "success" if "success" in usable else next(iter(usable), None)
        hint = () if best is None else (": choose with ", Setting("score", best))
        known = ", ".join(repr(key) for key in measures) or "nothing"
        raise InvalidInput(f"the episode has no {name!r}, only {known}", *hint)
    return lambda _: measures[name]


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
