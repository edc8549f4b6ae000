"""One address for the robot: while a trial runs, its policy answers there, and nobody else."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from stopwise.core.scores import as_numbers
from stopwise.files import PRIVATE
from stopwise.policies.actor import Actor
from stopwise.policies.import_path import made
from stopwise.policies.openpi import ServedPolicy, packed, unpacked
from stopwise.policies.router import Router
from stopwise.study.runner_file import RunnerFile
from stopwise.study.running import Running

LOG = logging.getLogger(__name__)
# All that a robot needs of an answer. The rest, such as timings or names, may tell policies apart.
ANSWER = ("action", "actions")


class Turn(Running):
    def __init__(self, policy: "_Policy") -> None:
        super().__init__()
        self._policy = policy
        self._silent = False

    def __call__(self, message: bytes) -> bytes | str:
        try:
            return packed(self._policy.answer(unpacked(message)))
        except Exception:  # whatever a policy raises, the robot is told no more than this
            LOG.exception("a policy failed")
            self._silent = True
            return "the policy could not answer"

    def stop(self) -> None:
        if not self.done.is_set():
            self._ended(failed=self._silent)
            self._policy.close()


class Switchboard:
    """Serves the policies that are no commands, by openpi's protocol.

    A robot that connects is greeted when a trial runs, so that what it sees is not old. If it has
    no command of its own in the file, it ends the episode by leaving, and connects again for the
    next one. Policies of this process are made at once, and servers are tried.
    """

    def __init__(self, file: RunnerFile) -> None:
        self._file = file
        self._now: Turn | None = None
        self._policies: dict[str, _Policy] = {
            name: _answering(made(entry.policy))
            for name, entry in file.policies.items()
            if entry.policy is not None
        }

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

    def turn(self, policy: str, seed: int) -> Turn:
        answering = self._policies[policy]
        answering.begin(seed)
        self._now = Turn(answering)
        return self._now

    def _choose(self) -> Turn | None:
        now = self._now
        return None if now is None or now.done.is_set() else now

    def _left(self, choice: Turn) -> None:
        if self._file.robot is None:
            choice.stop()


class _Policy(Protocol):
    def begin(self, seed: int) -> None: ...

    def answer(self, sent: dict[str, Any]) -> dict[str, Any]: ...

    def close(self) -> None:
        """Let go of what an episode needed."""


class _Acting:
    def __init__(self, policy: Any) -> None:
        self._actor = Actor(policy)
        self.begin = self._actor.begin

    def answer(self, sent: dict[str, Any]) -> dict[str, Any]:
        whole = list(sent) != ["observation"]
        action = as_numbers(self._actor.act(sent if whole else sent["observation"]))
        return {"action": action, "actions": np.asarray(action)[np.newaxis]}

    def close(self) -> None:
        pass


class _Inferring:
    def __init__(self, policy: Any) -> None:
        self._policy = policy
        self.close()

    def begin(self, _: int) -> None:
        getattr(self._policy, "reset", lambda: None)()

    def answer(self, sent: dict[str, Any]) -> dict[str, Any]:
        answer = self._policy.infer(sent)
        return {name: np.asarray(answer[name]) for name in ANSWER if name in answer}

    def close(self) -> None:
        if isinstance(self._policy, ServedPolicy):
            self._policy.close()


def _answering(policy: Any) -> _Policy:
    acts = callable(policy) or any(hasattr(policy, name) for name in ("act", "predict"))
    infers = isinstance(policy, ServedPolicy) or (hasattr(policy, "infer") and not acts)
    return _Inferring(policy) if infers else _Acting(policy)
