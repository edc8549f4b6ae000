"""All reproductions by name: what each shows, its script and the data that it needs."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from benchmarks.paper.datasets import SOURCES
from benchmarks.paper.result import Result
from benchmarks.paper.settings import Settings


@dataclass(frozen=True)
class Reproduction:
    name: str
    title: str
    needs: tuple[str, ...] = ()

    @property
    def run(self) -> Callable[[Settings], Result]:
        module = import_module(f"benchmarks.paper.{self.name.replace('-', '_')}")
        function: Callable[[Settings], Result] = module.run
        return function

    def missing(self, data: Path | None) -> list[str]:
        return [
            f"{name}: {SOURCES[name]}"
            for name in self.needs
            if data is None or not (data / name).is_file()
        ]


_LBM = ("lbm_progress.csv", "lbm_milestone_bins.csv")
_ROBOARENA = ("roboarena_complete599.csv",)
_MUJOCO = ("mujoco_returns.csv",)
REPRODUCTIONS = {
    one.name: one
    for one in (
        Reproduction("table-1-left", "Table I, left, and its maps: 35 Bernoulli alternatives"),
        Reproduction("table-1-right", "Table I, right: random polynomial densities"),
        Reproduction("meta", "N-SCORE decides whether N-SCORE or WSR is faster"),
        Reproduction("table-2", "Table II: LBM 1.0, simulation and hardware", _LBM),
        Reproduction("roboarena", "RoboArena: trials per policy and letters", _ROBOARENA),
        Reproduction("p-values", "RoboArena: anytime p-values of every pair", _ROBOARENA),
        Reproduction("table-3", "Table III on our MuJoCo returns", _MUJOCO),
        Reproduction("table-a1", "Table A.I on our MuJoCo returns", _MUJOCO),
        Reproduction("mujoco", "MuJoCo: all policies of each task, violins and letters", _MUJOCO),
        Reproduction(
            "iid-correction", "RoboArena with the appendix's i.i.d. correction", _ROBOARENA
        ),
    )
}
