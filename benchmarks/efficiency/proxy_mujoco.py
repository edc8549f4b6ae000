"""Pairs with a MuJoCo simulator beside a "real" arm whose physics differ, by how much they do.

Run ``python -m benchmarks.efficiency.proxy_mujoco`` (needs mujoco). An arm of two joints reaches
for a goal; the two controllers are strong in different joints. The real arm has other masses,
damping and friction than the simulated one, and a goal that slips. Scores of all scenes of a pool
are computed once; studies draw their scenes from it, so that the mean of the proxy is known.
"""

from argparse import Namespace
from typing import Any

import mujoco
import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import benchmark
from stopwise.core.arrays import Floats

ARM = """
<mujoco>
  <option timestep="0.02" gravity="0 0 0"/>
  <worldbody>
    <body>
      <joint axis="0 0 1" damping="{damping}" frictionloss="{friction}"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02" mass="{mass}"/>
      <body pos="0.5 0 0">
        <joint axis="0 0 1" damping="{damping}" frictionloss="{friction}"/>
        <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02" mass="{mass}"/>
        <site pos="0.5 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
SIMULATED = {"damping": 2.0, "mass": 0.5, "friction": 0.0}
# What the real arm is like, and how much its goal slips.
REAL: dict[str, tuple[dict[str, float], float]] = {
    "the same": (SIMULATED, 0.0),
    "slips only": (SIMULATED, 0.05),
    "5 % more damping": ({**SIMULATED, "damping": 2.1}, 0.03),
    "10 %, heavier, friction": ({"damping": 2.2, "mass": 0.6, "friction": 0.02}, 0.03),
    "25 %, heavier, friction": ({"damping": 2.5, "mass": 0.6, "friction": 0.05}, 0.05),
    "50 %, heavier, friction": ({"damping": 3.0, "mass": 0.8, "friction": 0.1}, 0.08),
}
OLD, NEW = (2.0, 3.2), (3.2, 2.3)
NEAR = 0.2


def reach(model: Any, gains: Floats, scene: Floats, slip: Floats) -> float:
    """Distance of the hand from the goal after .9 s."""
    (start, goal), data = scene, mujoco.MjData(model)
    data.qpos[:] = goal
    mujoco.mj_kinematics(model, data)
    there = data.site_xpos[0].copy()
    data.qpos[:] = start
    for _ in range(9):
        data.qfrc_applied[:] = gains * (goal + slip - data.qpos)
        mujoco.mj_step(model, data, 5)
    mujoco.mj_kinematics(model, data)
    return float(np.linalg.norm(data.site_xpos[0] - there))


def pool(physics: dict[str, float], slip: float, scenes: Floats, seed: int) -> Floats:
    """Return the distances (scenes, policies) that both controllers leave."""
    model, rng = mujoco.MjModel.from_xml_string(ARM.format(**physics)), np.random.default_rng(seed)
    slips = slip * rng.standard_normal((len(scenes), 2, 2))
    both = np.array([OLD, NEW])
    return np.array(
        [
            [reach(model, gains, scene, own) for gains, own in zip(both, slipped, strict=True)]
            for scene, slipped in zip(scenes, slips, strict=True)
        ]
    )


@benchmark(scenes=3000, runs=1000, n=400, workers=int)
def main(options: Namespace) -> Table:
    """Print one row per real arm."""
    rng = np.random.default_rng(0)
    scenes = rng.uniform(-1.5, 1.5, (options.scenes, 2, 2))
    simulated = pool(SIMULATED, 0.0, scenes, 1)
    drawn = rng.integers(options.scenes, size=(options.runs, options.n))
    own: dict[str, Any] = {"n_max": options.n, "design": "paired", "workers": options.workers}
    table = Table("real arm", "old, new", "score", "correlation", "without", "with", "relative")
    for name, (physics, slip) in REAL.items():
        real = pool(physics, slip, scenes, 2)
        kinds = {"success": [(part < NEAR) * 1.0 for part in (real, simulated)]}
        kinds["distance"] = [1.0 - np.clip(part, 0.0, 1.0) for part in (real, simulated)]
        for kind, (scores, guesses) in kinds.items():
            both = [(part[:, 1] - part[:, 0]) for part in (scores, guesses)]
            pairs = [part[:, policy][drawn] for part in (scores, guesses) for policy in (0, 1)]
            without = sw.simulate("nscore-plus", *pairs[:2], **own, alternative="greater")
            mean, proxy = float(both[1].mean()), (pairs[2], pairs[3])
            found = sw.simulate(
                "nscore-plus",
                *pairs[:2],
                proxy=proxy,
                proxy_mean=mean,
                **own,
                alternative="greater",
            )
            cells = [f"{each.n.mean():.0f} / {each.rate(1):.2f}" for each in (without, found)]
            table.add_row(
                name,
                "{:.2f} {:.2f}".format(*scores.mean(axis=0)),
                kind,
                f"{np.corrcoef(both[0], both[1])[0, 1]:.2f}",
                *cells,
                f"{found.n.mean() / without.n.mean():.2f}",
            )
    return table
