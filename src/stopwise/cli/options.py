"""The options of all commands that compare or plan: what each is, and which commands take it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from stopwise.cli import values
from stopwise.cli.given import Row, flag, takes_options

FILES = "analyze compare watch gate plan forecast"
ALL = f"{FILES} race"
MANY = "analyze watch plan forecast race"
READING = f"{FILES} import"
ASKED, READ, TASKS, SIMULATED, REPORTED = "comparison", "reading", "tasks", "simulation", "report"
RACE = "race"
CHANGING = "lock serve resolve correct void amend import unblind create revoke"
STUDY = f"{CHANGING} status report export verify backup list"
FACTORY = "NAME=package.module:factory"


def _unless_none(name: str) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {} if value is None else {name: value}


# fmt: off
TABLE = {
    "Study": [
        Row("init", "folder", Path, "A new folder for the study.", ..., typed="argument"),
        Row("init", "store", str, "URL of a PostgreSQL database, if a team shares the study: "
            "...#NAME."),
        Row(STUDY, "place", str, "Folder of the study, or URL of its database.", ".",
            typed="argument", metavar="STUDY"),
        Row("run runner", "place", str, "Folder of the study, URL of its database, or a link to "
            "its server.", ".", typed="argument", metavar="STUDY"),
        Row("correct void", "trial", int, "The number of the trial.", ..., typed="argument"),
        Row("correct", "score", str, "As typed in `run`, e.g. y, 0.5, all or '1 2'.", ...,
            typed="argument"),
        Row("resolve", "code", str, "The code that the operator reads out.", ..., typed="argument"),
        Row("import", "file", Path, "A file of trials, as for `stopwise analyze`.", ...,
            typed="argument"),
        Row("export", "file", Path, "A file that ends in .csv, .jsonl or .parquet.", ...,
            typed="argument"),
        Row("backup", "file", Path, "The file to write, e.g. cups.db.", ..., typed="argument"),
        Row("create", "role", str, "owner, operator, viewer or runner.", ..., typed="argument"),
        Row("create", "name", str, "The person or machine it is for.", ..., typed="argument"),
        Row("create", "days", float, "How many days it is valid.", 90.0),
        Row("revoke", "token", str, "The id of the token, from `token list`.", ...,
            typed="argument"),
        Row("serve", "port", int, "Port; 0 for any free one.", 8000, min=0, max=65535),
        flag("serve", "lan", "Also serve phones and other machines on this network."),
        Row("serve", "url", str, "The public address, if the app is behind a proxy."),
        Row("serve", "certificate", Path, "Serve over TLS, with the certificate in this file."),
        Row("serve", "key", Path, "With --certificate: the file of its private key."),
        flag("serve", "qr", "Print the owner's link as a QR code."),
        Row("run", "station", str, "Name of this robot; defaults to the computer's name, or that "
            "of the token."),
        Row("run", "task", str, "Run only trials of this task."),
        Row("runner", "station", str, "The station, as on the operator's phone; default: the "
            "computer's name."),
        Row("runner", "file", Path, "How each policy is started; default: runner.yaml in the "
            "study's folder."),
        Row("runner", "logs", Path, "Folder for what the policies print; default: beside FILE."),
        Row("correct", "reason", str, "How the mistake happened.", ""),
        Row("void", "reason", str, "The cause, which must have nothing to do with the score.", ""),
        Row("amend import unblind", "reason", str, "Why; shown in the report.", ""),
        Row("void", "redraw", bool, "Whether the trial is run again.", True,
            typed="--redraw/--no-redraw"),
        Row("amend", "change", list[str], "A setting to change, e.g. lease_minutes=60.",
            typed="--set", metavar="NAME=VALUE"),
        flag("import", "again", "These are new trials, although some with the same scores were "
             "imported before."),
        flag("unblind", "yes", "Do not ask, even if it is not finished."),
        Row("report", "html", Path, "The file to write.", Path("report.html")),
        flag("export", "used", "Only the trials that the verdict rests on."),
        Row("verify", "against", str, "The hash of an entry that was written down elsewhere.",
            metavar="HASH"),
        Row(f"{CHANGING} run", "who", str,
            "Your name in the journal; defaults to your account name."),
    ],
    "Start here": [
        Row("analyze watch", "files", list[Path], "Files of trials, or a folder of them.",
            typed="argument"),
        Row("compare", "first", str, "One policy: SUCCESSES/TRIALS, such as 17/20, or a file.",
            ..., typed="argument"),
        Row("compare", "second", str, "The other policy, in the same form; none with --reference. "
            "Without both, the first is a table with the successes and trials of each policy.",
            typed="argument"),
        Row("gate", "new", str, "The new policy: a file or folder of its trials, or of both "
            "policies; with --results its name.", ..., typed="argument"),
        Row("plan", "guesses", list[str], "What you expect of each policy: a success rate (0.6), "
            "MEAN+-SD (0.5+-0.2), or score:probability (0:0.2,0.5:0.3,1:0.5). A single guess is "
            "the policy to improve on, by each gap; without any you get a table of gaps.",
            typed="argument", metavar="[GUESS]..."),
        Row("forecast", "source", str, "The trials so far: a file, or the folder or URL of a live "
            "study.", ..., typed="argument", metavar="FILE|STUDY"),
        Row("race", "env", list[str], "What to run: a Gymnasium id, or package.module:name of a "
            "function that makes an environment or runs an episode. With --tasks mean: repeat for "
            "each task.", ..., metavar="[TASK=]ENV"),
        Row("analyze watch", "policy", list[str], "One policy's file; repeat for each policy.",
            metavar="NAME=FILE"),
        Row("race", "policy", list[str], "A policy and the function that makes it, the address of "
            "its server (as in NAME=ws://localhost:8000), or the folder where LeRobot saved it; "
            "repeat for each.", metavar=FACTORY),
        Row("race", "checkpoints", str, "Instead of --policy: a folder of checkpoints, or a "
            "pattern in quotes, such as 'runs/*/ckpt_*.zip'. With --later, new ones may join.",
            metavar="PATTERN"),
        Row("race", "load", str, "With --checkpoints: the function that turns a path into a "
            "policy.", None, RACE, metavar="package.module:function"),
        Row("plan", "pilot", Path, "A file of trials from a pilot study, instead of guesses."),
        Row("gate", "baseline", str, "The old policy: a file or folder of its trials, or its "
            "name."),
        Row("gate", "margin", float, "How much worse is still acceptable, in units of the score: a "
            "positive number, such as 0.05 or 5%. Required; with --reference it is 0 if not "
            "given.", None, "gate"),
        Row("gate", "results", list[Path], "A file or folder that holds both policies; repeat for "
            "each."),
        Row(FILES, "bounds", str, 'Range of the score: "LOW,HIGH", "TASK=LOW,HIGH; ..." for each '
            'task, or "data" (the range of the data, which voids the guarantee).', None, READ,
            values.bounds),
        Row("race", "bounds", str, 'Range of the score: LOW HIGH, or "LOW,HIGH".', "0,1", RACE,
            values.one_range, metavar="LOW HIGH"),
        Row("analyze compare watch gate forecast", "n_max", int,
            "Maximum trials per policy, fixed before the first trial.", None, ASKED),
        Row("plan", "n_max", str, "Maximum trials per policy to consider, e.g. 50,100,200.", None,
            "plan", partial(values.numbers, "n_max", int)),
        Row("race", "n_max", int, "Maximum episodes per policy, fixed before the first one.", 500,
            ASKED),
        Row("analyze compare watch gate forecast import", "score", str,
            "The column or measure to compare, if not the default.", None, READ),
        Row("race", "score", str,
            "The measure to compare: return, success, length or one of your own.", None, RACE),
        Row("plan", "scores", list[str], "The column or measure to compare, if not the default. "
            "Repeat for each of several, with its range: what each would need is shown in one "
            "table.", typed="--score", metavar="NAME[=LOW,HIGH]"),
        Row(READING, "column", list[str], "Which column plays which role, such as policy=algo; "
            "task=env,task joins two columns, trial= means there is none, policies=a,b names "
            "columns with the scores of one policy each, time=stamp sorts the trials. Repeat for "
            "each role.", None, READ, values.columns, metavar="ROLE=NAME"),
        Row("analyze plan forecast race gate", "html", Path,
            "Write the answer to this file as a web page."),
    ],
    "The question": [
        Row("analyze watch race", "baseline", str,
            "Compare every policy with this one only, instead of all pairs.", None, ASKED),
        flag("plan", "baseline", "Compare all policies with the first one only.", "plan"),
        Row(ALL, "reference", float,
            "Compare every policy with this number instead of with another policy.", None, ASKED),
        Row(f"{MANY} compare", "margin", float, "By how much better a policy must be, in units of "
            "the score. Negative: show that policies are not worse than the --baseline (with "
            "compare, the first) by this much (-0.05).", 0.0, ASKED),
        Row(f"{MANY} compare", "equivalence", float, "Also find policies that are practically the "
            "same: means less than this apart, in units of the score.", None, ASKED),
        Row(MANY, "goal", str, "What to find out: order (which policies are better than which) "
            "or best (only which one is best, in far fewer trials).", None, ASKED,
            show_default="order"),
        Row(MANY, "indifference", float,
            "A policy this close to the best is good enough; implies --goal best.", 0.0, ASKED),
        Row("analyze compare watch", "by", str, "What makes a policy better: its mean (means), or "
            "that it wins more often (wins: scores need no bounds, and nothing is claimed about "
            "means; the default for preferences).", None, ASKED,
            _unless_none("by"), show_default="means"),
        Row(ALL, "lower_is_better", bool, "Which scores are better, if the name of the score "
            "leaves it open: smaller ones, such as times, or larger ones.", None, ASKED,
            _unless_none("lower_is_better"), typed="--lower-is-better/--higher-is-better",
            show_default=False),
        Row("analyze gate", "not_worse_anywhere", float, "With --baseline, of several tasks: show "
            "that a policy is not worse than it by this much on any of them.", metavar="MARGIN"),
        Row("plan", "alternative", str, "two-sided; with two policies also greater (is the second "
            "better?) or less.", "two-sided", "plan"),
        flag("compare", "rerun", "Whether these are two runs of the same policy on the same "
             "scenes: which flip, how the mean changed, and the smallest difference that such a "
             "benchmark can show."),
        Row("race watch", "later", list[str], "With --goal best: a policy that will join later, at "
            "no cost; no winner is named before it does. Repeat for each.", None, ASKED,
            metavar="NAME"),
    ],
    "Several tasks": [
        Row("analyze watch race", "tasks", str, "One claim about the mean over all tasks, instead "
            "of one for each task: mean (rows hold one trial of every task), independent (and "
            "these share no training run, scene or session) or random (the task of each row was "
            "drawn at random; a race draws it). With weights: mean:reach=2,lift=1.", None, TASKS,
            values.tasks, metavar="KIND[:TASK=WEIGHT,...]"),
        Row("plan", "tasks", int, "With --budget: the number of tasks on which it is spent.", 1,
            "plan"),
        Row("gate", "task", str, "Which task, if there are several.", None, "gate"),
    ],
    "Reading files": [
        Row(READING, "where", list[str],
            "Read only rows with this value in a column. Repeat for more.", None, READ,
            metavar="COLUMN=VALUE"),
        Row(READING, "at", str,
            "Of learning curves, one value per training run: last, best, auc or a step.", None,
            READ, metavar="POINT"),
        Row(READING, "sheet", str, "The sheet of a workbook.", None, READ, metavar="NAME"),
        Row(READING, "missing", str, "What to do with trials that have no score: error, fail "
            "(count as the worst score) or drop.", "error", READ),
        Row(READING, "success_word", list[str], "A word of the score that means success besides "
            "those understood; all others mean failure. Repeat for more.", None, READ,
            metavar="WORD"),
        Row("analyze compare", "seed", int, "Shuffle the trials by this seed, chosen before the "
            "scores were seen, if they lost their order.", None, READ, values.order),
        flag("analyze", "explain",
             "Show what each column is taken for and why, and nothing else."),
    ],
    "Which trials meet": [
        Row("analyze compare", "design", str, "How trials of different policies meet: auto, "
            "independent, paired (one trial each from the same start), stratified (several), or "
            "groups (all trials of unequal numbers, which were fixed before any score was seen).",
            "auto", ASKED, values.design),
        Row("watch gate forecast", "design", str, "How trials of different policies are "
            "matched: auto, independent, paired (one trial each from the same start) or stratified "
            "(several).", "auto", ASKED, values.design),
        Row("plan", "design", str, "independent, or paired: one trial each from the same start.",
            None, ASKED),
        Row("race", "design", str, "paired (the same seeds for every policy; usual) or "
            "independent. A resumed race keeps the design in its journal.", None, ASKED,
            show_default=False),
        Row("analyze", "unit", str, "What counts as one trial: trial, or seed (the mean of a "
            "training run, so that claims are about the algorithm).", "trial", "analyze"),
        Row("analyze", "stored", list[str], "A policy whose trials were run before the study, "
            "under the same conditions: all of them count. Repeat for each.", None, "analyze"),
        Row("race watch", "stored", list[str], "A policy that was run before, under the same "
            "conditions, and the file of its trials, at least --n-max of them, or of --scenes one "
            "each, in their order: it is not run again. Repeat for each.", metavar="NAME=FILE"),
        Row("plan", "stored", int, "How many trials of the first policy were run before: they "
            "count, and it is not run again.", None, "plan"),
        Row(FILES, "list_size", int, "Of a fixed list of scenes, each tried once in an order drawn "
            "at random before: how many. Claims are then about this list, in this run.", None,
            ASKED, metavar="SCENES"),
        Row("race", "scenes", str, "A fixed list of scenes, which all policies try once, in an "
            "order drawn at random: how many, for the seeds from 0 on, or the file with one on "
            "each line. Claims are about this list, in this run.", None, RACE, values.scenes,
            metavar="NUMBER|FILE"),
        Row("plan", "correlation", float,
            "Correlation of scores from the same start, with --design paired.", 0.0, "plan"),
    ],
    "Simulator or judge": [
        Row("analyze", "proxy", str, "A column with a cheap score of every trial, which saves "
            "trials. A simulator's: COLUMN=FILE, a file of many other simulated scenes. A judge's: "
            "COLUMN=CHANCE, with which rows were drawn for people to score too; leave the score of "
            "all other trials empty.", metavar="COLUMN=FILE|CHANCE"),
    ],
    "Planning": [
        Row("plan", "budget", str, "Maximum trials in total to consider, instead of --n-max.", None,
            "plan", partial(values.numbers, "budget", int)),
        Row("plan", "gaps", str, "Differences between means to consider, e.g. 0.1,0.2.", None,
            "plan", partial(values.numbers, "gaps", float)),
        Row("plan", "policies", int, "Number of policies.", None, "plan"),
        Row("plan", "power", float, "The chance you want of finding a difference that is there.",
            0.8, "plan"),
        Row("plan forecast", "minutes_per_trial", float,
            "How long a trial takes, to show hours as well.", None, SIMULATED),
        Row("plan", "robots", int, "Robots (or simulators) that run trials at once, for the hours.",
            1, "plan"),
        Row("plan forecast", "precision", float,
            "Standard error of the chances; smaller takes longer.", 0.015, SIMULATED),
        Row("plan forecast", "seed", int, "Seed for the simulation.", 0, SIMULATED),
    ],
    "Running": [
        Row("race", "success", str,
            "Which step says whether an episode is a success: the last, or any.", "last", RACE),
        Row("race", "seed", int, "Seed for the whole race; 0 by default, but drawn and recorded "
            "with several tasks.", None, RACE, show_default=False),
        Row("race", "executor", str, "What runs the episodes: serial, processes, ray, or "
            "ray:ADDRESS of a cluster.", "serial"),
        Row("race", "workers", int, "Number of workers, with --executor processes or ray.", None,
            "fleet"),
        Row("race", "num_cpus", float,
            "CPUs that each worker needs, with --executor ray; 1 by default.", None, "fleet"),
        Row("race", "num_gpus", float,
            "GPUs that each worker needs (0.5: two share one), with --executor ray.", None,
            "fleet"),
        Row("race", "resources", list[str], "What else of a Ray node each worker needs; repeat for "
            "each.", None, "fleet", values.resources, metavar="NAME=NUMBER"),
        Row("race", "runtime_env", str, "What Ray's workers get: JSON, or a file of it, as in "
            '\'{"working_dir": "."}\'.', None, "fleet", values.runtime_environment,
            metavar="JSON"),
        Row("race", "journal", Path, "Record every episode in this file; if it exists, resume from "
            "it. By default a new one in the folder of your user's state.", show_default=False),
        Row("race", "on_error", str, "What to do if an episode fails: raise (stop the race), void "
            "(leave it out) or score:X (count it as score X).", "raise", RACE),
        Row("race", "timeout", float, "Seconds after which an episode counts as failed.", None,
            RACE),
        Row("watch", "interval", float, "Seconds between looks.", 5.0, min=0.05),
        flag("watch", "once", "Look once: exit code 0 means stop, 3 means go on."),
        flag("watch", "wait", "Wait for files that are not there yet."),
    ],
    "The test": [
        Row(ALL, "method", str, "The statistical test; `stopwise methods` lists all.",
            "nscore-plus", ASKED),
        Row(ALL, "alpha", float, "Error level: the chance of any false claim is at most this.",
            0.05, ASKED),
        Row("analyze watch forecast", "adjust", str,
            "How alpha is shared among the pairs of policies: bonferroni or holm.", "holm", ASKED),
        Row("analyze watch forecast", "ties", str, "Error level if two policies are exactly equal: "
            "strict (alpha) or paper (2 alpha, as published).", "strict", ASKED),
        Row("analyze", "bins", int, "Number of bins for the scores, with --method nscore.", None,
            "analyze", _unless_none("bins")),
        Row("analyze compare watch plan race", "futility", str, "With --n-max, when the chance of "
            "a decision by then falls below 0.05 (or CHANCE): advisory (say so), binding (stop "
            "there, undecided) or none.", None, ASKED, values.futility, metavar="KIND[:CHANCE]",
            show_default="advisory"),
        Row("forecast", "futility_chance", float, "Advise stopping once the chance of another "
            "verdict falls below this; set it in advance.", None, SIMULATED),
    ],
    "Memory": [
        Row("gate", "state", Path, "Where to remember the trials counted so far. Give all trials "
            "each time, old and new; changed results or other settings are refused. Without it the "
            "trials are taken to be complete.", None, "gate"),
        Row("watch", "state", Path, "Where to remember the trials seen, so that the next look "
            "refuses changed results."),
    ],
    "Output": [
        flag("analyze compare gate plan forecast race methods serve status", "as_json",
             "Print JSON instead of text.", typed="--json"),
        flag("watch", "as_json", "Print one line of JSON per look.", typed="--json"),
        Row("analyze plan forecast", "figures", str, "Save the figures as PDF, SVG and PNG in this "
            "folder, 3.5 inches wide if not said.", metavar="FOLDER[:INCHES]"),
        Row("gate", "summary", Path,
            "Append the answer to this file as a Markdown table, for a CI summary."),
        flag("analyze compare watch race", "exit_code", "Exit with 0 if every other policy was "
             "shown to be better than the baseline (with a negative margin: not worse), 1 if one "
             "was shown to be worse, 3 if neither (also if they are practically the same), 2 on "
             "bad input. With two policies, the first is the baseline. With --goal best: 0 if one "
             "is named."),
        flag("analyze", "verbose", "Of several tasks, print the tables of each."),
        Row("race watch", "report_to", list[str], "Report each row, and the page "
            "at the end, to wandb or tensorboard; repeat for both.", None, REPORTED,
            metavar="TRACKER"),
        Row("race watch", "on_row", str, "A function that is called with the "
            "number of each row and its values.", None, REPORTED, values.function_on_row,
            metavar="package.module:function"),
    ],
}
# fmt: on
takes = partial(takes_options, TABLE)
