"""Time to decision (TTD) and power of ``nscore-plus`` over the suite, next to other methods.

Run ``python -m benchmarks.efficiency.compare`` (about 5 minutes on 2 cores), with ``--full`` for
ten times the runs. All methods see the same scores, one-sided; TTD counts N where there is no
decision. Ratios are to ``nscore`` with 21 bins, as geometric means over the decidable cases (power
of ``nscore`` or ``nscore-plus`` at least one half). Standard errors are those of the Monte-Carlo
runs, with the cases taken as fixed. The oracle knows the true distributions but not N; the limit
is cut at N. STEP's figures are exact, for a study that also ends when it declares policy 0 better.
"""

import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

import stopwise as sw
from benchmarks.document import markdown
from benchmarks.efficiency.oracle import Oracle, oracle
from benchmarks.efficiency.suite import SEPARATE, Case, bernoulli, held_out, suite
from benchmarks.program import Found, benchmark
from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.step.design import StepDesign, step_design

REFERENCE, OURS = "nscore", "nscore-plus"
SETTINGS: dict[str, dict[str, Any]] = {OURS: {}, REFERENCE: {"bins": 21}, "wsr": {}}
METHODS = (OURS, REFERENCE, "wsr", "savi", "step", "oracle", "limit")
# Scores simulated at once: enough rows to fill the simulator's blocks, little memory.
CHUNK = 3_000_000
STEP_LARGEST = 500
DECIDABLE = 0.5
ALPHA = 0.05
# Wanted geometric means of TTD relative to nscore at alpha .05, by design and N.
WANTED_RATIO = {
    "independent": {50: 0.84, 200: 0.76, 1000: 0.77},
    "paired": {50: 0.88, 200: 0.86, 1000: 0.86},
}
OTHERS = [method for method in METHODS if method not in (OURS, REFERENCE)]
WORSE_TTD, WORSE_TTD_Z, WORSE_POWER_Z = 1.03, 2.0, -2.5


@dataclass(frozen=True)
class Figure:
    ttd: float
    ttd_error: float
    power: float
    tail: float = 0.0  # pairs that 99 % of the runs do not exceed, if there are runs


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


def summary(cases: Sequence[CaseFigures]) -> dict[str, dict[str, Any]]:
    families = list(dict.fromkeys(case.family for case in cases))
    groups = {family: [case for case in cases if case.family == family] for family in families}
    groups["all"] = [case for case in cases if case.family not in SEPARATE] or list(cases)
    return {name: _ratios(group) for name, group in groups.items()}


def _measure_chunk(
    cases: Sequence[Case], oracles: dict[str, Oracle], setting: Setting, workers: int | None
) -> list[CaseFigures]:
    drawn = [case.draw(setting.seed, setting.runs, setting.n) for case in cases]
    stops: list[dict[str, tuple[Ints, Bools]]] = [{} for _ in cases]

    def run(method: str, which: list[int], parameters: dict[str, Any]) -> None:
        sim = sw.simulate(
            method,
            np.concatenate([drawn[index][0] for index in which]),
            np.concatenate([drawn[index][1] for index in which]),
            alpha=setting.alpha,
            n_max=setting.n,
            design=setting.design,
            workers=workers,
            **parameters,
            alternative="greater",
        )
        for position, index in enumerate(which):
            rows = slice(position * setting.runs, (position + 1) * setting.runs)
            stops[index][method] = sim.n[rows], sim.decision[rows] == 1

    for method, parameters in SETTINGS.items():
        run(method, list(range(len(cases))), parameters)
    if setting.design == "independent":
        for levels in {case.levels for case in cases if case.levels is not None}:
            which = [index for index, case in enumerate(cases) if case.levels == levels]
            run("savi", which, {"level_values": levels})
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
            float(np.quantile(n, 0.99)),
        )
        for method, (n, decided) in stops.items()
    }
    if case.family == "Bernoulli" and setting.design == "independent" and setting.n <= STEP_LARGEST:
        rates = case.policy0.mean, case.policy1.mean
        design = _step(setting.alpha, setting.n)
        methods["step"] = Figure(float(design.expected_n(*rates)), 0, float(design.power(*rates)))
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


@lru_cache(maxsize=1)
def _step(alpha: float, n: int) -> StepDesign:
    """Return a design that keeps its exact figures for all cases."""
    return step_design(alpha, n)


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


def as_json(setting: Setting, cases: Sequence[CaseFigures]) -> dict[str, Any]:
    return {
        **asdict(setting),
        "families": summary(cases),
        "worse": [case.name for case in cases if case.worse],
        "cases": [asdict(case) for case in cases],
    }


def _rates(low: float, high: float) -> Case:
    distributions = bernoulli(low), bernoulli(high)
    return Case(f"success {low:g} {high:g}", "Bernoulli", *distributions, (0.0, 1.0))


def overall(settings: Sequence[dict[str, Any]]) -> str:
    rows = []
    for setting in settings:
        everything = setting["families"]["all"]
        ratio, power = everything["ratio"], everything["power"]
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
                f"{everything['decidable']} of {everything['cases']}",
                f"{_three(ratio.get(OURS))} ± {everything['error']:.3f}",
                reached,
                *(_three(ratio.get(name)) for name in ("wsr", "oracle", "limit")),
                f"{power[OURS]:.3f} / {power[REFERENCE]:.3f}",
                ", ".join(f"`{name}`" for name in setting["worse"]) or "none",
            ]
        )
    head = ["N", "alpha", "runs", "decidable", "nscore-plus", "wanted", "wsr", "oracle", "limit"]
    return markdown([*head, "power plus / nscore", "worse than nscore"], rows)


def others(settings: Sequence[dict[str, Any]]) -> str:
    rows = []
    for setting in [one for one in settings if one["alpha"] == ALPHA] or settings:
        for family, row in setting["families"].items():
            cells = [_three(row["ratio"].get(method)) for method in (OURS, *OTHERS)]
            rows.append([setting["n"], family, row["decidable"], *cells])
    return markdown(["N", "family", "decidable", OURS, *OTHERS], rows)


def every_case(setting: dict[str, Any]) -> str:
    rows = []
    for case in setting["cases"]:
        cells = [_cell(case["methods"].get(name)) for name in METHODS[:-1]]
        rows.append([case["name"], *cells, f"{case['limit']:.1f}"])
    return markdown(["case", *METHODS], rows)


def _three(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3f}"


def _alpha(alpha: float) -> str:
    return ".05" if alpha == ALPHA else ".05/6" if abs(alpha - 0.05 / 6) < 1e-5 else f"{alpha:g}"


def _cell(figure: dict[str, float] | None) -> str:
    if figure is None:
        return ""
    error = f" ± {figure['ttd_error']:.1f}" if figure["ttd_error"] else ""
    return f"{figure['ttd']:.1f}{error} / {figure['power']:.2f}"


@benchmark(
    n=[50, 200, 500, 1000],
    alpha=[0.05, 0.00833],
    runs=(int, "per case; by default 40,000/N within 60 and 400"),
    full=(False, "ten times the default runs"),
    design=("independent", "or paired"),
    families=([str], "only these families"),
    held_out=(False, "random cases, not the suite"),
    rates=([float], "all pairs of these success rates, not the suite"),
    cases=(False, "print every case"),
    seed=1,
    workers=int,
    json=Path,
    fill=Path,
)
def main(options: Namespace) -> Found:
    cases = held_out() if options.held_out else suite()
    if options.rates:
        cases = [_rates(*pair) for pair in combinations(options.rates, 2)]
    cases = [c for c in cases if not options.families or c.family in options.families]
    settings = [
        Setting(
            n,
            alpha,
            options.runs or default_runs(n) * (10 if options.full else 1),
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
            found.append(as_json(setting, figures))
            if options.json:  # after every setting: a long run may be interrupted
                options.json.write_text(json.dumps(found, indent=1))
    name = "held out" if options.held_out else options.design
    sections = {name: overall(found), f"{name}, by family": others(found)}
    return Found([*map(every_case, found if options.cases else ())], found, sections=sections)
