"""One address for the robot: while a trial runs, its policy answers there, and nobody else."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from stopwise.core.scores import as_numbers
from stopwise.policies.actor import Actor
from stopwise.policies.import_path import made
from stopwise.policies.openpi import PolicyServer, packed, unpacked
from stopwise.policies.router import LOG, Router, answered
from stopwise.study.runner_file import PRIVATE, PolicySource, RunnerFile
from stopwise.study.running import Running

CHECKED_WITHIN = 10.0  # seconds for a policy server to answer before the first trial


class Turn(Running):
    def __init__(
        self, answer: Callable[[bytes], bytes | str], close: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__()
        self._answer, self._close = answer, close
        self._silent = False

    def __call__(self, message: bytes) -> bytes | str:
        answer = self._answer(message)
        self._silent = self._silent or isinstance(answer, str)
        return answer

    def stop(self) -> None:
        """Answer no more."""
        if not self.done.is_set():
            self._ended(failed=self._silent)
            self._close()


class Switchboard:
    """Serves the policies that are no commands, by openpi's protocol.

    A robot that connects is greeted when a trial runs, so that what it sees is not old. If it has
    no command of its own in the file, it ends the episode by leaving, and connects again for the
    next one. Policies of this process are made at once, and servers are tried.
    """

    def __init__(self, file: RunnerFile) -> None:
        self._file = file
        self._now: Turn | None = None
        self._here: dict[str, _Here] = {}
        for name, way in file.policies.items():
            if way.served:
                server = PolicyServer(str(way.policy), patience=CHECKED_WITHIN)
                server.renew()
                server.close()
            elif way.policy is not None:
                self._here[name] = _here(made(way.policy))

    @contextmanager
    def open(self, log: Path) -> Iterator[None]:
        """Serve for the time of the block; faults of policies are told to a private file alone."""
        log.touch(mode=PRIVATE)
        handler = logging.FileHandler(log)
        LOG.addHandler(handler)
        LOG.propagate = False
        address = self._file.router
        try:
            with Router(self._choose, left=self._left, **address.model_dump()):
                yield
        finally:
            LOG.removeHandler(handler)
            LOG.propagate = True
            handler.close()

    def turn(self, policy: str, way: PolicySource, seed: int) -> Turn:
        if way.served:
            server = PolicyServer(str(way.policy))
            self._now = Turn(lambda message: answered(server, message), server.close)
        else:
            here = self._here[policy]
            here.begin(seed)
            self._now = Turn(lambda message: _answered_here(here, message))
        return self._now

    def _choose(self, _: str) -> Turn | None:
        now = self._now
        return None if now is None or now.done.is_set() else now

    def _left(self, choice: Any) -> None:
        if self._file.robot is None:
            choice.stop()


class _Here(Protocol):
    def begin(self, seed: int) -> None:
        """Forget the last episode."""

    def answer(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Answer an observation as openpi's servers do."""


class _Acting:
    def __init__(self, policy: Any) -> None:
        self._actor = Actor(policy)
        self.begin = self._actor.begin

    def answer(self, sent: dict[str, Any]) -> dict[str, Any]:
        whole = list(sent) != ["observation"]
        action = as_numbers(self._actor.act(sent if whole else sent["observation"]))
        return {"action": action, "actions": np.asarray(action)[np.newaxis]}


class _Inferring:
    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def begin(self, _: int) -> None:
        reset = getattr(self._policy, "reset", None)
        if reset is not None:
            reset()

    def answer(self, sent: dict[str, Any]) -> dict[str, Any]:
        # What else it says could tell which policy it is.
        return {"actions": np.asarray(self._policy.infer(sent)["actions"])}


def _here(policy: Any) -> _Here:
    acts = callable(policy) or any(hasattr(policy, name) for name in ("act", "predict"))
    return _Inferring(policy) if hasattr(policy, "infer") and not acts else _Acting(policy)


def _answered_here(policy: _Here, message: bytes) -> bytes | str:
    try:
        return packed(policy.answer(unpacked(message)))
    except Exception:  # whatever a policy raises, the robot is told no more than this
        LOG.exception("a policy of this process failed")
        return "the policy could not answer"
