"""The one call: ``analyze`` ranks the policies of whatever holds their trials."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack, overload

from stopwise.core.keywords import flat
from stopwise.core.rules import Rules
from stopwise.core.settings import RuleSettings
from stopwise.data.reading import InputSettings
from stopwise.errors import require
from stopwise.messages import LED_RACE, Message, Setting, few
from stopwise.questions import for_files, pose
from stopwise.questions.analysis import Analysis
from stopwise.questions.pairs import PairTests
from stopwise.rows import scene_list
from stopwise.rows.groups import grouped
from stopwise.rows.reading import taken
from stopwise.rows.scenes import proxied
from stopwise.rows.table import Table
from stopwise.rows.task_mean import over_tasks, require_tasks_choice
from stopwise.rows.task_tables import comparable, tables


class AnalyzeSettings(RuleSettings, InputSettings, total=False):
    """The rules, and how files are read."""


class AnalyzeKeywords(AnalyzeSettings, total=False):
    n_max: int | None
    bounds: tuple[float, float] | None
    design: str | None
    task_order: str
    weights: Mapping[str, float] | None
    unit: str
    stored: str | Sequence[str]
    unequal: str
    proxy: str | Mapping[str, Any] | None
    proxy_scores: Any


@overload
def analyze(
    trials: Any, *, tasks: Literal["mean"] | None = None, **settings: Unpack[AnalyzeKeywords]
) -> Analysis: ...


@overload
def analyze(
    trials: Any, *, tasks: Literal["each"], **settings: Unpack[AnalyzeKeywords]
) -> dict[str, Analysis]: ...


@flat(
    AnalyzeSettings,
    missing="error",
    by_position="to compare two policies, sw.compare(a, b); to rank several, "
    "sw.analyze({'a': a, 'b': b, 'c': c})",
)
def analyze(
    trials: Any,
    *,
    n_max: int | None = None,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    tasks: str | None = None,
    task_order: str = "rounds",
    weights: Mapping[str, float] | None = None,
    unit: str = "trial",
    stored: str | Sequence[str] = (),
    unequal: str = "shorter",
    proxy: str | Mapping[str, Any] | None = None,
    proxy_scores: Any = None,
    **settings: Unpack[AnalyzeSettings],
) -> Analysis | dict[str, Analysis]:
    """Rank several policies by sequential tests of all pairs.

    The probability that any order it ever declares is false is at most alpha, whenever you stop.
    This needs bounds known in advance, and rows of trials that are fresh draws.

    Parameters
    ----------
    trials
        A file or a frame as ``read_trials`` takes it, a trial table that it returned (with more to
        say on order), aligned scores, or a mapping from policy to its file or its scores in order.
    n_max
        The declared maximum number of trials per policy; rows beyond are not used.
    bounds
        Range [A, B] of the score, known before the data; by default the one that the trial table
        declares, else [0, 1].
    design
        "independent" (the i-th trial meets the i-th), "paired" (by block) or "stratified" (by
        block, several trials each); by default what the blocks of the table show.
    tasks
        "mean": claims are about the mean over all tasks, with proof in docs/design/readings.md.
        "each": one analysis per task, in a dictionary by task; all their claims share alpha.
    task_order
        With the mean over tasks: "rounds" averages one trial of every task into each row, in
        whatever order tasks were run. "independent" is the same where the trials of a round are
        independent of each other (no training run, scene or session in common), "random" where the
        task of each row was drawn at random; both need fewer trials.
    weights
        With the mean over tasks: of each task, declared before the trials; 1 where none is given.
        In random order they are what the tasks were drawn with.
    unit
        "trial", or "seed": the mean of a training run is one trial, so that a claim is about the
        algorithm, not only about the checkpoints that were tried.
    stored
        Policies, or one, whose trials were run before the study: rows hold averages of groups of
        them, so that all count. Without ``n_max``, the most trials of the others is taken for it.
    unequal
        For policies with unequal numbers of trials: "shorter" leaves those without a partner out,
        "groups" uses every trial, if the numbers were fixed before any score was seen.
    proxy
        A cheap score of every trial, of a simulator for example, which saves trials
        (docs/design/readings.md): its column; beside a mapping of scores, a mapping like it.
    proxy_scores
        The proxy's scores in many simulated scenes apart from the trials, for its mean: a file or a
        frame with the same policies, a mapping, or an array (scenes, policies). Each of the
        ``n_max`` rows gets some of them.
    **settings
        What is asked, by which method, and how files are read.

    Examples
    --------
    >>> import stopwise as sw
    >>> scores = {"a": [0.9, 1, 0.8] * 9, "b": [0.1, 0.3, 0.2] * 9, "c": [0.3, 0.2, 0.2] * 9}
    >>> analysis = sw.analyze(scores)
    >>> analysis.letters
    {'a': 'a', 'c': 'b', 'b': 'b'}
    >>> analysis.order_text
    'a > c, b; c undecided against b'
    """
    require_tasks_choice(tasks, task_order, weights, choices=(None, "mean", "each"))
    trials, asked = taken(trials, settings, bounds=bounds, proxy=proxy)
    if tasks is None:
        trials = scene_list.drawn(trials, asked, design)
    if tasks == "mean":
        require(
            asked.get("list_size") is None,
            "a list has no rounds of tasks: its scenes are one list",
            parameter="tasks",
        )
        require(
            proxy is None and proxy_scores is None and unit == "trial",
            "a proxy, and the mean of a training run as one trial, belong to one task: they do not "
            "go with the mean over several",
            parameter="tasks",
        )
        by_task = asked.get("by", "means") != "means"
        mean: dict[str, Any] = {"order": task_order, "weights": weights, "by_task": by_task}
        parts = [over_tasks(trials, design=design, bounds=bounds, **mean)]
    else:
        parts = [
            table.declaring(bounds)
            for table in tables(trials, design=design, unit=unit, proxy=proxy)
        ]
    if tasks == "each":
        parts = comparable(parts, asked.get("baseline"))
    if len(parts) > 1:
        text = (
            f"the claims on {len(parts)} tasks share alpha: the chance that any is false is at "
            f"most {asked.get('alpha', Rules.alpha):g}"
        )
        ask = ("; for one claim about their mean, ask for ", Setting("tasks", "mean"))
        note = Message(text, *(ask if unit == "trial" else ()))
        parts = [replace(table, notes=(*table.notes, note)) for table in parts]
    require(
        len(parts) == 1 or tasks == "each",
        f"analyze takes one task, but got {len(parts)}: "
        f"{few([str(table.task) for table in parts])}; give ",
        Setting("tasks", "each"),
        " for an answer on each of them, or ",
        Setting("tasks", "mean"),
        " for one about their mean",
    )
    posed = {}
    for table in parts:
        declared, known = _declared(table, n_max, asked, stored, unequal)
        posed[table.task or "task"] = proxied(
            declared,
            known,
            # Beside a mapping of scores it has no name.
            column=proxy if proxy is None or isinstance(proxy, str) else "proxy",
            source=proxy_scores,
            several=len(parts) > 1,
        )
    answers = {
        task: pose(rules).analyze(table) for task, (rules, table) in one_family(posed).items()
    }
    return answers if tasks == "each" else next(iter(answers.values()))


def _declared(
    table: Table,
    n_max: int | None,
    settings: RuleSettings,
    stored: str | Sequence[str],
    unequal: str,
) -> tuple[Table, dict[str, Any]]:
    """Return a table, and what is declared with it for its rules."""
    table, groups = grouped(table, n_max, stored, unequal)
    table, whole = scene_list.declared(table, {**settings, "n_max": n_max})
    asked = table.asked(settings)
    if any(getattr(note, "code", "") == LED_RACE for note in table.notes):
        asked = {**({"allocation": "leader"} if asked.get("goal") == "best" else {}), **asked}
    return table, {
        "policies": table.policies,
        **groups,
        **whole,
        **(table.mean.declared if table.mean is not None else {}),
        "bounds": table.bounds or (0.0, 1.0),
        "design": table.design,
        **for_files(asked),
    }


Posed = tuple[Rules, Table]


def one_family(tasks: Mapping[str, Posed]) -> dict[str, Posed]:
    if len(tasks) == 1:
        return dict(tasks)
    first = next(iter(tasks.values()))[0]
    if first.goal != Rules.goal:
        return {
            task: (replace(rules, alpha=rules.alpha / len(tasks)), table)
            for task, (rules, table) in tasks.items()
        }
    sizes = {task: len(rules.pairs) for task, (rules, _) in tasks.items()}
    open_, shared = dict(sizes), dict(tasks)
    before: dict[str, int] = {}
    while open_ != before:
        before = open_
        size, left = sum(sizes.values()), sum(open_.values())
        shared = {
            task: (replace(rules, elsewhere=(size - sizes[task], left - open_[task])), table)
            for task, (rules, table) in tasks.items()
        }
        open_ = {task: PairTests(rules).undecided(table) for task, (rules, table) in shared.items()}
    return shared
