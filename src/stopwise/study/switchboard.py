"""One address for the robot: while a trial runs, its policy answers there, and nobody else."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    """A policy that answers the robot for one episode.

    ``answer`` returns the packed answer to a packed observation, or a text if there is none.
    """

    def __init__(
        self, answer: Callable[[bytes], bytes | str], close: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__()
        self._answer, self._close = answer, close
        self._silent = False

    def __call__(self, message: bytes) -> bytes | str:
        """Answer the robot."""
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
        self._actors: dict[str, Actor] = {}
        for name, way in file.policies.items():
            if way.served:
                server = PolicyServer(str(way.policy), patience=CHECKED_WITHIN)
                server.renew()
                server.close()
            elif way.policy is not None:
                self._actors[name] = Actor(made(way.policy))

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
        """Let a policy answer from now on, until it is stopped; it begins afresh."""
        if way.served:
            server = PolicyServer(str(way.policy))
            self._now = Turn(lambda message: answered(server, message), server.close)
        else:
            actor = self._actors[policy]
            actor.begin(seed)
            self._now = Turn(lambda message: _answered_here(actor, message))
        return self._now

    def _choose(self, _: str) -> Turn | None:
        now = self._now
        return None if now is None or now.done.is_set() else now

    def _left(self, choice: Any) -> None:
        if self._file.robot is None:
            choice.stop()


def _answered_here(actor: Actor, message: bytes) -> bytes | str:
    """Return the action of a policy of this process, as a chunk of one."""
    try:
        sent = unpacked(message)
        action = as_numbers(
            actor.act(sent["observation"] if list(sent) == ["observation"] else sent)
        )
        return packed({"action": action, "actions": np.asarray(action)[np.newaxis]})
    except Exception:  # whatever a policy raises, the robot is told no more than this
        LOG.exception("a policy of this process failed")
        return "the policy could not answer"
