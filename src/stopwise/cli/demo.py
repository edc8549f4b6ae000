"""``stopwise demo``: what stopwise does, played trial by trial on bundled data."""

import math
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stopwise.cli.option_groups import grouped, option
from stopwise.cli.output_files import check_file
from stopwise.cli.printing import print_analyses

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from stopwise.core.pair_verdict import Verdict

BAR = 24
MINUTES_PER_TRIAL = 3


@grouped
def demo(
    pause: float = option("Seconds between trials; ignored outside a terminal.", 0.12, min=0),
    report: Path = option("Where to write the study's report.", Path("stopwise-demo.html")),
) -> None:
    """Try it out: two policies trial by trial, an analysis of four, and a live study to open."""
    from rich.console import Console

    from stopwise import analyze, read_trials
    from stopwise.data.example import four_policies

    check_file(report)
    console = Console(highlight=False)
    _two_policies(console, pause if console.is_terminal else 0)
    console.print("\n[bold]Next, a study of four policies, 60 trials each, from a file:[/bold]\n")
    study = analyze(read_trials(four_policies(), bounds=(0, 1)), n_max=60)
    report.write_text(study.to_html(), encoding="utf-8")
    print_analyses([study])
    console.print(f"\nIts report, with figures and a methods paragraph: {report}")
    if console.is_terminal:
        _live_study(console)
    else:
        console.print("\nLast, a live study to open in the browser: run the demo in a terminal.")


def _two_policies(console: "Console", pause: float) -> None:
    """Play trials of two policies until it is known which one is better."""
    from stopwise import SequentialTest
    from stopwise.data.example import two_policies

    scores0, scores1 = two_policies()
    n_max = len(scores0)
    test = SequentialTest(alpha=0.05, n_max=n_max)
    console.print(
        f"[bold]Is the new policy (1) better than the baseline (0)?[/bold]\n"
        f"Partial credit in 7 levels, {n_max} trials planned for each, alpha = 0.05.\n"
        f"We may look after every pair, and stop when the evidence reaches 1/alpha = 20.\n\n"
        f"[dim]pair  baseline     new          evidence (log scale, full at 20)[/dim]"
    )
    for score0, score1 in zip(scores0, scores1, strict=True):
        verdict = test.update(score0, score1)
        console.print(_line(verdict, score0, score1))
        if verdict.decided:
            break
        time.sleep(pause)
    saved = 2 * (n_max - verdict.n)
    console.print(
        f"\n[bold]{verdict}[/bold]\n\nA fixed plan of {n_max} trials per policy costs {2 * n_max} "
        f"trials and may be looked at only once.\nWe used {2 * verdict.n} and saved {saved}: "
        f"{saved * MINUTES_PER_TRIAL / 60:.1f} hours at {MINUTES_PER_TRIAL} minutes per trial."
    )


def _line(verdict: "Verdict", score0: float, score1: float) -> "Text":
    from rich.text import Text

    evidence = verdict.log_e / -math.log(verdict.alpha)
    filled = round(BAR * min(max(evidence, 0.0), 1.0))
    line = Text(f"{verdict.n:4d}  ")
    for score, colour in ((score0, "cyan"), (score1, "green")):
        milestones = round(6 * score)
        line.append("#" * milestones, colour).append(f"{'.' * (6 - milestones)} {milestones}/6  ")
    line.append("#" * filled, "bold yellow").append("-" * (BAR - filled), "dim")
    return line.append(f"  e = {verdict.e_value:.3g}, p = {verdict.p_value:.2g}")


def _live_study(console: "Console") -> None:
    """Serve a study in progress until interrupted."""
    from stopwise.cli.simulated_study import half_run
    from stopwise.web.server import Serving

    with (
        tempfile.TemporaryDirectory(prefix="stopwise-demo-") as folder,
        half_run(Path(folder) / "cups") as study,
    ):
        serving = Serving.bind(study, port=0)
        console.print("\n[bold]Last, a live study, half run by simulated stations:[/bold]\n")
        typer.echo(serving.owner_link())
        console.print(
            "\nOpen its page, invite yourself as an operator and run more trials. Press Ctrl-C to "
            "end."
        )
        serving.run()
