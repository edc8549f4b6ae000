"""``stopwise demo``: what stopwise does, played trial by trial on bundled data."""

import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.analyze import show
from stopwise.cli.option_groups import grouped, option
from stopwise.cli.options import AsJson
from stopwise.cli.output_files import check_file
from stopwise.cli.simulated_study import show_app

if TYPE_CHECKING:
    from rich.text import Text

    from stopwise.core.pair_verdict import Verdict
    from stopwise.questions.analysis import Analysis

BAR = 24
MINUTES_PER_TRIAL = 3
# Milestone reached and missed, evidence there and missing; the second for ASCII terminals.
FINE_MARKS, PLAIN_MARKS = "■·█░", "#.#-"


@grouped
def demo(
    pause: float = option("Seconds between trials; ignored outside a terminal.", 0.12, min=0),
    report: Path = option("Where to write the study's report.", Path("stopwise-demo.html")),
    as_json: AsJson = False,
) -> None:
    """Try it out: two policies trial by trial, an analysis of four, and a live study to open."""
    from rich.console import Console

    from stopwise import SequentialTest
    from stopwise.data.example import two_policies

    check_file(report)
    scores0, scores1 = two_policies()
    plan = len(scores0)
    test = SequentialTest("nscore-plus", alpha=0.05, n_max=plan)
    console = Console(quiet=as_json, highlight=False)
    console.print(
        f"[bold]Is the new policy (1) better than the baseline (0)?[/bold]\n"
        f"Partial credit in 7 levels, {plan} trials planned for each, alpha = 0.05.\n"
        f"We may look after every pair, and stop when the evidence reaches 1/alpha = 20.\n"
    )
    console.print("[dim]pair  baseline    new         evidence (log scale, full at 20)[/dim]")
    marks = FINE_MARKS if console.encoding.lower().startswith("utf") else PLAIN_MARKS
    for score0, score1 in zip(scores0, scores1, strict=True):
        verdict = test.update(score0, score1)
        console.print(_line(verdict, (score0, score1), marks))
        if verdict.decided:
            break
        if console.is_terminal and not as_json:
            time.sleep(pause)
    outcome = _outcome(test.verdict, plan, scores0, scores1)
    study = _study(report)
    if as_json:
        outcome["study"] = study.to_dict()
        typer.echo(json.dumps(outcome, indent=2))
        return
    console.print(f"\n[bold]{test.verdict}[/bold]\n")
    hours = outcome["trials_saved"] * MINUTES_PER_TRIAL / 60
    console.print(
        f"A fixed plan of {plan} trials per policy costs {outcome['trials_planned']} trials and "
        f"may be looked at only once (Welch's t-test there: p = {outcome['welch_p_value']:.2g}).\n"
        f"We used {outcome['trials_used']} and saved {outcome['trials_saved']}: {hours:.1f} hours "
        f"at {MINUTES_PER_TRIAL} minutes per trial."
    )
    console.print("\n[bold]Next, a study of four policies, 60 trials each, from a file:[/bold]\n")
    show(study)
    console.print(f"\nIts report, with figures and a methods paragraph: {report}")
    show_app(console)


def _study(report: Path) -> "Analysis":
    from stopwise import analyze, read_trials
    from stopwise.data.example import four_policies

    study = analyze(read_trials(four_policies(), bounds=(0, 1)), n_max=60)
    report.write_text(study.to_html(), encoding="utf-8")
    return study


def _line(verdict: "Verdict", scores: tuple[float, float], marks: str) -> "Text":
    from rich.text import Text

    reached, missed, full, empty = tuple(marks)
    evidence = verdict.log_e / -math.log(verdict.alpha)
    filled = round(BAR * min(max(evidence, 0.0), 1.0))
    line = Text(f"{verdict.n:4d}  ")
    for score, colour in zip(scores, ("cyan", "green"), strict=True):
        milestones = round(6 * score)
        line.append(reached * milestones, colour)
        line.append(missed * (6 - milestones) + f" {milestones}/6  ", "dim")
    line.append(full * filled, "bold yellow")
    line.append(empty * (BAR - filled), "dim")
    line.append(f"  e = {verdict.e_value:.3g}, p = {verdict.p_value:.2g}")
    return line


def _outcome(
    verdict: "Verdict", plan: int, scores0: list[float], scores1: list[float]
) -> dict[str, Any]:
    from scipy.stats import ttest_ind

    welch = ttest_ind(scores1, scores0, equal_var=False, alternative="greater")
    return {
        "decision": verdict.decision.value,
        **{name: getattr(verdict, name) for name in ("n", "mean0", "mean1", "e_value", "p_value")},
        "interval": list(verdict.interval),
        "trials_planned": 2 * plan,
        "trials_used": 2 * verdict.n,
        "trials_saved": 2 * (plan - verdict.n),
        "welch_p_value": float(welch.pvalue),
        "sentence": str(verdict),
    }
