"""``stopwise demo``: a tour of stopwise on bundled data."""

import math
import tempfile
import time
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.evidence import bar
from stopwise.cli.output_files import check_places
from stopwise.cli.printing import print_analyses, say

if TYPE_CHECKING:
    from stopwise.study.study import Study

MINUTES_PER_TRIAL = 3
MILESTONES = ["cup reached", "cup grasped", "cup lifted", "stacked and released"]
# The chance of each policy to get from one milestone to the next.
SKILL = {"diffusion-v1": 0.62, "flow-v2": 0.95, "vla-large": 0.8}
TRIALS, PACE = 51, 200.0  # a result every so many seconds
PLAN: dict[str, Any] = {
    "name": "Cup stacking",
    "description": "Simulated stations: which of three policies stacks cups best?",
    "policies": [{"name": name, "run": f"serve {name}"} for name in SKILL],
    "tasks": [
        {
            "name": "stack the cups",
            "instructions": "Both cups upright, gripper open. Stop after 90 s.",
            "score": {"kind": "milestones", "milestones": [{"name": name} for name in MILESTONES]},
            "conditions": {"listed": ["red cup left", "blue cup left", "both near the edge"]},
        }
    ],
    "design": "blocks",
    "n_max": 60,
    "tags": ["dropped", "collision", "timeout"],
}


def demo(
    pause: float = typer.Option(0.12, min=0, help="Seconds between trials, in a terminal."),
    report: Path = typer.Option(Path("stopwise-demo.html"), help="Where to write the report."),
) -> None:
    """Try it out: two policies trial by trial, an analysis of four, and a live study to open."""
    from rich.console import Console

    from stopwise import analyze, read_trials
    from stopwise.data.example import four_policies

    check_places(report)
    terminal = Console().is_terminal
    _two_policies(pause if terminal else 0)
    say("\nNext, a study of four policies, 60 trials each, from a file:\n", style="bold")
    study = analyze(read_trials(four_policies(), bounds=(0, 1)), n_max=60)
    report.write_text(study.to_html(), encoding="utf-8")
    print_analyses([study])
    say(f"\nIts report, with figures and a methods paragraph: {report}")
    if terminal:
        _live_study()
    else:
        say("\nLast, a live study to open in the browser: run the demo in a terminal.")


def _two_policies(pause: float) -> None:
    """Run trials of two policies until one is shown to be better."""
    from stopwise import SequentialTest
    from stopwise.data.example import two_policies

    scores = list(zip(*two_policies(), strict=True))
    n_max = len(scores)
    test = SequentialTest(alpha=0.05, n_max=n_max)
    say("Is the new policy (1) better than the baseline (0)?", style="bold")
    say(
        f"Partial credit in 7 levels, {n_max} trials planned for each, alpha = 0.05.\n"
        "We may look after every pair, and stop when the evidence reaches 1/alpha = 20.\n\n"
        "pair  baseline     new          evidence (log scale, full at 20)"
    )
    for pair in scores:
        verdict = test.update(*pair)
        levels = (round(6 * score) for score in pair)
        drawn = "  ".join(f"{'#' * level}{'.' * (6 - level)} {level}/6" for level in levels)
        evidence = bar(min(max(verdict.log_e / -math.log(verdict.alpha), 0.0), 1.0))
        numbers = f"e = {verdict.e_value:.3g}, p = {verdict.p_value:.2g}"
        say(f"{verdict.n:4d}  {drawn}  {evidence}  {numbers}")
        if verdict.decided:
            break
        time.sleep(pause)
    saved = 2 * (n_max - verdict.n)
    say(f"\n{verdict}\n", style="bold")
    say(
        f"A fixed plan of {n_max} trials per policy costs {2 * n_max} trials and may be looked at "
        f"only once.\nWe used {2 * verdict.n} and saved {saved}: "
        f"{saved * MINUTES_PER_TRIAL / 60:.1f} hours at {MINUTES_PER_TRIAL} minutes per trial."
    )


def _live_study() -> None:
    """Serve a study in progress until interrupted."""
    from stopwise.web.server import Serving

    with (
        tempfile.TemporaryDirectory(prefix="stopwise-demo-") as folder,
        half_run(Path(folder) / "cups") as study,
    ):
        serving = Serving.bind(study, port=0)
        say("\nLast, a live study, half run by simulated stations:\n", style="bold")
        typer.echo(serving.owner_link())
        say("\nOpen its page, invite yourself as an operator and run more trials.")
        say("Press Ctrl-C to end.")
        serving.run()


def half_run(folder: Path) -> "Study":
    """Create a study that two simulated stations have half finished; one trial is under way."""
    import numpy as np

    from stopwise import Study

    luck = {name: np.random.default_rng([4, number]) for number, name in enumerate(SKILL)}
    ago = [TRIALS * PACE]  # seconds: the last trial was over just now
    study = Study.create(folder, PLAN, clock=lambda: time.time() - ago[0])
    study.lock(who="ada")
    for number in range(TRIALS + 1):
        station = f"arm {number % 2 + 1}"
        trial = study.next_trial(station)
        if trial is None:
            break
        study.start(trial.trial, station=station)
        if number == TRIALS:
            break
        ago[0] -= PACE
        policy = study.resolve(trial.code).policy
        *draws, share = luck[policy].random(len(MILESTONES) + 1)
        went_on = takewhile(bool, [draw <= SKILL[policy] for draw in draws])
        reached = [name for name, _ in zip(MILESTONES, went_on, strict=False)]
        tag = None if reached == MILESTONES else "dropped"
        seconds = round(20 + 70 * float(share), 1)
        study.record(trial.trial, reached, station=station, tag=tag, seconds=seconds)
        if number == TRIALS // 3:
            study.void(trial.trial, "the camera was unplugged", who="ada")
    return study
