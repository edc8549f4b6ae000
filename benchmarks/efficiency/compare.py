"""Time to decision (TTD) and power of ``nscore-plus`` over the suite, next to other methods.

Run ``python -m benchmarks.efficiency.compare`` (about 5 minutes on 2 cores). All methods see the
same scores, one-sided; TTD counts N where there is no decision. Ratios are to ``nscore`` with 21
bins, as geometric means over the decidable cases (power of ``nscore`` or ``nscore-plus`` at least
one half). Standard errors are those of the Monte-Carlo runs, with the cases taken as fixed. The
oracle knows the true distributions but not N; the limit is cut at N.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

import stopwise as sw
from benchmarks.document import markdown
from benchmarks.efficiency.oracle import Oracle, oracle
from benchmarks.efficiency.suite import SEPARATE, Case, held_out, suite
from benchmarks.program import Found, benchmark
from stopwise.core.arrays import Bools, Floats, Ints

REFERENCE, OURS = "nscore", "nscore-plus"
SETTINGS: dict[str, dict[str, Any]] = {OURS: {}, REFERENCE: {"bins": 21}, "wsr": {}}
METHODS = (OURS, REFERENCE, "wsr", "oracle", "limit")
# Scores simulated at once: enough rows to fill the simulator's blocks, little memory.
CHUNK = 3_000_000
DECIDABLE = 0.5
ALPHA = 0.05
# Wanted geometric means of TTD relative to nscore at alpha .05, by design and N.
WANTED_RATIO = {
    "independent": {50: 0.84, 200: 0.76, 1000: 0.77},
    "paired": {50: 0.88, 200: 0.86, 1000: 0.86},
}
WORSE_TTD, WORSE_TTD_Z, WORSE_POWER_Z = 1.03, 2.0, -2.5


@dataclass(frozen=True)
class Figure:
    ttd: float
    ttd_error: float
    power: float


@dataclass(frozen=True)
class CaseFigures:
    """All methods on one case, and how ours differs from the reference on the same runs."""

    name: str
    family: str
    limit: float
    methods: dict[str, Figure]
    log_ratio_error: float
    ttd_z: float  # of TTD - 1.03 times the reference's
    power_z: float

    @property
    def decidable(self) -> bool:
        return max(self.methods[name].power for name in (OURS, REFERENCE)) >= DECIDABLE

    @property
    def worse(self) -> bool:
        ours, reference = self.methods[OURS].ttd, self.methods[REFERENCE].ttd
        slower = ours > WORSE_TTD * reference and self.ttd_z > WORSE_TTD_Z
        return slower or self.power_z < WORSE_POWER_Z

    def ratio(self, method: str) -> float | None:
        reference = self.methods[REFERENCE].ttd
        if method == "limit":
            return self.limit / reference
        return self.methods[method].ttd / reference if method in self.methods else None


@dataclass(frozen=True)
class Setting:
    n: int
    alpha: float
    runs: int
    design: str
    seed: int


def default_runs(n: int) -> int:
    """Return runs per case: about equal work for all n."""
    return max(60, min(400, 40_000 // n))


def measure(
    cases: Sequence[Case],
    oracles: dict[str, Oracle],
    setting: Setting,
    workers: int | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> list[CaseFigures]:
    per_chunk = max(1, CHUNK // (setting.runs * setting.n))
    found = []
    for start in range(0, len(cases), per_chunk):
        chunk = cases[start : start + per_chunk]
        found += _measure_chunk(chunk, oracles, setting, workers)
        advance(len(chunk))
    return found


def _measure_chunk(
    cases: Sequence[Case], oracles: dict[str, Oracle], setting: Setting, workers: int | None
) -> list[CaseFigures]:
    drawn = [case.draw(setting.seed, setting.runs, setting.n) for case in cases]
    stops: list[dict[str, tuple[Ints, Bools]]] = [{} for _ in cases]

    both = [np.concatenate(policy) for policy in zip(*drawn, strict=True)]
    for method, parameters in SETTINGS.items():
        sim = sw.simulate(
            method,
            *both,
            alpha=setting.alpha,
            n_max=setting.n,
            design=setting.design,
            workers=workers,
            **parameters,
            alternative="greater",
        )
        for index, stop in enumerate(stops):
            rows = slice(index * setting.runs, (index + 1) * setting.runs)
            stop[method] = sim.n[rows], sim.decision[rows] == 1
    figures = []
    for case, scores, stop in zip(cases, drawn, stops, strict=True):
        best = oracles[case.name]
        stop["oracle"] = best.stops(*scores, setting.alpha)
        figures.append(_case_figures(case, best.growth, stop, setting))
    return figures


def _case_figures(
    case: Case, growth: float, stops: dict[str, tuple[Ints, Bools]], setting: Setting
) -> CaseFigures:
    root = np.sqrt(setting.runs)
    methods = {
        method: Figure(
            float(n.mean()),
            float(n.std(ddof=1) / root),
            float(decided.mean()),
        )
        for method, (n, decided) in stops.items()
    }
    (n, decided), (reference_n, reference_decided) = stops[OURS], stops[REFERENCE]
    relative = n / n.mean() - reference_n / reference_n.mean()
    gain = decided.astype(float) - reference_decided
    return CaseFigures(
        case.name,
        case.family,
        float(min(-np.log(setting.alpha) / growth, setting.n)),
        methods,
        float(relative.std(ddof=1) / root),
        _z(n - WORSE_TTD * reference_n),
        _z(gain),
    )


def _z(differences: Floats) -> float:
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    return float(differences.mean() / max(error, 1e-9))


def _ratios(cases: Sequence[CaseFigures]) -> dict[str, Any]:
    decidable = [case for case in cases if case.decidable]
    ratios = {}
    for method in METHODS:
        found = [ratio for case in decidable if (ratio := case.ratio(method)) is not None]
        if decidable and len(found) == len(decidable):
            ratios[method] = float(np.exp(np.mean(np.log(found))))
    error = 0.0
    if decidable:
        error = float(np.sqrt(sum(case.log_ratio_error**2 for case in decidable)) / len(decidable))
    power = {
        method: float(np.mean([case.methods[method].power for case in cases]))
        for method in METHODS
        if all(method in case.methods for case in cases)
    }
    return {
        "cases": len(cases),
        "decidable": len(decidable),
        "ratio": ratios,
        "error": error * ratios.get(OURS, 1.0),
        "power": power,
    }


def summary(setting: Setting, cases: Sequence[CaseFigures]) -> dict[str, Any]:
    main = [case for case in cases if case.family not in SEPARATE] or cases
    worse = [case.name for case in cases if case.worse]
    return {**asdict(setting), **_ratios(main), "worse": worse}


def overall(settings: Sequence[dict[str, Any]]) -> str:
    rows = []
    for setting in settings:
        ratio, power = setting["ratio"], setting["power"]
        wanted = WANTED_RATIO[setting["design"]].get(setting["n"])
        if setting["alpha"] != ALPHA:
            wanted = None
        reached = "" if wanted is None else f"{wanted:.2f}"
        if wanted is not None and ratio.get(OURS, 0.0) > wanted:
            reached += " (missed)"
        rows.append(
            [
                setting["n"],
                _alpha(setting["alpha"]),
                setting["runs"],
                f"{setting['decidable']} of {setting['cases']}",
                f"{_three(ratio.get(OURS))} ± {setting['error']:.3f}",
                reached,
                *(_three(ratio.get(name)) for name in ("wsr", "oracle", "limit")),
                f"{power[OURS]:.3f} / {power[REFERENCE]:.3f}",
                ", ".join(f"`{name}`" for name in setting["worse"]) or "none",
            ]
        )
    head = ["N", "alpha", "runs", "decidable", "nscore-plus", "wanted", "wsr", "oracle", "limit"]
    return markdown([*head, "power plus / nscore", "worse than nscore"], rows)


def _three(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3f}"


def _alpha(alpha: float) -> str:
    return ".05" if alpha == ALPHA else ".05/6" if abs(alpha - 0.05 / 6) < 1e-5 else f"{alpha:g}"


@benchmark(
    n=[50, 200, 500, 1000],
    alpha=[0.05, 0.00833],
    runs=(int, "per case; by default 40,000/N within 60 and 400"),
    design=("independent", "or paired"),
    held_out=(False, "random cases, not the suite"),
    seed=1,
    workers=int,
    fill=Path,
)
def main(options: Namespace) -> Found:
    cases = held_out() if options.held_out else suite()
    settings = [
        Setting(
            n,
            alpha,
            options.runs or default_runs(n),
            options.design,
            options.seed,
        )
        for n in options.n
        for alpha in options.alpha
    ]
    found = []
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("oracles", total=len(cases))
        oracles = {}
        for case in cases:
            oracles[case.name] = oracle(case, options.design)
            progress.advance(task)
        for setting in settings:
            label = f"N = {setting.n}, alpha = {setting.alpha:g}"
            task = progress.add_task(label, total=len(cases))
            figures = measure(
                cases,
                oracles,
                setting,
                options.workers,
                partial(progress.advance, task),
            )
            found.append(summary(setting, figures))
    name = "held out" if options.held_out else options.design
    return Found([], sections={name: overall(found)})
