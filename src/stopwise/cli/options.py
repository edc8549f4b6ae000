"""The options of more than one command, each worded once, in groups that go together."""

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.option_groups import OptionGroup, option
from stopwise.cli.parameters import number
from stopwise.cli.values import (
    column_choices,
    named_numbers,
    numbers,
    parse_bounds,
)

# Behind the name of a folder: how wide figures are.
WIDTH = re.compile(r":([0-9]+(?:\.[0-9]+)?)$")
KINDS_OF_FUTILITY = ("advisory", "binding", "none")
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
NamedFiles = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=FILE", help="One policy's file; repeat for each policy."),
]
TrialFiles = Annotated[
    list[Path] | None, typer.Argument(help="Files of trials, or a folder of them.")
]
Workers = Annotated[
    int | None, typer.Option(help="Number of workers, with --executor processes or ray.")
]
MinutesPerTrial = Annotated[
    float | None,
    typer.Option(
        "--minutes-per-trial", "--minutes", help="How long a trial takes, to show hours as well."
    ),
]

Stored = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=FILE",
        help="A policy that was run before, under the same conditions, and the file of its trials, "
        "at least --n-max of them: it is not run again. Repeat for each.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions(OptionGroup):
    """How policies are compared; a new setting of the library is one more field here."""

    method: str = option("The statistical test; `stopwise methods` lists all.", "nscore-plus")
    alpha: float = option("Error level: the chance of any false claim is at most this.", 0.05)
    n_max: int | None = option("Maximum trials per policy, fixed before the first trial.")
    design: str | None = option(
        "How trials of different policies are matched: auto, independent, paired (one "
        "trial each from the same start) or stratified (several).",
        "auto",
    )
    adjust: str = option(
        "How alpha is shared among the pairs of policies: bonferroni or holm.", "holm"
    )
    ties: str = option(
        "Error level if two policies are exactly equal: strict (alpha) or paper (2 alpha, "
        "as published).",
        "strict",
    )
    baseline: str | None = option("Compare every policy with this one only, instead of all pairs.")
    margin: float = option(
        "How much better a policy must be, in units of the score. Negative, with "
        "--baseline: show that policies are not worse by this much (-0.05).",
        0.0,
    )
    futility: str | None = option(
        "With --n-max, when the chance of a decision by then falls below 0.05 (or CHANCE): "
        "advisory (say so), binding (stop there, undecided) or none.",
        metavar="KIND[:CHANCE]",
        show_default="advisory",
    )
    reference: float | None = option(
        "Compare every policy with this number instead of with another policy."
    )
    goal: str | None = option(
        "What to find out: order (which policies are better than which), best (only which one is "
        "best, in far fewer trials) or improve (the first that is better than the baseline).",
        show_default="order",
    )
    indifference: float = option(
        "A policy this close to the best is good enough; implies --goal best.", 0.0
    )
    equivalence: float | None = option(
        "Also find policies that are practically the same: means less than this apart, in "
        "units of the score."
    )
    list_size: int | None = option(
        "Of a fixed list of scenes, each tried once in an order drawn at random before: how many. "
        "Claims are then about this list, in this run.",
        metavar="SCENES",
    )
    lower_is_better: bool | None = option(
        "What is better, where the name of the score does not say: smaller scores, such as times, "
        "or larger.",
        name="--lower-is-better/--higher-is-better",
        show_default=False,
    )
    by: str | None = option(
        "What makes a policy better: means, wins (it wins more often; scores need no bounds, and "
        "nothing is claimed about means; the default for preferences) or successes (it has the "
        "best score more often).",
        show_default="means",
    )

    @property
    def of_scenes(self) -> bool:
        """Whether claims are about a fixed list, whose scenes may belong to several tasks."""
        return self.list_size is not None

    def keywords(self) -> dict[str, Any]:
        """The settings as keywords of the library, which detects a design of None."""
        found = super().keywords()
        for name in ("by", "lower_is_better"):
            if found.get(name) is None:
                found.pop(name, None)
        if "goal" in found:
            found["goal"] = self.goal or ("best" if self.indifference else "order")
        if "futility" in found:
            found.update(_futility(found.pop("futility")))
        return {**found, "design": None if self.design == "auto" else self.design}


def _futility(typed: str | None) -> dict[str, Any]:
    """Read ``binding:0.1`` as a kind and a chance."""
    if typed is None:
        return {}
    kind, _, chance = typed.partition(":")
    if kind not in KINDS_OF_FUTILITY:
        raise Mistyped(
            f"--futility must be advisory, binding or none, but got {typed!r} (a chance of its own "
            "follows the word: --futility advisory:0.1)"
        )
    found: dict[str, Any] = {"futility": None if kind == "none" else kind}
    if chance:
        (found["futility_chance"],) = numbers(chance, "--futility KIND:CHANCE", float) or [None]
    return found


@dataclass(frozen=True, kw_only=True)
class JoiningOptions(ComparisonOptions):
    """The settings of a comparison to which policies may come later."""

    later: list[str] | None = option(
        "With --goal best: a policy that will join later, at no cost; no winner is named "
        "before it does. Repeat for each.",
        metavar="NAME",
    )

    def keywords(self) -> dict[str, Any]:
        """The settings as keywords of the library."""
        return {**super().keywords(), "later": self.later or ()}


@dataclass(frozen=True, kw_only=True)
class TaskOptions(OptionGroup):
    """A claim about the mean over tasks."""

    tasks: str | None = option(
        "One claim about the mean over all tasks, instead of one for each task: mean (rows hold "
        "one trial of every task), independent (and these share no training run, scene or session) "
        "or random (the task of each row was drawn at random); both need fewer trials. With "
        "weights: mean:reach=2,lift=1.",
        metavar="KIND[:TASK=WEIGHT,...]",
    )

    def keywords(self) -> dict[str, Any]:
        """The options as keywords of the library."""
        if self.tasks is None:
            return {"tasks": None, "task_order": "rounds", "weights": None}
        kind, _, weights = self.tasks.partition(":")
        return {
            "tasks": "mean" if kind in ("random", "independent") else kind,
            "task_order": "rounds" if kind == "mean" else kind,
            "weights": named_numbers(
                [part.strip() for part in weights.split(",") if part.strip()],
                "--tasks mean:",
                "TASK=WEIGHT,...",
            ),
        }


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(OptionGroup):
    """How a file of trials is read."""

    bounds: str | None = option(
        'Range of the score: "LOW,HIGH", "TASK=LOW,HIGH; ..." for each task, or "data" '
        "(the range of the data, which voids the guarantee)."
    )
    score: str | None = option("The column or measure to compare, if not the default.")
    where: list[str] | None = option(
        "Read only rows with this value in a column. Repeat for more.", metavar="COLUMN=VALUE"
    )
    at: str | None = option(
        "Of learning curves, one value per training run: last, best, auc or a step.",
        metavar="POINT",
    )
    column: list[str] | None = option(
        "Which column plays which role, such as policy=algo; task=env,task joins two columns, "
        "trial= means there is none, policies=a,b names columns with the scores of one policy "
        "each, time=stamp sorts the trials. Repeat for each role.",
        metavar="ROLE=NAME",
    )
    sheet: str | None = option("The sheet of a workbook.", metavar="NAME")
    missing: str = option(
        "What to do with trials that have no score: error, fail (count as the worst score) or "
        "drop.",
        "error",
    )
    success_word: list[str] | None = option(
        "A word of the score that means success besides those understood; all others mean failure. "
        "Repeat for more.",
        metavar="WORD",
    )
    seed: int | None = option(
        "Shuffle the trials by this seed, chosen before the scores were seen, if they lost their "
        "order."
    )

    def keywords(self) -> dict[str, Any]:
        """The options as keywords of ``read_trials``."""
        found = super().keywords()
        columns = column_choices(found.pop("column"))
        policies = columns.pop("policies", None)
        if policies is not None:
            found["policies"] = [policies] if isinstance(policies, str) else policies
        if "seed" in found:
            by_time = "time" if columns.get("time") else "file"
            found["order"] = by_time if self.seed is None else "shuffled"
        found["where"], found["success_word"] = self.where or (), self.success_word or ()
        if "bounds" in found:
            found["bounds"] = parse_bounds(self.bounds)
        return {**found, "columns": columns}


@dataclass(frozen=True, kw_only=True)
class ProxyOptions(OptionGroup):
    """A cheap score of every trial."""

    proxy: str | None = option(
        "A column with a cheap score of every trial, which saves trials. A simulator's: "
        "COLUMN=FILE, a file of many other simulated scenes. A judge's: COLUMN=CHANCE, with which "
        "rows were drawn for people to score too; leave the score of all other trials empty.",
        metavar="COLUMN=FILE|CHANCE",
    )

    def settings(self, how: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Keywords of ``read_trials``, ``how`` to read among them, and of ``analyze``."""
        if self.proxy is None:
            return how, {}
        column, _, source = self.proxy.partition("=")
        how = {**how, "columns": {**how["columns"], "proxy": column}}
        if not source:
            return how, {"proxy": column}
        try:
            audit = number(source)
        except ValueError:
            from stopwise.rows.scenes import read_scenes

            return how, {"proxy": column, "proxy_scores": read_scenes(Path(source), column, **how)}
        return {**how, "missing": "keep"}, {"proxy": column, "audit": audit}


@dataclass(frozen=True, kw_only=True)
class SimulationOptions(OptionGroup):
    """How a plan or a forecast is simulated."""

    precision: float = option("Standard error of the chances; smaller takes longer.", 0.015)
    seed: int = option("Seed for the simulation.", 0)

    def keywords(self) -> dict[str, Any]:
        """The options as keywords of the library."""
        return {"precision": self.precision, "seed": self.seed}


@dataclass(frozen=True, kw_only=True)
class ReportingOptions(OptionGroup):
    """Where each row is reported."""

    report_to: list[str] | None = option(
        "Report each row, and the page at the end, to wandb or tensorboard; repeat for both.",
        metavar="TRACKER",
    )
    on_row: str | None = option(
        "A function that is called with the number of each row and its values.",
        metavar="package.module:function",
    )

    def keywords(self) -> dict[str, Any]:
        """The options as keywords of the library; modules here can be named."""
        if self.on_row is None:
            return super().keywords()
        from stopwise.policies.import_path import load

        with_current_folder()
        return {**super().keywords(), "on_row": load(self.on_row)}


def with_current_folder() -> None:
    """Let modules in the current folder be named, as with ``python -m``."""
    sys.path.insert(0, os.getcwd())


@dataclass(frozen=True, kw_only=True)
class OutputOptions(OptionGroup):
    """Where the answer goes."""

    as_json: AsJson = False
    html: Path | None = option("Write the answer to this file as a web page.")
    figures: str | None = option(
        "Save the figures as PDF, SVG and PNG in this folder, 3.5 inches wide if not said.",
        metavar="FOLDER[:INCHES]",
    )

    @property
    def folder(self) -> Path | None:
        """Where the figures go."""
        from stopwise.errors import require

        if self.figures is None:
            return None
        folder = Path(WIDTH.sub("", self.figures))
        text = f"figures: the width behind ':' must be inches, as in out:7.2, got {self.figures!r}"
        require(":" not in folder.name, text, parameter="figures")
        return folder

    @property
    def width(self) -> float:
        """How wide the figures are, in inches."""
        from stopwise.report.canvas import COLUMN

        found = WIDTH.search(self.figures or "")
        return float(found.group(1)) if found else COLUMN


def refuse_unused(context: typer.Context, names: set[str], reason: str) -> None:
    """Raise if an option that has no effect was given, instead of ignoring it."""
    from stopwise.errors import require

    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        given = source is not None and source.name != "DEFAULT"
        unused = given and parameter.name in names
        require(not unused, f"{parameter.opts[0]} has no effect {reason}")


def json_of(contents: list[dict[str, Any]]) -> str:
    """One answer, or the list of several, as JSON."""
    return json.dumps(contents[0] if len(contents) == 1 else contents, indent=2)
