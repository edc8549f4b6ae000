"""What a race leaves: the ranking, the trials it rests on, and every episode that was run."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stopwise.core.plain_values import plain_values
from stopwise.core.rules import Delegated
from stopwise.data.trials import Trials
from stopwise.messages import counted
from stopwise.questions.analysis import Analysis
from stopwise.questions.standing import Elimination
from stopwise.rollout.episode import Episode
from stopwise.rollout.schedule import Schedule
from stopwise.rows.task_mean import MEAN, described


@dataclass(frozen=True, kw_only=True)
class RaceResult:
    """The outcome of a race; never changes afterwards.

    Attributes
    ----------
    analysis
        The ranking, with its guarantee and what was assumed.
    trials
        The scores on which it rests, as a trial table; rows are the blocks of a paired design.
    episodes
        Every episode that came back, in order of arrival.
    overshoot
        Those that do not count: they were still running when the verdict was reached.
    abandoned
        Episodes that were under way at the end and never came back.
    failures
        Failed episodes among those that count, by policy.
    retries
        Episodes that were run again because their worker was lost.
    rows
        Rows looked at.
    decided
        Whether every pair is decided, or the best is named; if not, n_max was reached, or a
        decision by then had become too unlikely (``analysis.futile``, with binding futility).
    seed
        That of the race: with it the same call gives the same episodes.
    seconds
        Since the race began, or was taken up again.
    """

    analysis: Analysis
    trials: Trials = field(repr=False)
    episodes: tuple[Episode, ...] = field(repr=False)
    overshoot: tuple[Episode, ...] = field(repr=False)
    abandoned: int
    failures: dict[str, int]
    retries: int
    rows: int
    decided: bool
    seed: int
    seconds: float

    best = Delegated[str | None]("analysis.best", "The policy shown to be the best, or None.")
    candidates = Delegated[tuple[str, ...]](
        "analysis.candidates", "Policies that may still be the best."
    )
    eliminated = Delegated[Mapping[str, Elimination]](
        "analysis.eliminated", "Policies that were shown not to be the best, and when."
    )

    @property
    def used(self) -> int:
        """Episodes on which the verdict rests."""
        return len(self.episodes) - len(self.overshoot)

    @property
    def most(self) -> int | None:
        """Episodes that all policies would have taken up to n_max, if one was declared."""
        analysis, most = self.analysis, self.analysis.most_trials
        if most is not None:  # stored trials are no episodes
            groups = analysis.rules.groups or {}
            most -= sum(groups.get(name, analysis.n_max or 0) for name in analysis.rules.stored)
        return most

    @property
    def worker_seconds(self) -> float:
        """Time that all episodes took, of this run and of earlier ones, one after another."""
        return sum(episode.seconds for episode in self.episodes)

    @property
    def worker_seconds_of_all(self) -> float | None:
        """Time that all episodes up to n_max would have taken if they are like those that count."""
        if self.most is None or not self.used:
            return None
        left_out = {episode.place for episode in self.overshoot}
        used = sum(e.seconds for e in self.episodes if e.place not in left_out)
        return used / self.used * self.most

    @property
    def sentence(self) -> str:
        """What was found, at which alpha, and what it took; ``analysis.sentence`` says more."""
        analysis, most = self.analysis, self.most
        order = f"{analysis.order_text}{analysis.scope}"
        fewer = self.decided and most is not None and self.used < most
        instead = f" instead of {most:,}" if fewer else ""
        episodes = "episode" if self.used == 1 else "episodes"
        about = "; ".join(filter(None, [f"alpha {analysis.alpha:g}", analysis.sign_meaning]))
        return (
            f"{order} ({about}), after {self.used:,} {episodes}{instead}{analysis.futility_clause}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as ``Analysis.to_dict`` does, with the counts of the race."""
        return {
            **self.analysis.to_dict(),
            "race": {
                "sentence": self.sentence,
                **plain_values(self, ("decided", "rows")),
                "episodes": len(self.episodes),
                "used": self.used,
                "overshoot": len(self.overshoot),
                **plain_values(self, ("abandoned", "failures", "retries", "seed")),
                **plain_values(self, ("seconds", "worker_seconds", "worker_seconds_of_all")),
            },
        }

    def _repr_html_(self) -> str:
        return self.analysis._repr_html_()

    def __str__(self) -> str:
        used = f"{counted(self.used, 'episode')} in {counted(self.rows, 'row')} counted"
        more = counted(len(self.overshoot), "more was", "more were")
        return (
            f"{self.analysis.sentence} {used}; {more} finished and {self.abandoned} abandoned when "
            "the verdict came in."
        )


def result_of(
    schedule: Schedule,
    *,
    shares: Mapping[str, float] | None,
    seed: int,
    retries: int,
    abandoned: int,
    seconds: float,
    notes: Sequence[str],
) -> RaceResult:
    rule = schedule.rule
    failed = Counter(e.policy for e in schedule.used if e.error is not None)
    failures = {policy: failed[policy] for policy in rule.rules.reading.run}
    warnings = [*notes, *_doubts(schedule, failures, retries)]
    trials, task, mean = _trials(schedule, warnings), None, None
    if shares is not None:
        task, mean = MEAN, described("random", shares, trials.frame, rule.rules.reading.run)
        warnings.append(
            f"the tasks were drawn with seed {seed}: keep that seed; a race repeated with others "
            "until it decides has no guarantee"
        )
    return RaceResult(
        analysis=rule.analysis_of_now(task=task, warnings=warnings, mean=mean)(),
        trials=trials,
        episodes=schedule.episodes,
        overshoot=schedule.overshoot,
        abandoned=abandoned,
        failures=failures,
        retries=retries,
        rows=rule.rows,
        decided=rule.decided,
        seed=seed,
        seconds=seconds,
    )


def _doubts(schedule: Schedule, failures: Mapping[str, int], retries: int) -> Iterator[str]:
    """What the claim rests on where episodes failed or were run again."""
    count = sum(failures.values())
    who = ", ".join(f"{policy} {number}" for policy, number in failures.items())
    if count and schedule.failures.kind == "score":
        yield (
            f"{counted(count, 'failed episode counts', 'failed episodes count')} as score "
            f"{schedule.failures.score:g} ({who}): the claim is about scores with failures "
            "counted that way, and holds only if episodes fail on their own, not "
            "because the machine is overloaded"
        )
    elif count:
        yield (
            f"{counted(count, 'failed episode was', 'failed episodes were')} left out ({who}): the "
            "claim covers only episodes that do not fail, and is void if failing depends "
            "on how well an episode goes"
        )
    if retries:
        yield (
            f"{counted(retries, 'episode was', 'episodes were')} run again because a worker was "
            "lost; this is valid only if losing a worker does not depend on how well the episode "
            "goes"
        )


def _trials(schedule: Schedule, notes: Sequence[str]) -> Trials:
    """Return the scores that count, stored ones first; in a paired design the row is the block."""
    rule, scored = schedule.rule, schedule.scored
    stored = [(name, score) for name, scores in rule.stored.items() for score in scores]
    columns: dict[str, list[object]] = {
        "policy": [*(name for name, _ in stored), *(episode.policy for episode, _ in scored)],
        "score": [*(score for _, score in stored), *(score for _, score in scored)],
    }
    if rule.design == "paired":
        # Of a list a scene is known by its seed, so that its order can be told from the list's.
        listed = rule.rules.list_size is not None
        met = [
            schedule.seed_of(row, n)
            for n, scores in enumerate(rule.stored.values())
            for row in range(len(scores))
        ]
        met += [episode.seed if listed else episode.row for episode, _ in scored]
        columns["block"] = [str(scene) for scene in met]
    if any(episode.task is not None for episode, _ in scored):
        columns["task"] = [episode.task for episode, _ in scored]
    bounds = rule.bounds if rule.rules.reading.ranged else None
    return Trials.from_columns(columns, bounds=bounds, notes=notes)
