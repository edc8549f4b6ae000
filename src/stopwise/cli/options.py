"""The options of all commands that compare or plan: what each is, and which commands take it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from stopwise.cli import values
from stopwise.cli.given import flag, row, takes_options

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
FILES = "analyze compare watch gate plan forecast"
ALL = f"{FILES} race"
MANY = "analyze watch plan forecast race"
READING = f"{FILES} import"
ASKED, READ, TASKS, SIMULATED, REPORTED = "comparison", "reading", "tasks", "simulation", "report"
RACE = "race"
FACTORY = "NAME=package.module:factory"


def _unless_none(name: str) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {} if value is None else {name: value}


# fmt: off
TABLE = {
    "Start here": [
        row("analyze watch", "files", list[Path], "Files of trials, or a folder of them.",
            typed="argument"),
        row("compare", "first", str, "One policy: SUCCESSES/TRIALS, such as 17/20, or a file.",
            ..., typed="argument"),
        row("compare", "second", str, "The other policy, in the same form; none with --reference. "
            "Without both, the first is a table with the successes and trials of each policy.",
            typed="argument"),
        row("gate", "new", str, "The new policy: a file or folder of its trials, or of both "
            "policies; with --results its name.", ..., typed="argument"),
        row("plan", "guesses", list[str], "What you expect of each policy: a success rate (0.6), "
            "MEAN+-SD (0.5+-0.2), or score:probability (0:0.2,0.5:0.3,1:0.5). A single guess is "
            "the policy to improve on, by each gap; without any you get a table of gaps.",
            typed="argument", metavar="[GUESS]..."),
        row("forecast", "source", str, "The trials so far: a file, or the folder or URL of a live "
            "study.", ..., typed="argument", metavar="FILE|STUDY"),
        row("race", "env", list[str], "What to run: a Gymnasium id, or package.module:name of a "
            "function that makes an environment or runs an episode. With --tasks mean: repeat for "
            "each task.", ..., metavar="[TASK=]ENV"),
        row("analyze watch", "policy", list[str], "One policy's file; repeat for each policy.",
            metavar="NAME=FILE"),
        row("race", "policy", list[str], "A policy and the function that makes it, the address of "
            "its server (as in NAME=ws://localhost:8000), or the folder where LeRobot saved it; "
            "repeat for each.", metavar=FACTORY),
        row("race", "checkpoints", str, "Instead of --policy: a folder of checkpoints, or a "
            "pattern in quotes, such as 'runs/*/ckpt_*.zip'. With --later, new ones may join.",
            metavar="PATTERN"),
        row("race", "load", str, "With --checkpoints: the function that turns a path into a "
            "policy.", None, RACE, metavar="package.module:function"),
        row("plan", "pilot", Path, "A file of trials from a pilot study, instead of guesses."),
        row("gate", "baseline", str, "The old policy: a file or folder of its trials, or its "
            "name."),
        row("gate", "margin", float, "How much worse is still acceptable, in units of the score: a "
            "positive number, such as 0.05 or 5%. Required; with --reference it is 0 if not "
            "given.", None, "gate"),
        row("gate", "results", list[Path], "A file or folder that holds both policies; repeat for "
            "each."),
        row("analyze compare", "bounds", str, 'Range of the score: "LOW,HIGH", "TASK=LOW,HIGH; ..."'
            ' for each task, or "data" (the range of the data, which voids the guarantee).',
            None, READ, values.bounds),
        row("gate watch", "bounds", str, 'Range of the score: "LOW,HIGH", or "TASK=LOW,HIGH; ..." '
            "for each task.", None, READ, values.bounds),
        row("plan forecast", "bounds", str, 'Range of the score: "LOW,HIGH".', None, READ,
            values.bounds),
        row("race", "bounds", str, 'Range of the score: LOW HIGH, or "LOW,HIGH".', "0,1", RACE,
            values.one_range, metavar="LOW HIGH"),
        row("analyze compare watch gate", "n_max", int,
            "Maximum trials per policy, fixed before the first trial.", None, ASKED),
        row("forecast", "n_max", int,
            "Maximum trials per policy, as declared; a live study knows its own.", None, ASKED),
        row("plan", "n_max", str, "Maximum trials per policy to consider, e.g. 50,100,200.", None,
            "plan", partial(values.numbers, "n_max", int)),
        row("race", "n_max", int, "Maximum episodes per policy, fixed before the first one.", 500,
            ASKED),
        row("analyze compare watch gate forecast import", "score", str,
            "The column or measure to compare, if not the default.", None, READ),
        row("race", "score", str,
            "The measure to compare: return, success, length or one of your own.", None, RACE),
        row("plan", "scores", list[str], "The column or measure to compare, if not the default. "
            "Repeat for each of several, with its range: what each would need is shown in one "
            "table.", typed="--score", metavar="NAME[=LOW,HIGH]"),
        row(READING, "column", list[str], "Which column plays which role, such as policy=algo; "
            "task=env,task joins two columns, trial= means there is none, policies=a,b names "
            "columns with the scores of one policy each, time=stamp sorts the trials. Repeat for "
            "each role.", None, READ, values.columns, metavar="ROLE=NAME"),
        row("analyze plan forecast race", "html", Path,
            "Write the answer to this file as a web page."),
        row("gate", "html", Path, "Write a self-contained page to this file."),
    ],
    "The question": [
        row("analyze watch race", "baseline", str,
            "Compare every policy with this one only, instead of all pairs.", None, ASKED),
        flag("plan", "baseline", "Compare all policies with the first one only.", "plan"),
        row(ALL, "reference", float,
            "Compare every policy with this number instead of with another policy.", None, ASKED),
        row(MANY, "margin", float, "How much better a policy must be, in units of the score. "
            "Negative, with --baseline: show that policies are not worse by this much (-0.05).",
            0.0, ASKED),
        row("compare", "margin", float, "By how much better a policy must be, in units of the "
            "score. Negative: show that the second is not worse than the first by this much "
            "(-0.05).", 0.0, ASKED),
        row(f"{MANY} compare", "equivalence", float, "Also find policies that are practically the "
            "same: means less than this apart, in units of the score.", None, ASKED),
        row(MANY, "goal", str, "What to find out: order (which policies are better than which) "
            "or best (only which one is best, in far fewer trials).", None, ASKED,
            show_default="order"),
        row(MANY, "indifference", float,
            "A policy this close to the best is good enough; implies --goal best.", 0.0, ASKED),
        row("analyze compare watch", "by", str, "What makes a policy better: means, wins (it wins "
            "more often; scores need no bounds, and nothing is claimed about means; the default "
            "for preferences) or successes (it has the best score more often).", None, ASKED,
            _unless_none("by"), show_default="means"),
        row(ALL, "lower_is_better", bool, "What is better, where the name of the score does not "
            "say: smaller scores, such as times, or larger.", None, ASKED,
            _unless_none("lower_is_better"), typed="--lower-is-better/--higher-is-better",
            show_default=False),
        row("analyze", "not_worse_anywhere", float, "With --baseline, of several tasks: show that "
            "policies are not worse than it by this much on any of them.", metavar="MARGIN"),
        row("gate", "not_worse_anywhere", float, "Of several tasks: how much worse is still "
            "acceptable on each of them. All must be shown.", metavar="MARGIN"),
        row("plan", "alternative", str, "two-sided; with two policies also greater (is the second "
            "better?) or less.", "two-sided", "plan"),
        flag("compare", "rerun", "Whether these are two runs of the same policy on the same "
             "scenes: which flip, how the mean changed, and the smallest difference that such a "
             "benchmark can show."),
        row("race watch", "later", list[str], "With --goal best: a policy that will join later, at "
            "no cost; no winner is named before it does. Repeat for each.", None, ASKED,
            metavar="NAME"),
    ],
    "Several tasks": [
        row("analyze watch", "tasks", str, "One claim about the mean over all tasks, instead of "
            "one for each task: mean (rows hold one trial of every task), independent (and these "
            "share no training run, scene or session) or random (the task of each row was drawn at "
            "random); both need fewer trials. With weights: mean:reach=2,lift=1.", None, TASKS,
            values.tasks, metavar="KIND[:TASK=WEIGHT,...]"),
        row("race", "tasks", str, "One claim about the mean over several tasks, of which each row "
            "is given one at random: mean. With weights: mean:reach=2,lift=1.", None, TASKS,
            values.tasks, metavar="mean[:TASK=WEIGHT,...]"),
        row("plan", "tasks", int, "With --budget: the number of tasks on which it is spent.", 1,
            "plan"),
        row("gate", "task", str, "Which task, if there are several.", None, "gate"),
    ],
    "Reading files": [
        row(READING, "where", list[str],
            "Read only rows with this value in a column. Repeat for more.", None, READ,
            metavar="COLUMN=VALUE"),
        row(READING, "at", str,
            "Of learning curves, one value per training run: last, best, auc or a step.", None,
            READ, metavar="POINT"),
        row(READING, "sheet", str, "The sheet of a workbook.", None, READ, metavar="NAME"),
        row(READING, "missing", str, "What to do with trials that have no score: error, fail "
            "(count as the worst score) or drop.", "error", READ),
        row(READING, "success_word", list[str], "A word of the score that means success besides "
            "those understood; all others mean failure. Repeat for more.", None, READ,
            metavar="WORD"),
        row("analyze compare", "seed", int, "Shuffle the trials by this seed, chosen before the "
            "scores were seen, if they lost their order.", None, READ, values.order),
        flag("analyze", "explain",
             "Show what each column is taken for and why, and nothing else."),
    ],
    "Which trials meet": [
        row("analyze", "design", str, "How trials of different policies meet: auto, independent, "
            "paired (one trial each from the same start), stratified (several), or groups (all "
            "trials of unequal numbers, which were fixed before any score was seen).",
            "auto", ASKED, values.design),
        row("compare watch gate forecast", "design", str, "How trials of different policies are "
            "matched: auto, independent, paired (one trial each from the same start) or stratified "
            "(several).", "auto", ASKED, values.design),
        row("plan", "design", str, "independent, or paired: one trial each from the same start.",
            None, ASKED),
        row("race", "design", str, "paired (the same seeds for every policy; usual) or "
            "independent. A resumed race keeps the design in its journal.", None, ASKED,
            show_default=False),
        row("analyze", "unit", str, "What counts as one trial: trial, or seed (the mean of a "
            "training run, so that claims are about the algorithm).", "trial", "analyze"),
        row("analyze", "stored", list[str], "A policy whose trials were run before the study, "
            "under the same conditions: all of them count. Repeat for each.", None, "analyze"),
        row("race watch", "stored", list[str], "A policy that was run before, under the same "
            "conditions, and the file of its trials, at least --n-max of them: it is not run "
            "again. Repeat for each.", metavar="NAME=FILE"),
        row("plan", "stored", int, "How many trials of the first policy were run before: they "
            "count, and it is not run again.", None, "plan"),
        row(FILES, "list_size", int, "Of a fixed list of scenes, each tried once in an order drawn "
            "at random before: how many. Claims are then about this list, in this run.", None,
            ASKED, metavar="SCENES"),
        row("race", "scenes", str, "A fixed list of scenes, which all policies try once, in an "
            "order drawn at random: how many, for the seeds from 0 on, or the file with one on "
            "each line. Claims are about this list, in this run.", None, RACE, values.scenes,
            metavar="NUMBER|FILE"),
        row("plan", "correlation", float,
            "Correlation of scores from the same start, with --design paired.", 0.0, "plan"),
    ],
    "Simulator or judge": [
        row("analyze", "proxy", str, "A column with a cheap score of every trial, which saves "
            "trials. A simulator's: COLUMN=FILE, a file of many other simulated scenes. A judge's: "
            "COLUMN=CHANCE, with which rows were drawn for people to score too; leave the score of "
            "all other trials empty.", metavar="COLUMN=FILE|CHANCE"),
    ],
    "Planning": [
        row("plan", "budget", str, "Maximum trials in total to consider, instead of --n-max.", None,
            "plan", partial(values.numbers, "budget", int)),
        row("plan", "gaps", str, "Differences between means to consider, e.g. 0.1,0.2.", None,
            "plan", partial(values.numbers, "gaps", float)),
        row("plan", "policies", int, "Number of policies.", None, "plan"),
        row("plan", "power", float, "The chance you want of finding a difference that is there.",
            0.8, "plan"),
        row("plan forecast", "minutes_per_trial", float,
            "How long a trial takes, to show hours as well.", None, SIMULATED,
            typed="--minutes-per-trial --minutes"),
        row("plan", "robots", int, "Robots (or simulators) that run trials at once, for the hours.",
            1, "plan"),
        row("plan forecast", "precision", float,
            "Standard error of the chances; smaller takes longer.", 0.015, SIMULATED),
        row("plan forecast", "seed", int, "Seed for the simulation.", 0, SIMULATED),
    ],
    "Running": [
        row("race", "success", str,
            "Which step says whether an episode is a success: the last, or any.", "last", RACE),
        row("race", "seed", int, "Seed for the whole race; 0 by default, but drawn and recorded "
            "with several tasks.", None, RACE, show_default=False),
        row("race", "executor", str, "What runs the episodes: serial, processes, ray, or "
            "ray:ADDRESS of a cluster.", "serial"),
        row("race", "workers", int, "Number of workers, with --executor processes or ray.", None,
            "fleet"),
        row("race", "num_cpus", float,
            "CPUs that each worker needs, with --executor ray; 1 by default.", None, "fleet"),
        row("race", "num_gpus", float,
            "GPUs that each worker needs (0.5: two share one), with --executor ray.", None,
            "fleet"),
        row("race", "resources", list[str], "What else of a Ray node each worker needs; repeat for "
            "each.", None, "fleet", values.resources, metavar="NAME=NUMBER"),
        row("race", "runtime_env", str, "What Ray's workers get: JSON, or a file of it, as in "
            '\'{"working_dir": "."}\'.', None, "fleet", values.runtime_environment,
            metavar="JSON"),
        row("race", "journal", Path, "Record every episode in this file; if it exists, resume from "
            "it. By default a new one in the folder of your user's state.", show_default=False),
        row("race", "on_error", str, "What to do if an episode fails: raise (stop the race), void "
            "(leave it out) or score:X (count it as score X).", "raise", RACE),
        row("race", "timeout", float, "Seconds after which an episode counts as failed.", None,
            RACE),
        row("watch", "interval", float, "Seconds between looks.", 5.0, min=0.05),
        flag("watch", "once", "Look once: exit code 0 means stop, 3 means go on."),
        flag("watch", "wait", "Wait for files that are not there yet."),
    ],
    "The test": [
        row(ALL, "method", str, "The statistical test; `stopwise methods` lists all.",
            "nscore-plus", ASKED),
        row(ALL, "alpha", float, "Error level: the chance of any false claim is at most this.",
            0.05, ASKED),
        row("analyze watch forecast", "adjust", str,
            "How alpha is shared among the pairs of policies: bonferroni or holm.", "holm", ASKED),
        row("analyze watch forecast", "ties", str, "Error level if two policies are exactly equal: "
            "strict (alpha) or paper (2 alpha, as published).", "strict", ASKED),
        row("analyze", "bins", int, "Number of bins for the scores, with --method nscore.", None,
            "analyze", _unless_none("bins")),
        row("analyze compare watch plan race", "futility", str, "With --n-max, when the chance of "
            "a decision by then falls below 0.05 (or CHANCE): advisory (say so), binding (stop "
            "there, undecided) or none.", None, ASKED, values.futility, metavar="KIND[:CHANCE]",
            show_default="advisory"),
        row("forecast", "futility", float, "Advise stopping once the chance of another verdict "
            "falls below this; set it in advance.", None, SIMULATED),
    ],
    "Memory": [
        row("gate", "state", Path, "Where to remember the trials counted so far. Give all trials "
            "each time, old and new; changed results or other settings are refused. Without it the "
            "trials are taken to be complete.", None, "gate"),
        row("watch", "state", Path, "Where to remember the trials seen, so that the next look "
            "refuses changed results."),
        row("gate", "versions", str, "With --state: text that names the exact versions of both "
            "policies, such as two checkpoint hashes; another one is refused.", None, "gate"),
    ],
    "Output": [
        flag("analyze compare gate plan forecast race", "as_json", "Print JSON instead of text.",
             typed="--json"),
        flag("watch", "as_json", "Print one line of JSON per look.", typed="--json"),
        row("analyze plan forecast", "figures", str, "Save the figures as PDF, SVG and PNG in this "
            "folder, 3.5 inches wide if not said.", metavar="FOLDER[:INCHES]"),
        row("gate", "junit", Path, "Write the answer to this file as a JUnit test."),
        row("gate", "summary", Path,
            "Append the answer to this file as a Markdown table, for a CI summary."),
        flag("analyze compare watch race", "exit_code", "Exit with 0 if every other policy was "
             "shown to be better than the baseline (with a negative margin: not worse), 1 if one "
             "was shown to be worse, 3 if neither (also if they are practically the same), 2 on "
             "bad input. With two policies, the first is the baseline. With --goal best: 0 if one "
             "is named."),
        flag("analyze", "verbose", "Of several tasks, print the tables of each."),
        row("race watch", "report_to", list[str], "Report each row, and the page "
            "at the end, to wandb or tensorboard; repeat for both.", None, REPORTED,
            metavar="TRACKER"),
        row("race watch", "on_row", str, "A function that is called with the "
            "number of each row and its values.", None, REPORTED, values.function_on_row,
            metavar="package.module:function"),
    ],
}
# fmt: on
takes = partial(takes_options, TABLE)
