"""The runner: a program at the robot that starts the policy of each trial, so nobody has to know.

The operator takes a trial and taps Start; the runner starts its policy, once, and tells the study
when it began and ended. What it says itself tells no policy from another.
"""

import os
import secrets
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from stopwise.errors import NotAllowed, StopwiseError, StoreFailed, require
from stopwise.study.episodes import Attend, BeginEpisode, EndEpisode
from stopwise.study.runner_file import RunnerFile, filled, in_place
from stopwise.study.running import Running, RunningCommand, private
from stopwise.study.views import Assignment, Resolved

if TYPE_CHECKING:
    from stopwise.study.study import Study
    from stopwise.study.switchboard import Switchboard
    from stopwise.web.client import StudyClient

Desk: TypeAlias = "Study | StudyClient"  # a study here, or one that another machine serves

PAUSE = 0.5  # seconds between looks at the study
HEARTBEAT = 2.0  # seconds between signs of life


@dataclass
class Runner:
    desk: Desk
    station: str  # the name that the operator's phone has for this robot
    file: RunnerFile
    logs: Path  # a folder for what the policies print
    say: Callable[[str], None] = lambda _: None  # reports progress without revealing the policy
    _passed: set[int] = field(default_factory=set)
    _over: threading.Event = field(default_factory=threading.Event)
    _switchboard: "Switchboard | None" = None

    def run(self) -> None:
        """Attend the station until the study is finished; on the way out, stop what runs."""
        require(os.name == "posix", "a runner needs Linux or macOS")
        self.file.require_all(self.desk.policies())
        self.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        with ExitStack() as stack:
            if any(entry.policy is not None for entry in self.file.policies.values()):
                from stopwise.study.switchboard import Switchboard

                self._switchboard = Switchboard(self.file)
                stack.enter_context(self._switchboard.open(self.logs / "router.log"))
            held = self.desk.do(Attend(station=self.station, limit=self.file.time_limit))
            stack.callback(self._leave)
            self._arrive(held.trial)
            threading.Thread(target=self._live, daemon=True).start()
            self.say(f"Starting policies for station {self.station!r}. Press Ctrl-C to end.")
            while self._look() and not self._over.wait(PAUSE):
                pass

    def _live(self) -> None:
        """Give signs of life: a phone tells its operator of a runner that was killed."""
        while not self._over.wait(HEARTBEAT):
            with suppress(StopwiseError):
                self.desk.hear(self.station)

    def _leave(self) -> None:
        self._over.set()
        with suppress(StopwiseError):
            self.desk.do(Attend(station=self.station, present=False))

    def stop(self) -> None:
        self._over.set()

    def _arrive(self, trial: Assignment | None) -> None:
        """Close what an earlier runner left open; a trial that has begun is not begun again."""
        if trial is None or not trial.started:
            return
        self._passed.add(trial.trial)
        if trial.running and trial.episode is not None:
            self._end(trial.trial, trial.episode, "lost", None)
        self.say(
            f"trial {trial.trial} began before this runner came and is not started again: score "
            "it as it was seen, or ask the owner to void it"
        )

    def _end(self, trial: int, episode: str, outcome: str, seconds: float | None) -> None:
        ended = EndEpisode(trial=trial, episode=episode, outcome=outcome, seconds=seconds)
        self.desk.do(ended)

    def _look(self) -> bool:
        with self._waiting_for_the_study():
            trial = self.desk.holding(self.station)
            if trial is None:
                return not self.desk.finished
            if trial.started and trial.episode is None and trial.trial not in self._passed:
                self._run(trial)
        return True

    def _run(self, trial: Assignment) -> None:
        self.file.require_all(self.desk.policies())
        episode = f"{trial.trial:04d}-{secrets.token_hex(3)}"
        try:
            policy_due = self.desk.do(BeginEpisode(trial=trial.trial, episode=episode))
        except NotAllowed as error:
            self._passed.add(trial.trial)
            self.say(str(error))
            return
        self.say(f"trial {trial.trial}, code {trial.code}: running, episode {episode}")
        policy = self._started(policy_due, trial, episode)
        outcome, filmed = "lost", self._filming(trial, episode)
        try:
            outcome = self._watch(policy, trial)
        finally:
            policy.stop()
            policy.done.wait()
            self.say(f"trial {trial.trial}: {outcome} after {policy.seconds:.1f} s")
            self._report(trial.trial, episode, outcome, round(policy.seconds, 1))
            filmed()

    def _filming(self, trial: Assignment, episode: str) -> Callable[[], None]:
        """Start the camera, if there is one; return what hands in the recording."""
        values = self._values(trial, episode)
        files = [] if self.file.recording is None else [in_place(self.file.recording, values)]
        camera: Running | None = None
        if self.file.camera is not None:
            files.append(str(self.logs / f"{episode}.mp4"))
            words = filled(self.file.camera, {**values, "file": files[-1]})
            camera = RunningCommand(words, {}, self.logs / f"{episode}.camera.log")

        def hand_in() -> None:
            if camera is not None:
                camera.stop()
                camera.done.wait()
            for file in files:
                try:
                    self.desk.add_recording(trial.trial, file)
                except StopwiseError as error:
                    self.say(f"trial {trial.trial}: its recording was not stored: {error}")

        return hand_in

    def _report(self, trial: int, episode: str, outcome: str, seconds: float) -> None:
        """Tell the study of the end, however long it is away; not if this runner breaks off."""
        while True:
            with self._waiting_for_the_study():
                self._end(trial, episode, outcome, seconds)
                return
            if outcome == "lost":
                return
            time.sleep(PAUSE)

    def _started(self, resolved: Resolved, trial: Assignment, episode: str) -> Running:
        try:
            return self._start(resolved, trial, episode)
        except Exception:  # whatever a policy raises, its trial is over and scored as it was seen
            with private(self.logs / f"{episode}.log") as log:
                log.write(traceback.format_exc().encode())
            return Running.none()

    def _start(self, resolved: Resolved, trial: Assignment, episode: str) -> Running:
        values = self._values(trial, episode)
        environment = {f"STOPWISE_{name.upper()}": value for name, value in values.items()}
        entry, log = self.file.policies[resolved.policy], self.logs / f"{episode}.log"
        if entry.command is not None:
            environment["STOPWISE_POLICY"] = resolved.policy
            return RunningCommand(filled(entry.command, values), environment, log)
        assert self._switchboard is not None
        turn = self._switchboard.turn(resolved.policy, trial.trial)
        if self.file.robot is None:
            return turn
        return RunningCommand(filled(self.file.robot, values), environment, log, after=turn.stop)

    @staticmethod
    def _values(trial: Assignment, episode: str) -> dict[str, str]:
        return {
            "trial": str(trial.trial),
            "code": trial.code,
            "task": trial.task,
            "condition": trial.condition or "",
            "episode": episode,
        }

    def _watch(self, policy: Running, trial: Assignment) -> str:
        """Wait for the end of the policy, its time, or the trial; return which it was."""
        limit, late = self.file.time_limit, threading.Event()

        def time_is_up() -> None:
            late.set()
            policy.stop()

        clock = threading.Timer(limit or 0.0, time_is_up)
        clock.daemon = True
        if limit is not None:
            clock.start()
        renewed, stopped = time.monotonic(), False
        while not policy.done.wait(PAUSE):
            if self._over.is_set():
                return "lost"
            with suppress(StopwiseError):  # an unreachable study does not end a policy
                now = self.desk.holding(self.station)
                if now is None or now.trial != trial.trial or now.stopping:
                    stopped = True
                    policy.stop()
                elif time.monotonic() - renewed > trial.seconds_left / 2:
                    self.desk.start(trial.trial, station=self.station)
                    renewed = time.monotonic()
        clock.cancel()
        if late.is_set():
            return "timed out"
        if policy.unstarted:
            return "not started"
        return "stopped" if stopped else "failed" if policy.failed else "ended"

    @contextmanager
    def _waiting_for_the_study(self) -> Iterator[None]:
        try:
            yield
        except StoreFailed as error:
            self.say(f"the study does not answer ({error}): trying again")
