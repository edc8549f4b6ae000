"""The appendix's i.i.d. correction on RoboArena, next to the result without it.

Of each session one policy is drawn and only its score is kept, so that scores of different policies
are independent; each policy keeps about a quarter of its trials. How much depends on the draw is
shown by many of them.
"""

from functools import partial
from typing import Any

import numpy as np

import stopwise as sw
from stopwise.data.design import align
from stopwise.data.trials import Trials

from .datasets import ROBOARENA
from .figures import bars
from .result import Cell, Result, Table
from .roboarena import not_told_apart, ranked
from .settings import Settings

DRAWS = 100
METHODS: dict[str, dict[str, Any]] = {
    "nscore": {"bins": 21},
    "wsr": {},
    "nscore-plus": {"n_max": 150},
}


def corrected(trials: Trials, method: str, seed: int) -> sw.Analysis:
    """Rank the four policies on one draw."""
    aligned = align(
        trials,
        policies=tuple(ROBOARENA.values()),
        design="paired",
        iid_correction=True,
        seed=seed,
    )
    return sw.analyze(aligned, method=method, adjust="bonferroni", ties="paper", **METHODS[method])


def run(settings: Settings) -> Result:
    """Count the pairs that are still told apart, over many draws."""
    path = settings.folder / "roboarena_complete599.csv"
    trials = sw.read_trials(path, score="score", bounds=(0, 1))
    draws = settings.redraws(DRAWS)
    rows: dict[str, dict[str, Cell]] = {
        "pairs told apart, of 6": {},
        "trials used": {},
        "not told apart": {},
    }
    shares: dict[str, float] = {}
    for done, method in enumerate(METHODS):
        whole = ranked(settings.folder, "progress", method)
        found = []
        for draw in range(draws):
            found.append(corrected(trials, method, settings.seed + draw))
            settings.report((done + (draw + 1) / draws) / len(METHODS))
        decided = np.array([sum(pair.decided for pair in one.pairs) for one in found])
        used = np.array([one.trials_used for one in found])
        without, with_ = f"{method}, all trials", f"{method}, corrected"
        rows["pairs told apart, of 6"][without] = Cell.own(sum(p.decided for p in whole.pairs))
        rows["pairs told apart, of 6"][with_] = _mean(decided)
        rows["trials used"][without] = Cell.own(whole.trials_used)
        rows["trials used"][with_] = _mean(used)
        rows["not told apart"][without] = Cell.own(not_told_apart(whole))
        for pair in found[0].pairs:
            name = f"{method}: {_short(pair.policy0)} / {_short(pair.policy1)}"
            shares[name] = float(
                np.mean([_decided(one, pair.policy0, pair.policy1) for one in found])
            )
    columns = tuple(f"{m}, {kind}" for m in METHODS for kind in ("all trials", "corrected"))
    notes = (
        f"Means over {draws} draws of one policy per session (seeds from {settings.seed}), about "
        "150 of 599 trials each; the paper describes the correction but prints no figures for it. "
        "nscore-plus plans for 599 without and for 150 with it.",
    )
    return Result(
        (Table("RoboArena, progress: the i.i.d. correction", columns, rows),),
        notes,
        {"told_apart": partial(bars, shares, "share of draws in which the pair is told apart")},
    )


def _mean(values: Any) -> Cell:
    return Cell.simulated(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))


def _decided(analysis: sw.Analysis, policy0: str, policy1: str) -> bool:
    return next(p.decided for p in analysis.pairs if (p.policy0, p.policy1) == (policy0, policy1))


def _short(stored: str) -> str:
    return next(shown for shown, name in ROBOARENA.items() if name == stored)
