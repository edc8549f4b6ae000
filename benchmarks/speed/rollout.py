"""Races beside a plain loop: overhead per episode, 16 places side by side, two processes.

Run ``python -m benchmarks.speed.rollout``. Everything is measured in rounds in turn, in the same
run, and medians are shown. The overhead is processor time, which other users' load does not change
much; the gain of processes is by the clock, from the first episode on, so that starting them does
not count. Wanted: less than 1 ms per episode beyond the plain loop.
"""

import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import gymnasium
import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import Found, benchmark, seconds
from stopwise.rollout.executors import processes

ROUNDS, ROWS, PLACES, LIMIT_MS = 5, 150, 16, 1.0
# No decision at this level, so that all rows are run.
SETTINGS: dict[str, Any] = {"bounds": (0, 500), "n_max": ROWS, "alpha": 1e-12, "seed": 0}


def tilt(observation: Any) -> int:
    """Push to the side to which the pole leans: about 40 steps."""
    return int(observation[2] > 0)


def lean(observation: Any) -> int:
    """The same policy, once more."""
    return tilt(observation)


def busy(policy: float, seed: int) -> float:
    """Compute for some 30 ms, as a simulator does."""
    rng = np.random.default_rng(seed)
    total = 0.0
    for _ in range(60_000):
        total += policy * 1e-9
    return float(rng.random()) + 0.0 * total


class Network:
    """Two layers of 1,024, for one observation or for a batch; it pushes as ``tilt``."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.layers = [rng.normal(0, 0.1, shape) for shape in ((4, 1024), (1024, 1024), (1024, 1))]

    def act(self, observation: Any) -> Any:
        """Return the action, or one for each place."""
        values = observation
        for layer in self.layers:
            values = np.maximum(values @ layer, 0)
        return (observation[..., 2] + 1e-12 * values[..., 0] > 0).astype(int)


def plain_loop(seeds: list[int], act: Callable[[Any], Any] = tilt) -> None:
    """What one would write by hand."""
    environment = gymnasium.make("CartPole-v1")
    for seed in seeds:
        observation, _ = environment.reset(seed=seed)
        total, ended = 0.0, False
        while not ended:
            observation, reward, terminated, truncated, _ = environment.step(act(observation))
            total += float(reward)
            ended = terminated or truncated
    environment.close()


processor_seconds = partial(seconds, clock=time.process_time)


def overhead() -> tuple[Table, bool]:
    """Measure races in one process beside the loop, and whether they cost little enough."""
    policies = {"tilt": tilt, "lean": lean}
    first = sw.race(policies, "CartPole-v1", **SETTINGS)  # also makes the plan for n_max
    seeds = [episode.seed for episode in first.episodes]
    episodes = len(seeds)
    times: dict[str, list[float]] = {"plain loop": [], "race": [], "race with a journal": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            journal = Path(folder) / f"{number}.jsonl"
            times["plain loop"].append(processor_seconds(lambda: plain_loop(seeds)))
            times["race"].append(
                processor_seconds(lambda: sw.race(policies, "CartPole-v1", **SETTINGS))
            )
            times["race with a journal"].append(
                processor_seconds(
                    lambda path=journal: sw.race(  # type: ignore[misc]
                        policies, "CartPole-v1", journal=path, **SETTINGS
                    )
                )
            )
    table = Table("", "episodes per processor second", "beyond the loop, ms per episode")
    extra = {}
    for name, found in times.items():
        pairs = zip(found, times["plain loop"], strict=True)
        extra[name] = 1000 * median(mine - loop for mine, loop in pairs) / episodes
        table.add_row(name, f"{episodes / median(found):.0f}", f"{extra[name]:.3f}")
    return table, extra["race with a journal"] < LIMIT_MS


def side_by_side() -> Table:
    """Measure races of networks in vector environments beside the loop with one environment."""
    settings = {**SETTINGS, "n_max": 4 * PLACES}
    first, second = Network(1), Network(2)
    policies = {"a": first, "b": second}
    kinds: dict[str, Any] = {"race, 1 place": "CartPole-v1"}
    for mode, words in (("sync", "one after another"), ("vector_entry_point", "in arrays")):
        make = partial(gymnasium.make_vec, "CartPole-v1", num_envs=PLACES, vectorization_mode=mode)
        kinds[f"race, {PLACES} places {words}"] = make
    seeds = [episode.seed for episode in sw.race(policies, "CartPole-v1", **settings).episodes]
    half = len(seeds) // 2
    times: dict[str, list[float]] = {"plain loop": [], **{name: [] for name in kinds}}
    for _ in range(ROUNDS):
        times["plain loop"].append(
            processor_seconds(lambda: plain_loop(seeds[:half], first.act))
            + processor_seconds(lambda: plain_loop(seeds[half:], second.act))
        )
        for name, env in kinds.items():
            times[name].append(processor_seconds(partial(sw.race, policies, env, **settings)))
    table = Table("a network", "episodes per processor second", "ratio to the loop")
    for name, found in times.items():
        pairs = zip(times["plain loop"], found, strict=True)
        ratio = median(loop / mine for loop, mine in pairs)
        table.add_row(name, f"{len(seeds) / median(found):.0f}", f"{ratio:.2f}")
    return table


def rate(executor: Any) -> float:
    """Return episodes per second, from the first that came back to the last."""
    told: list[tuple[float, int]] = []
    sw.race(
        {"a": 0.5, "b": 0.5},
        busy,
        executor=executor,
        on_progress=lambda progress: told.append((time.perf_counter(), progress.episodes)),
        **{**SETTINGS, "bounds": (0, 1), "n_max": 100},
    )
    (begin, first), (end, last) = told[0], told[-1]
    return (last - first) / (end - begin)


def scaling() -> Table:
    """Measure this process, one other and two others."""
    rate("serial")  # makes the plan for n_max
    rates: dict[str, list[float]] = {"serial": [], "1 process": [], "2 processes": []}
    for _ in range(ROUNDS):
        rates["serial"].append(rate("serial"))
        rates["1 process"].append(rate(processes(1)))
        rates["2 processes"].append(rate(processes(2)))
    table = Table("", "episodes/s", "ratio to serial", "ratio to 1 process")
    for name, found in rates.items():
        ratios = (
            median(mine / other for mine, other in zip(found, rates[against], strict=True))
            for against in ("serial", "1 process")
        )
        table.add_row(name, f"{median(found):.0f}", *(f"{ratio:.2f}" for ratio in ratios))
    return table


@benchmark()
def main() -> Found:
    """Print the tables; exit with 1 if the overhead is beyond its limit."""
    table, good = overhead()
    machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} (of all users)"
    return Found([table, side_by_side(), scaling(), machine], good=good)
