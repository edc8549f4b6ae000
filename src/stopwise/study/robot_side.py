"""The side of the robot: a program that starts policies, and recordings."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from stopwise.errors import NotAllowed
from stopwise.study import assignment, recordings, trial_actions, views
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.reader import StudyReader
from stopwise.study.state import StudyState, TrialRecord


class RobotSide(StudyReader):
    """A study as a runner uses it, which may learn what is behind a code, and scores nothing.

    Its trials may have videos and photos.
    """

    def policies(self) -> tuple[str, ...]:
        """Return the names of all policies, for the program that can start each of them."""
        return self.plan.policy_names

    def resolve(self, code: str, *, who: str = "runner") -> views.Resolved:
        """Return the policy that the code of a trial in progress stands for; for the robot only.

        With this the trial has begun, if it was not started before.
        """

        def decide(state: StudyState, _: float) -> Sequence[Event]:
            trial = assignment.require_under_way(state, code)
            begun = trial_actions.start(state, trial.number, trial.station)
            return () if trial.started else (begun,)

        return self._ledger.ask(
            decide,
            lambda state, *_: self._resolved(state, assignment.require_under_way(state, code)),
            who=who,
        )

    def attend(
        self,
        station: str,
        *,
        present: bool = True,
        limit: float | None = None,
        who: str = "runner",
    ) -> views.Assignment | None:
        """Say that a runner starts the policies at a station from now on, or no longer does.

        Returns the trial that the station has at that moment: if it was started, then without it.
        """
        return self._ledger.ask(
            lambda state, _: trial_actions.attend(state, station, present=present, limit=limit),
            lambda state, clock, _: views.held(state, station, clock),
            who=who,
        )

    def begin_episode(self, trial: int, episode: str, *, who: str = "runner") -> views.Resolved:
        """Return the policy of a trial that its operator has started, to be started now.

        This works once for a trial: a second episode of it is refused. The same call may be
        repeated if its answer was lost.
        """
        return self._ledger.ask(
            lambda state, _: trial_actions.begin_episode(state, trial, episode),
            lambda state, *_: self._resolved(state, state.trials[trial - 1]),
            who=who,
        )

    def end_episode(
        self,
        trial: int,
        episode: str,
        *,
        outcome: str = "ended",
        seconds: float | None = None,
        who: str = "runner",
    ) -> None:
        """Say that the policy of a trial has ended.

        Parameters
        ----------
        trial, episode
            As in ``begin_episode``.
        outcome
            "ended", "failed", "timed out", "stopped" (the trial was over) or "lost".
        seconds
            How long it ran.
        """
        self._enter(
            lambda state: trial_actions.end_episode(
                state,
                trial,
                episode,
                self._lots(state).salt("episode", trial),
                outcome=outcome,
                seconds=seconds,
            ),
            who,
        )

    def add_recording(
        self, trial: int, content: str | Path | Iterable[bytes], *, who: str = "runner"
    ) -> str:
        """Keep a video or photo of a trial beside the study; return its name there.

        Parameters
        ----------
        trial
            Its number.
        content
            A file, or its bytes in parts: jpg, png, webp, mp4, mov or webm, up to 200 MiB.
        """
        with self._ledger.reading() as state:
            recordings.require_room(state, trial)
        name, digest, size = recordings.keep(self._recordings, content)
        self._enter(lambda state: recordings.add(state, trial, name, digest, size), who)
        return name

    def recording(self, trial: int, name: str) -> Path:
        """Return the file of a recording."""
        with self._ledger.reading() as state:
            if not any((number, file) == (trial, name) for number, file, _ in state.recordings):
                raise NotAllowed(f"trial {trial} has no recording of this name")
        return self._recordings / name

    def _resolved(self, state: StudyState, trial: TrialRecord) -> views.Resolved:
        name = state.labels(self._lots(state))[trial.arm]
        plan = assignment.locked_plan(state)
        run = next(policy.run for policy in plan.policies if policy.name == name)
        return views.Resolved(trial=trial.number, policy=name, run=run)

    def _enter(
        self,
        decide: Callable[[StudyState], Event | Sequence[Event]],
        who: str,
        key: str | None = None,
    ) -> list[Entry]:
        """Enter what is decided on the newest state; return the entries."""
        return self._ledger.ask(
            lambda state, _: decide(state),
            lambda _state, _clock, entries: entries,
            who=who,
            key=key,
        )
