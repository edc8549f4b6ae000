"""The options of more than one command, each worded once, in groups that go together."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.option_groups import OptionGroup, flag, option
from stopwise.cli.values import chosen_executor, column_choices, named_numbers, parse_bounds

WEIGHT = "TASK=NUMBER"
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
Address = Annotated[str | None, typer.Option(help="Address of an existing Ray cluster.")]
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
        "With --n-max, when a decision by then has become unlikely: advisory (say so), "
        "binding (stop there, undecided) or none.",
        metavar="KIND",
        show_default="advisory",
    )
    futility_chance: float | None = option(
        "A decision counts as unlikely if its chance is below this.", show_default="0.05"
    )
    reference: float | None = option(
        "Compare every policy with this number instead of with another policy."
    )
    goal: str = option(
        "What to find out: order (which policies are better than which) or best (only which "
        "one is best, in far fewer trials).",
        "order",
    )
    indifference: float = option(
        "With --goal best: a policy this close to the best is good enough.", 0.0
    )

    equivalence: float | None = option(
        "Also find policies that are practically the same: means less than this apart, in "
        "units of the score."
    )
    lower_is_better: bool = flag("Smaller scores are better, such as times.")
    higher_is_better: bool = flag("Larger scores are better, where the name does not say.")
    by: str | None = option(
        "What makes a policy better: means, or wins (it wins more often; scores need no "
        "bounds, and nothing is claimed about means; the default for preferences).",
        show_default="means",
    )
    allocation: str | None = option(
        "With --goal best: leader (the leading policy is run more often; the default in "
        "race) or even (the same number of trials of each; the default for files).",
        show_default=False,
    )

    def keywords(self) -> dict[str, Any]:
        """Return the settings as keywords of the library, which detects a design of None."""
        found = super().keywords()
        higher = found.pop("higher_is_better", False)
        if higher and self.lower_is_better:
            raise Mistyped("--lower-is-better and --higher-is-better contradict each other")
        if not (higher or self.lower_is_better):
            found.pop("lower_is_better", None)
        for name in ("allocation", "by", "futility", "futility_chance"):
            if getattr(self, name) is None:
                found.pop(name, None)
        if self.futility not in (None, "none", "advisory", "binding"):
            raise Mistyped(
                f"--futility must be advisory, binding or none, but got {self.futility!r} (a "
                "threshold is for --futility of `stopwise forecast`, here --futility-chance)"
            )
        if self.futility == "none":
            found["futility"] = None
        return {**found, "design": None if self.design == "auto" else self.design}


@dataclass(frozen=True, kw_only=True)
class JoiningOptions(ComparisonOptions):
    """The settings of a comparison to which policies may come later."""

    later: list[str] | None = option(
        "With --goal best: a policy that will join later, at no cost; no winner is named "
        "before it does. Repeat for each.",
        metavar="NAME",
    )

    def keywords(self) -> dict[str, Any]:
        """Return the settings as keywords of the library."""
        return {**super().keywords(), "later": self.later or ()}


@dataclass(frozen=True, kw_only=True)
class TaskOptions(OptionGroup):
    """A claim about the mean over tasks."""

    tasks: str | None = option(
        "mean: one claim about the mean over all tasks, instead of one for each task."
    )
    task_order: str = option(
        "With --tasks mean: rounds (one trial of every task is averaged into each row) or "
        "random (the task of each row was drawn at random, which needs fewer trials).",
        "rounds",
    )
    weight: list[str] | None = option(
        "With --tasks mean: the weight of a task, if not 1; repeat for each.", metavar=WEIGHT
    )

    def keywords(self) -> dict[str, Any]:
        """Return the options as keywords of the library."""
        found = super().keywords()
        found["weights"] = named_numbers(found.pop("weight"), "--weight", WEIGHT)
        return found


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
        "Which column plays which role, such as policy=algo; task=env,task joins two "
        "columns, trial= means there is none. Repeat for each role.",
        metavar="ROLE=NAME",
    )
    file_format: str | None = option("File format, if it is not recognised.", name="--format")
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
    order: str = option("Order of the trials: file, time (by the time column) or shuffled.", "file")
    seed: int | None = option("Seed for --order shuffled.")

    def keywords(self) -> dict[str, Any]:
        """Return the options as keywords of ``read_trials``."""
        found = super().keywords()
        found["columns"] = column_choices(found.pop("column"))
        found["where"], found["success_word"] = self.where or (), self.success_word or ()
        if "file_format" in found:
            found["format"] = found.pop("file_format")
        if "bounds" in found:
            found["bounds"] = parse_bounds(self.bounds)
        return found


@dataclass(frozen=True, kw_only=True)
class TableReadingOptions(ReadingOptions):
    """How a file is read that may hold all policies."""

    policies: str | None = option(
        "In a table with one column of scores per policy: the names of these columns.",
        metavar="NAME,NAME",
    )

    def keywords(self) -> dict[str, Any]:
        """Return the options as keywords of ``read_trials``."""
        names = None if self.policies is None else self.policies.split(",")
        return {**super().keywords(), "policies": names}


@dataclass(frozen=True, kw_only=True)
class ProxyOptions(OptionGroup):
    """A cheap score of every trial."""

    proxy: str | None = option(
        "A column with a cheap score of every trial, e.g. from a simulator, which saves trials.",
        metavar="COLUMN",
    )
    proxy_scores: Path | None = option(
        "With --proxy: a file of many simulated scenes, other than those of the trials, for "
        "the mean of the proxy."
    )
    proxy_mean: list[str] | None = option(
        "With --proxy, instead of --proxy-scores: its mean for each policy, if known.",
        metavar="POLICY=NUMBER",
    )
    audit: float | None = option(
        "If --proxy is a judge's score of every trial: the chance with which rows were drawn "
        "for people to score too. Leave the score of all other trials empty."
    )

    def keywords(self) -> dict[str, Any]:
        """Return the options as keywords of the library."""
        return {
            **super().keywords(),
            "proxy_mean": named_numbers(self.proxy_mean, "--proxy-mean", "POLICY=NUMBER"),
        }

    def reading(self, how: dict[str, Any]) -> dict[str, Any]:
        """Return keywords of ``read_trials`` with what a proxy adds to them."""
        columns = dict(how["columns"])
        if self.proxy is not None:
            columns["proxy"] = self.proxy
        for name in ("audit", "proxy_scores", "proxy_mean"):
            if getattr(self, name) and "proxy" not in columns:
                option = f"--{name.replace('_', '-')}"
                raise Mistyped(f"{option} goes with --proxy COLUMN, the cheap score of every trial")
        if self.audit is not None and (self.proxy_scores or self.proxy_mean):
            raise Mistyped(
                "with --audit the mean of the proxy is not needed: leave --proxy-scores and "
                "--proxy-mean out"
            )
        if how["missing"] == "keep" and self.audit is None:
            raise Mistyped(
                "--missing keep goes with --audit, where a judge has scored every trial and people "
                "some; else --missing drop leaves trials without a score out"
            )
        kept = {} if self.audit is None else {"missing": "keep"}
        return {**how, "columns": columns, **kept}


@dataclass(frozen=True, kw_only=True)
class SimulationOptions(OptionGroup):
    """How a plan or a forecast is simulated."""

    precision: float = option("Standard error of the chances; smaller takes longer.", 0.015)
    seed: int = option("Seed for the simulation.", 0)
    executor: str = option("What runs the simulation: threads, processes or ray.", "threads")
    workers: Workers = None
    address: Address = None

    def keywords(self) -> dict[str, Any]:
        """Return the options as keywords of the library."""
        place = chosen_executor(self.executor, workers=self.workers, address=self.address)
        return {"precision": self.precision, "seed": self.seed, "executor": place}


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
        """Return the options as keywords of the library; modules here can be named."""
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
    figures: Path | None = option("Save the figures as PNG and SVG in this folder.")


def refuse_unused(context: typer.Context, names: set[str], reason: str) -> None:
    """Raise if an option that has no effect was given, instead of ignoring it."""
    from stopwise.errors import require

    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        given = source is not None and source.name != "DEFAULT"
        unused = given and parameter.name in names
        require(not unused, f"{parameter.opts[0]} has no effect {reason}")


def json_of(contents: list[dict[str, Any]]) -> str:
    """Return one answer, or the list of several, as JSON."""
    return json.dumps(contents[0] if len(contents) == 1 else contents, indent=2)
