"""One race everywhere: in this process, in others and on a real local Ray."""

import functools
import json
import logging
import multiprocessing
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from benchmarks.speed.virtual_cluster import VirtualCluster
from stopwise.rollout.executors import Executor, processes, ray_cluster
from stopwise.rollout.schedule import SPARE, EpisodeFailed
from tests.rollout.players import clinging, deadly, draw, fragile, hanging, read_rate, slow_if

RATES = {"low": 0.3, "high": 0.8, "same": 0.3}


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A real Ray on this machine, with as little memory as it takes."""
    import ray

    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=80 * 2**20,
        log_to_driver=False,
        logging_level=logging.ERROR,
        runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join([str(Path.cwd()), *paths()])}},
    )
    yield ray
    ray.shutdown()


def paths() -> list[str]:
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]


def summary(result: sw.RaceResult) -> list[Any]:
    """All that must not depend on where episodes were run."""
    pairs = [(p.policy0, p.policy1, p.decision, p.n, p.p_value) for p in result.analysis.pairs]
    scores = result.trials.frame.select("policy", "trial", "score").rows()
    return [result.rows, pairs, scores, result.analysis.warnings]


def race(env: Any = slow_if, n_max: int = 40, **settings: Any) -> sw.RaceResult:
    return sw.race(RATES, env, n_max=n_max, seed=11, **settings)


@pytest.fixture(scope="module")
def serial() -> sw.RaceResult:
    return race()


def test_processes_give_the_same_verdict_as_one(serial: sw.RaceResult) -> None:
    executor = processes(2)
    result, again = race(executor=executor), race(executor=executor)

    assert summary(result) == summary(again) == summary(serial)
    assert len(result.overshoot) + result.abandoned <= SPARE * executor.capacity


def test_ray_gives_the_same_verdict_as_one(serial: sw.RaceResult, ray: Any) -> None:
    result = race(executor=ray_cluster(2))

    assert summary(result) == summary(serial)
    assert ray.is_initialized()  # what was there before the race stays


@pytest.mark.usefixtures("ray")
def test_actors_of_ray_hear_of_a_policy_that_joins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stopwise.rollout.checkpoints.PAUSE", 0.0)
    for name, rate in {"a": 0.3, "b": 0.5}.items():
        (tmp_path / f"{name}.txt").write_text(str(rate))

    def copied(ready: bool) -> None:
        if ready and not (tmp_path / "c.txt").exists():
            (tmp_path / "c.txt").write_text("0.95")

    found = sw.race(
        tmp_path, draw, load=read_rate, n_max=60, goal="best", later=["c"],
        executor=ray_cluster(2), timeout=600,
        on_progress=lambda look: copied(look.rows > 3),
    )  # fmt: skip

    assert (found.best, list(found.to_dict()["joined"])) == ("c", ["c"])


def test_workers_end_with_a_driver_that_is_killed() -> None:
    """They share its output, which ends only when all of them have."""
    command = [
        str(Path(sys.executable).with_name("stopwise")), "race", "--env",
        "tests.rollout.players:announced", "--policy", "low=tests.rollout.players:make_low",
        "--policy", "high=tests.rollout.players:make_high", "--executor", "processes",
        "--workers", "1",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline().startswith("begun")
        driver.kill()
        driver.communicate(timeout=600)


def test_a_cluster_is_joined_by_its_address(ray: Any) -> None:
    command = [
        str(Path(sys.executable).with_name("stopwise")), "race", "--n-max", "30", "--json",
        "--env", "tests.rollout.players:draw", "--policy", "low=tests.rollout.players:make_low",
        "--policy", "high=tests.rollout.players:make_high", "--workers", "1",
        "--executor", f"ray:{ray.get_runtime_context().gcs_address}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    here = sw.race({"low": 0.1, "high": 0.95}, draw, n_max=30)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pairs"][0]["p_value"] == here.analysis.pairs[0].p_value
    assert ray.is_initialized()  # the cluster outlives the race


KILLED = pytest.mark.slow("Ray takes seconds to replace a worker; adds that it tells of it")
UNABLE = pytest.mark.slow("Ray tries for a while; adds that its actors tell why they cannot start")
HUNG = pytest.mark.slow("waits for episodes that hang; adds that actors of Ray are ended")


@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize("new", [processes, pytest.param(ray_cluster, marks=KILLED)])
def test_workers_that_are_killed_are_replaced_and_their_episodes_run_anew(
    tmp_path: Path, new: Callable[..., Executor]
) -> None:
    expected = race(draw, n_max=16, design="independent")  # more seeds, some of which kill
    episode = functools.partial(fragile, str(tmp_path))
    result = race(episode, n_max=16, design="independent", executor=new(2))

    assert summary(result)[:3] == summary(expected)[:3]
    assert result.retries >= 1
    assert "worker was lost" in " ".join(result.analysis.warnings)
    assert sum(result.failures.values()) == 0


def test_nothing_that_a_worker_began_holds_the_race_up(tmp_path: Path) -> None:
    begin = time.monotonic()
    result = sw.race(
        {"a": 0.5, "b": 0.5}, functools.partial(clinging, str(tmp_path)), scenes=6,
        executor=processes(2, retries=1), on_error="score:0", alpha=1e-9,
    )  # fmt: skip

    assert time.monotonic() - begin < 55
    assert result.failures == {"a": 1, "b": 1}
    assert result.retries >= 3


def test_an_episode_that_always_kills_its_worker_is_a_failure() -> None:
    with pytest.raises(EpisodeFailed, match="every episode of") as caught:
        sw.race(
            {"a": 0.5, "b": 0.5}, deadly, n_max=1,
            executor=processes(2, retries=1), on_error="score:0",
        )  # fmt: skip

    result = caught.value.result
    assert result.failures == {"a": 1, "b": 1}
    assert result.retries == 2
    assert all("worker lost 2 times" in str(e.error) for e in result.episodes)


@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize("new", [processes, pytest.param(ray_cluster, marks=HUNG)])
def test_episodes_that_hang_are_cut_short(new: Callable[..., Executor]) -> None:
    result = sw.race(
        {"a": 0.2, "b": 0.9}, hanging, n_max=4, seed=1, timeout=2, executor=new(2),
        design="independent", on_error="score:0",
    )  # fmt: skip

    assert sum(result.failures.values()) > 0
    assert all((e.seed % 5 == 0) == bool(e.error) for e in result.episodes)
    assert any("cut short" in str(e.error) for e in result.episodes)


@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize("name", ["processes", pytest.param("ray", marks=UNABLE)])
def test_workers_that_cannot_start_end_the_race_with_the_reason(name: str) -> None:
    cases: list[tuple[dict[str, Any], Any, str]] = [
        (RATES, "no.such.module:make", "the module cannot be imported"),
        ({"a": "math:none", "b": 0.5}, draw, "policy 'a' cannot be loaded"),
    ]
    for policies, env, message in cases:
        executor = processes(1) if name == "processes" else ray_cluster(1)
        with pytest.raises(sw.StopwiseError, match=message) as caught:
            sw.race(policies, env, n_max=3, executor=executor, on_error="score:0")
        deadline = time.monotonic() + 600
        while multiprocessing.active_children() and time.monotonic() < deadline:
            time.sleep(0.01)
        # None is left behind, not even while somebody keeps the error.
        assert multiprocessing.active_children() == [], caught


@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ({"num_gpus": 1}, "needs 1 CPU, 1 GPU, but no Ray node has that (at most 2 CPU, 0 GPU)"),
        ({"resources": {"arm": 1}}, "needs 1 CPU, 1 arm, but no Ray node has that"),
    ],
)
def test_what_no_node_of_ray_has_is_told_at_once(needs: dict[str, Any], said: str) -> None:
    """Ray would wait for such a node forever, and say nothing."""
    with pytest.raises(sw.InvalidInput, match=re.escape(said)) as caught:
        sw.race(RATES, draw, n_max=3, executor=ray_cluster(1, **needs))
    assert str(caught.value).endswith("choose wait_for_nodes=True")


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ({"num_gpus": 1.5}, "num_gpus must be a number of at least 0, whole above 1, but got 1.5"),
        ({"resources": {"arm": -1}}, "arm must be a number of at least 0, but got -1"),
    ],
)
def test_what_ray_cannot_give_is_told_before_it_is_started(needs: Any, said: str) -> None:
    with pytest.raises(sw.InvalidInput, match=f"^{re.escape(said)}$"):
        ray_cluster(1, **needs)


def test_what_cannot_be_sent_is_refused() -> None:
    with pytest.raises(sw.InvalidInput, match="cannot be sent to another process"):
        sw.race({"a": threading.Lock(), "b": 1}, draw, n_max=3, executor=processes(1))


def test_never_more_is_held_than_there_are_workers_ready() -> None:
    fleet = VirtualCluster(lambda ticket: (0.5, 1.0 + ticket.row)).fleet(workers=3)

    assert fleet.capacity == 3
    assert fleet.room == 1
