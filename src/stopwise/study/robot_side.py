"""The side of the robot: what a program that starts policies asks of a study, and tells it."""

from collections.abc import Callable

from stopwise.study import assignment, audits, episodes, trial_actions, views
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.reader import StudyReader
from stopwise.study.state import StudyState, TrialRecord


class RobotSide(StudyReader):
    """A study as a runner uses it: it may learn what is behind a code, and scores nothing."""

    def policies(self) -> tuple[str, ...]:
        """Return the names of all policies, for the program that can start each of them."""
        plan = self.plan
        return (*plan.policy_names, *([plan.drift_check.name] if plan.drift_check else []))

    def resolve(self, code: str, *, who: str = "runner") -> views.Resolved:
        """Return the policy that the code of a trial in progress stands for; for the robot only.

        With this the trial has begun, if it was not started before.
        """

        def decide(state: StudyState, _: float) -> list[Event]:
            trial = assignment.require_under_way(state, code)
            begun = trial_actions.start(state, trial.number, trial.station)
            return [] if trial.started else [begun]

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
            lambda state, _: [episodes.attend(state, station, present=present, limit=limit)],
            lambda state, now, _: views.held(state, station, now),
            who=who,
        )

    def begin_episode(self, trial: int, episode: str, *, who: str = "runner") -> views.Resolved:
        """Return the policy of a trial that its operator has started, to be started now.

        This works once for a trial: a second episode of it is refused. The same call may be
        repeated if its answer was lost.
        """
        return self._ledger.ask(
            lambda state, _: list(episodes.begin(state, trial, episode)),
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

        def decide(state: StudyState, _: float) -> list[Event]:
            salt = self._lots(state).salt("episode", trial)
            return [*episodes.end(state, trial, episode, salt, outcome=outcome, seconds=seconds)]

        self._ledger.commit(decide, who=who)

    def judge(self, trial: int, score: float, *, who: str = "judge") -> None:
        """Store what a judge, which scores every trial, makes of one; for plans with ``audit``.

        It is final. Whether people are asked as well is drawn when the trials of its row are over
        and judged.
        """

        def decide(state: StudyState, _: float) -> list[Event]:
            return [*audits.judge(state, trial, score, self._lots(state).salt("judge", trial))]

        self._ledger.commit(decide, who=who)

    def _resolved(self, state: StudyState, trial: TrialRecord) -> views.Resolved:
        name = state.labels(self._lots(state))[trial.arm]
        plan = assignment.locked_plan(state)
        policies = (*plan.policies, *([plan.drift_check] if plan.drift_check else []))
        run = next(policy.run for policy in policies if policy.name == name)
        return views.Resolved(trial=trial.number, policy=name, run=run)

    def _enter(
        self, decide: Callable[[StudyState], Event], who: str, key: str | None = None
    ) -> list[Entry]:
        """Enter the event that is decided on the newest state."""
        return self._ledger.commit(lambda state, _: [decide(state)], who=who, key=key)
