"""The live half of ``stopwise demo``: a study with simulated stations, open in the web app."""

import tempfile
import threading
import time
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from stopwise.study.study import Study

MILESTONES = ("cup reached", "cup grasped", "cup lifted", "stacked and released")
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
            "score": {
                "kind": "milestones",
                "milestones": [{"name": name} for name in MILESTONES],
            },
            "conditions": {"listed": ["red cup left", "blue cup left", "both near the edge"]},
        }
    ],
    "design": "blocks",
    "n_max": 60,
    "tags": ["dropped", "collision", "timeout"],
}


def half_run(folder: Path) -> "Study":
    """Return a study that two simulated stations have run in part."""
    import numpy as np

    from stopwise import Study

    # Each policy has its own luck, whatever the order of the policies in rows.
    luck = {name: np.random.default_rng([4, number]) for number, name in enumerate(SKILL)}
    ago = [TRIALS * PACE]  # seconds: the last trial was over just now
    study = Study.create(folder, PLAN, clock=lambda: time.time() - ago[0])
    study.lock(who="ada")
    for number in range(TRIALS):
        station = f"arm {number % 2 + 1}"
        trial = study.next_trial(station)
        if trial is None:
            break
        study.start(trial.trial, station=station)
        ago[0] -= PACE
        policy = study.resolve(trial.code).policy
        rng = luck[policy]
        reached = _reached(rng, SKILL[policy])
        tag = None if len(reached) == len(MILESTONES) else "dropped"
        seconds = round(float(rng.uniform(20, 90)), 1)
        study.record(trial.trial, reached, station=station, tag=tag, seconds=seconds)
        if number == TRIALS // 3:
            study.void(trial.trial, "the camera was unplugged", who="ada")
    under_way = study.next_trial("arm 1")
    if under_way is not None:
        study.start(under_way.trial, station="arm 1")
    return study


def show_app(console: "Console") -> None:
    """Serve the study: in a terminal until interrupted, elsewhere for a single request."""
    from stopwise.web.server import Serving

    with (
        tempfile.TemporaryDirectory(prefix="stopwise-demo-") as folder,
        half_run(Path(folder) / "cups") as study,
    ):
        serving = Serving.bind(study, port=0)
        link = serving.owner_link()
        console.print(
            "\n[bold]Last, a live study, half run by simulated stations. Open its page:[/bold]\n"
        )
        console.print(link, soft_wrap=True)
        if console.is_terminal:
            console.print(
                "\nInvite yourself as an operator there and run more trials. Press Ctrl-C to end."
            )
            serving.run()
        else:
            _answer_once(serving)
            console.print("\n(Not a terminal, so the page was opened once and the demo ends here.)")


def _answer_once(serving: Any) -> None:
    import httpx

    server = serving.server()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [serving.listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        httpx.get(f"{serving.url}/join", trust_env=False, timeout=30).raise_for_status()
    finally:
        server.should_exit = True
        thread.join()
        serving.listener.close()


def _reached(rng: "np.random.Generator", skill: float) -> list[str]:
    """Return the milestones reached before the first that is missed."""
    return list(takewhile(lambda _: rng.random() <= skill, MILESTONES))
