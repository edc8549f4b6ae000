"""The appendix's i.i.d. correction on RoboArena, next to the result without it.

Of each session one policy is drawn and only its score is kept, so that scores of different policies
are independent; each policy keeps about a quarter of its trials. How much depends on the draw is
shown by many of them.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import stopwise as sw
from benchmarks.paper.datasets import ROBOARENA
from benchmarks.paper.figures import bars
from benchmarks.paper.result import Cell, Result, by_task
from benchmarks.paper.roboarena import ranked
from benchmarks.paper.settings import Settings
from stopwise.core.arrays import Floats
from stopwise.data.trials import Trials
from stopwise.questions.standing import PairResult
from stopwise.rows.align import align

DRAWS = 100
TOLD_APART, USED = "pairs told apart, of 6", "trials used"
METHODS: dict[str, dict[str, Any]] = {
    "nscore": {"bins": 21},
    "wsr": {},
    "nscore-plus": {"n_max": 150},
}


def corrected(trials: Trials, method: str, seed: int) -> sw.Analysis:
    aligned = align(trials, policies=tuple(ROBOARENA.values()), design="paired")
    rows = len(aligned.scores)
    # Drawn among all policies, present or not: missing cells must not steer the choice.
    drawn = np.random.default_rng(seed).integers(len(aligned.policies), size=rows)
    kept = aligned.scores[np.arange(rows), drawn]
    scores = {
        name: kept[(drawn == index) & ~np.isnan(kept)]
        for index, name in enumerate(aligned.policies)
    }
    settings: dict[str, Any] = {"adjust": "bonferroni", "ties": "paper", "design": "independent"}
    settings |= {"bounds": aligned.bounds, **METHODS[method]}
    found: sw.Analysis = sw.analyze(scores, method=method, **settings)
    return found


def run(settings: Settings) -> Result:
    path = settings.folder / "roboarena_complete599.csv"
    trials = sw.read_trials(path, score="score", bounds=(0, 1))
    draws = settings.redraws(DRAWS)
    columns: dict[str, dict[str, Cell]] = {}
    shares: dict[str, float] = {}
    for done, method in enumerate(METHODS):
        whole = ranked(settings.folder, "progress", method)
        found = []
        for draw in range(draws):
            found.append(corrected(trials, method, settings.seed + draw))
            settings.report((done + (draw + 1) / draws) / len(METHODS))
        columns[f"{method}, all trials"] = _without(whole)
        columns[f"{method}, corrected"] = with_correction = _with(whole, found)
        for name in list(with_correction)[2:]:
            shares[f"{method}: {name}"] = float(with_correction[name].ours)
    notes = (
        f"Corrected: means over {draws} draws of one policy per session (seeds from "
        f"{settings.seed}), about 150 of 599 trials each, and the share of draws that tell a pair "
        "apart. The paper describes the correction but prints no figures for it. nscore-plus plans "
        "for 599 trials without it and for 150 with it.",
    )
    rows = list(next(iter(columns.values())))
    return Result(
        (by_task("RoboArena, progress: the i.i.d. correction", rows, columns),),
        notes,
        {"told_apart": partial(bars, shares, "share of draws in which the pair is told apart")},
    )


def _without(whole: sw.Analysis) -> dict[str, Cell]:
    return {
        TOLD_APART: Cell.own(sum(pair.decided for pair in whole.pairs)),
        USED: Cell.own(whole.trials_used),
        **{_name(pair): Cell.own("yes" if pair.decided else "no") for pair in whole.pairs},
    }


def _with(whole: sw.Analysis, found: Sequence[sw.Analysis]) -> dict[str, Cell]:
    decided = np.array([[pair.decided for pair in one.pairs] for one in found], dtype=float)
    used = np.array([one.trials_used for one in found], dtype=float)
    return {
        TOLD_APART: _mean(decided.sum(axis=1)),
        USED: _mean(used),
        **{_name(pair): _mean(decided[:, index]) for index, pair in enumerate(whole.pairs)},
    }


def _mean(values: Floats) -> Cell:
    return Cell.simulated(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))


def _name(pair: PairResult) -> str:
    return f"{pair.policy0} / {pair.policy1}"
