"""The live half of ``stopwise demo``: a study that simulated stations have half run."""

import time
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from stopwise.study.study import Study

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


def half_run(folder: Path) -> "Study":
    """Create a study, and run part of it by two simulated stations."""
    import numpy as np

    from stopwise import Study

    # Each policy has its own luck, whatever the order of the policies in rows.
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
        if number == TRIALS:  # under way
            break
        ago[0] -= PACE
        policy = study.resolve(trial.code).policy
        rng = luck[policy]
        reached = _reached(rng, SKILL[policy])
        tag = None if reached == MILESTONES else "dropped"
        seconds = round(float(rng.uniform(20, 90)), 1)
        study.record(trial.trial, reached, station=station, tag=tag, seconds=seconds)
        if number == TRIALS // 3:
            study.void(trial.trial, "the camera was unplugged", who="ada")
    return study


def _reached(rng: "np.random.Generator", skill: float) -> list[str]:
    """The milestones reached before the first that is missed."""
    return list(takewhile(lambda _: rng.random() <= skill, MILESTONES))
