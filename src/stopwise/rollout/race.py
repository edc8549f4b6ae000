"""The one call: run policies against each other, as many episodes as needed and no more."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from stopwise.core import registry
from stopwise.core.arrays import Floats
from stopwise.core.keywords import flat
from stopwise.core.readings.averages import stored_scores
from stopwise.core.readings.fixed_list import numbers_of
from stopwise.core.rules import Rules
from stopwise.core.scores import is_number, require_whole
from stopwise.core.seeds import drawn_seed, episode_seed, scene_order
from stopwise.core.settings import RaceSettings
from stopwise.errors import InvalidInput, require, require_choice
from stopwise.messages import Setting, named
from stopwise.rollout.checkpoints import Checkpoints, Loader, identity_of
from stopwise.rollout.draws import Scenes, drawn_task, listed_scenes
from stopwise.rollout.drive import drive
from stopwise.rollout.environments import SUCCESS
from stopwise.rollout.episode import Episode
from stopwise.rollout.executors import Executor, executor_of
from stopwise.rollout.journal import Journal, recorded_race
from stopwise.rollout.race_result import RaceResult, result_of
from stopwise.rollout.schedule import EpisodeFailed, FailureRule, Schedule
from stopwise.rollout.sight import RaceProgress
from stopwise.rollout.stop_rule import StopRule
from stopwise.rollout.stopped import RaceInterrupted, RaceStopped
from stopwise.rollout.worker import Setup
from stopwise.rows.task_mean import require_tasks_choice
from stopwise.rows.task_mean import shares as task_shares
from stopwise.trackers import reporter_of
from stopwise.trackers.reporter import Reporter
from stopwise.trackers.tracker import RowFunction

# The greatest number of episodes of each policy, unless one is declared.
N_MAX = 500


@flat(RaceSettings)
def race(
    policies: Mapping[str, Any] | str | Path,
    env: Any,
    *,
    load: Loader | None = None,
    score: str | Callable[[Mapping[str, Any]], float] | None = None,
    success: str = "last",
    bounds: tuple[float, float] = (0.0, 1.0),
    n_max: int | None = N_MAX,
    design: str | None = None,
    tasks: str | None = None,
    weights: Mapping[str, float] | None = None,
    scenes: Scenes | None = None,
    seed: int | None = None,
    executor: str | Executor = "serial",
    journal: str | Path | None = None,
    on_error: str = "raise",
    timeout: float | None = None,
    on_progress: Callable[[RaceProgress], None] | None = None,
    stored: Mapping[str, Sequence[float] | Floats] | None = None,
    report_to: Any = None,
    on_row: RowFunction | None = None,
    **settings: Unpack[RaceSettings],
) -> RaceResult:
    """Run policies in an environment until it is clear which is better, or n_max is reached.

    The verdict is the one ``stopwise.analyze`` would give for the rows in the order of their seeds,
    in whatever order episodes finish: the probability that any declared order is false (or, with
    ``goal="best"``, that a best policy was dropped) is at most alpha, if an episode's score depends
    on its policy and seed only, and lies within the bounds. A policy is tried until all of its
    pairs are decided; with ``goal="best"``, until it is shown not to be the best.

    Parameters
    ----------
    policies
        Two or more by name, or one with a ``reference``: a callable from observation to action, an
        object with ``predict`` or ``act``, a factory, or where to find one,
        "package.module:name", on which server, "ws://localhost:8000", or in which folder LeRobot
        saved it. ``reset`` is called before each episode, with a ``seed`` if it takes one. Or the
        folder or pattern of checkpoints, as in "runs/*/ckpt_*.zip", named by the parts of their
        paths in which they differ. Asked for the best, those declared with ``later`` are awaited.
    env
        A gymnasium id, an environment, a factory of one (also of a vector environment), or a
        function ``episode(policy, seed)`` that returns a score or a dictionary of measures. Or
        several tasks by name, each one of these, with ``tasks="mean"``.
    load
        For checkpoints: a function that makes a policy of a path, or "package.module:name" of one.
    score
        What is compared: "return", "success", "length", another measure of the episode function,
        or a function of the measures. By default a function's own score, else the return.
    success
        Of an environment, whose word on "success" counts: that of the "last" step, or of "any".
    bounds
        Range of the score, known beforehand, on every task; a score outside stops the race.
    n_max
        The declared greatest number of episodes per policy, or None.
    design
        "paired": in each row all policies meet the same environment seed. "independent": every
        episode has its own. By default that of the journal; of a new race, "paired" unless the
        method is proven for independent episodes only.
    tasks
        "mean": claims are about the mean over the tasks in ``env``. The task of each row (in the
        independent design, of each episode) is drawn at random.
    weights
        Of the tasks, as in {"reach": 2}, by which they are drawn; 1 where none is given.
    scenes
        A fixed list, each of which all policies try once: how many, for the seeds from 0 on; the
        seeds; or the file that has one on each line. The order is drawn from the seed of the race,
        in the independent design one for each policy. Claims are then about this list, in this run,
        and n_max is its length.
    seed
        Of the whole race, by default 0. With several tasks or a list of scenes it is drawn from
        the operating system, and the journal and the result keep it.
    executor
        "serial", "processes", "ray", or one made by ``stopwise.rollout.executors``.
    journal
        File that records every episode; repeating the call resumes where the last one stopped. The
        journal of another race is refused: texts, numbers and settings are compared by value,
        functions and objects by name only.
    on_error
        "raise": a failed episode that counts stops the race. "score:0": it counts as score 0 (or
        another). "void": it does not count as a trial. If all of a policy fail, the first 10 or
        however many there are, the race stops in any case. What was found until then is the
        ``result`` of the exception, also where you interrupt the race.
    timeout
        Seconds after which an episode counts as failed.
    on_progress
        Called as episodes come back, ten times a second at most, and at the end.
    stored
        Scores of policies that are not run again, as for ``StopRule``; ``policies`` are then the
        others, one or more. The design is independent, or with ``scenes``, of which they are the
        scores in the order of the list, as you choose.
    report_to, on_row
        As for ``StopRule``.
    **settings
        As for ``stopwise.analyze``.

    Examples
    --------
    >>> import stopwise as sw
    >>> def episode(policy, seed):
    ...     return policy(seed)
    >>> low = lambda seed: 0.3 + 0.1 * (seed % 2)
    >>> high = lambda seed: 0.7 + 0.1 * (seed % 2)
    >>> result = sw.race({"low": low, "high": high}, episode, n_max=100)
    >>> result.analysis.order_text, result.used, len(result.overshoot)
    ('high > low', 24, 0)
    >>> sw.race({"low": low, "high": high}, episode, n_max=100, goal="best").sentence
    'high is the best of 2 (alpha 0.05), after 20 episodes instead of 200'
    """
    shares = _shares(env, tasks, weights, settings.get("by"))
    stored = stored_scores(stored)
    begun = {} if journal is None else recorded_race(journal)
    if seed is None:
        usual = shares is None and scenes is None
        seed = 0 if usual else begun.get("seed", drawn_seed())
    require_whole(seed, "seed", 0)
    _check(success, timeout, one_task=shares is None or not stored)
    least = 1 if stored or settings.get("reference") is not None else 2
    first, arrivals = _entrants(policies, load, settings, begun, least=least)
    if design is None:
        apart = bool(stored) and scenes is None
        design = begun.get("design", "independent" if apart else _usual_design(settings))
    settings["later"] = [name for name in settings.get("later", ()) if name not in first]
    setup = Setup(env=env, policies=first, score=score, timeout=timeout, success=success)
    declared: Any = {"n_max": n_max, "bounds": bounds, "design": design, **settings}
    names = [*stored, *first, *settings["later"]]
    scenes_of: dict[str, list[int]] = {}
    if scenes is not None:
        listed = listed_scenes(scenes)
        listed_as = settings.get("list_size")
        _check_list(len(listed), n_max, listed_as, on_error, one_task=shares is None)
        declared |= {"n_max": len(listed), "list_size": len(listed)}
        numbers_of(stored, declared)
        for number, name in enumerate(names):
            order = scene_order(seed, len(listed), number, paired=design == "paired")
            scenes_of[name] = [listed[place] for place in order]
            if name in stored:
                stored[name] = [stored[name][place] for place in order]
    rule = StopRule(names, stored=stored, **declared)
    failures = FailureRule(on_error)
    if failures.score is not None:
        rule.check("a failed episode", failures.score)
    paired = rule.design == "paired"
    schedule = Schedule(
        rule,
        (lambda row, policy: scenes_of[names[policy]][row])
        if scenes_of
        else partial(episode_seed, seed, paired=paired),
        task_of=None if shares is None else partial(drawn_task, seed, shares, paired=paired),
        failures=failures,
    )
    book = None
    if journal is not None:
        book = Journal(journal, _identity(rule, setup, seed, shares, scenes_of), on_error)
    answer = partial(result_of, schedule, shares=shares, seed=seed)
    with reporter_of(report_to, on_row) as reporter:
        rule.report_by(reporter)
        return _run(
            schedule,
            setup,
            executor_of(executor),
            book=book,
            arrivals=arrivals,
            on_progress=on_progress,
            answer=answer,
            reporter=reporter,
        )


def _run(
    schedule: Schedule,
    setup: Setup,
    place: Executor,
    *,
    book: Journal | None,
    arrivals: Checkpoints | None,
    on_progress: Callable[[RaceProgress], None] | None,
    answer: Callable[..., RaceResult],
    reporter: Reporter,
) -> RaceResult:
    """Return the result, or raise what stopped the race, with the result so far."""
    seconds = 0.0
    stopped: RaceStopped | RaceInterrupted | None = None
    try:
        if book is not None:
            schedule.restore(_kept(book.episodes, schedule), book.joined)
            came = {} if arrivals is None else arrivals.joined(book.newcomers)
            setup = replace(setup, policies={**setup.policies, **came})
        if not schedule.over:
            place.open(setup)
            seconds = drive(schedule, place, book, on_progress, arrivals)
    except RaceStopped as error:
        stopped = error if book is None else _with_way_on(error, book.path)
    except KeyboardInterrupt as error:
        stopped = RaceInterrupted(*error.args)
    finally:
        abandoned = place.close()
        if book is not None:
            book.close()
    notes = [] if book is None else list(book.notes)
    if arrivals is not None and arrivals.left_out:
        text = "appeared during the race without being declared, and took no part"
        notes.append(f"{', '.join(arrivals.left_out)} {text}")
    finished = partial(answer, retries=place.retries, abandoned=abandoned, seconds=seconds)
    if stopped is None:
        result = finished(notes=notes)
        reporter.conclude(lambda: [result.analysis])
        return result
    stopped.episodes = schedule.episodes
    why = stopped if isinstance(stopped, RaceStopped) else "it was interrupted"
    with suppress(InvalidInput):  # where a policy has no trial yet
        stopped.result = result = finished(notes=[*notes, f"the race stopped: {why}"])
        reporter.conclude(lambda: [result.analysis])
    raise stopped


def _check(success: str, timeout: float | None, *, one_task: bool) -> None:
    require_choice("success", success, SUCCESS)
    require(
        timeout is None or (is_number(timeout) and timeout > 0),
        named("timeout"),
        f" must be a positive number of seconds, but got {timeout!r}",
    )
    text = "stored trials belong to one task, but several were given"
    require(one_task, text, parameter="stored")


def _entrants(
    policies: Mapping[str, Any] | str | Path,
    load: Loader | None,
    settings: RaceSettings,
    begun: Mapping[str, Any],
    *,
    least: int,
) -> tuple[dict[str, Any], Checkpoints | None]:
    """Return the policies of the start, and where others may appear, if they may join."""
    if isinstance(policies, Mapping):
        require_all_there(settings)
        by_name = "checkpoints, given as a folder or a pattern, but the policies are given by name"
        require(load is None, named("load"), f" is for {by_name}")
        return dict(policies), None
    joining = bool(settings.get("later"))
    checkpoints = Checkpoints(policies, load, _named(begun) if joining else None, least=least)
    return checkpoints.first, checkpoints if joining else None


def require_all_there(settings: RaceSettings) -> None:
    """Raise if policies are to join later, but are given by name."""
    require(
        not settings.get("later"),
        "policies that are given by name are there from the start: ",
        named("later"),
        " is for checkpoints, given as a folder or a pattern",
    )


def _with_way_on(error: RaceStopped, journal: str | Path) -> RaceStopped:
    if isinstance(error, EpisodeFailed):
        return error
    advice = f"; every finished episode is in {journal}: the same race goes on with "
    stopped = RaceStopped(error.message, advice, Setting("journal", str(journal)))
    stopped.__cause__ = error
    return stopped


def _check_list(
    size: int, n_max: int | None, list_size: int | None, on_error: str, *, one_task: bool
) -> None:
    for good, why in (
        (n_max in (None, N_MAX, size), f"n_max is their number, {size}: leave it out"),
        (list_size in (None, size), f"list_size is their number, {size}: leave it out"),
        (on_error != "void", 'none may be left out: choose on_error="raise" or "score:0"'),
        (one_task, "all are of one environment: give one, or leave the scenes out"),
    ):
        require(good, f"of a list of scenes {why}", parameter="scenes")


def _kept(episodes: Sequence[Episode], schedule: Schedule) -> list[Episode]:
    """Episodes of an earlier run that count. The failure that stopped it is run again.

    That is a score outside the bounds, all of a policy whose episodes all failed, and, under
    "raise", whatever failed.
    """
    works = {episode.policy for episode in episodes if episode.error is None}

    def counts(episode: Episode) -> bool:
        if episode.score is None:
            return schedule.failures.kind != "raise" and episode.policy in works
        try:
            schedule.rule.check(episode.policy, episode.score)
        except InvalidInput:
            return False
        return True

    return list(filter(counts, episodes))


def _shares(
    env: Any, tasks: str | None, weights: Mapping[str, float] | None, by: str | None
) -> dict[str, float] | None:
    require_tasks_choice(tasks, weights=weights, by=by)
    if not isinstance(env, Mapping):
        by_name = " needs environments by name, as in {'reach': env, 'push': env}"
        require(tasks is None, Setting("tasks", "mean"), by_name)
        return None
    require(
        tasks is not None,
        "several environments are tasks: give ",
        Setting("tasks", "mean"),
        " to compare the mean over them",
    )
    few = f"the mean over tasks needs at least 2 tasks, but got {len(env)}"
    require(len(env) >= 2, few, parameter="env")
    for name in env:
        text = f"the names of tasks must be text, but got {name!r}"
        require(isinstance(name, str) and bool(name), text, parameter="env")
    return task_shares(sorted(env), weights)  # a resumed race may list them in another order


def _usual_design(settings: RaceSettings) -> str:
    proven = registry.find(settings.get("method", Rules.method)).designs
    return "paired" if "paired" in proven else proven[0]


def _identity(
    rule: StopRule,
    setup: Setup,
    seed: int,
    shares: Mapping[str, float] | None,
    scenes_of: Mapping[str, Sequence[int]],
) -> dict[str, Any]:
    env = setup.env
    return {
        **rule.rules.identity(),
        **({} if setup.success == Setup.success else {"success": setup.success}),
        **{f"policy {name!r}": identity_of(policy) for name, policy in setup.policies.items()},
        **({"env": identity_of(env)} if shares is None else {}),
        **{
            f"task {name!r}": [identity_of(env[name]), share]
            for name, share in (shares or {}).items()
        },
        "score": identity_of(setup.score),
        "timeout": setup.timeout,
        "seed": int(seed),
        **({"scenes": dict(scenes_of)} if scenes_of else {}),
        **rule.stored_identity,
    }


def _named(begun: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the policies that a recorded race began with, by what they are."""
    places = {name: begun.get(f"policy {name!r}") for name in begun.get("policies", ())}
    return {place: name for name, place in places.items() if place is not None}
