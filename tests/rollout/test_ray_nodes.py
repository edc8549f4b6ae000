"""A Ray cluster of two nodes on this machine, of which one is lost, or the head."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.rollout.executors import ray_cluster
from stopwise.rollout.stopped import RaceStopped
from tests.rollout.players import slow_if, verdict

RATES = {"low": 0.3, "high": 0.8, "same": 0.3}
NODES = pytest.mark.slow("two nodes of Ray take seconds to begin; adds what is lost with one")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    paths = [str(Path.cwd()), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    store: dict[str, Any] = {"object_store_memory": 80 * 2**20}
    made: Any = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, **store}
    )
    made.add_node(num_cpus=1, **store)
    yield made
    made.shutdown()


@NODES
def test_the_verdict_is_the_same_when_a_node_is_lost(cluster: Any) -> None:
    settings: dict[str, Any] = {"n_max": 60, "seed": 11, "alpha": 1e-6}
    lost: list[Any] = []

    def lose(look: Any) -> None:
        if look.episodes > 20 and not lost:
            lost.append(cluster.worker_nodes.copy().pop())
            cluster.remove_node(lost[0], allow_graceful=False)

    executor = ray_cluster(2, address=cluster.address)
    found = sw.race(RATES, slow_if, executor=executor, on_progress=lose, **settings)

    assert lost
    assert verdict(found) == verdict(sw.race(RATES, slow_if, **settings))


@NODES
def test_a_head_that_is_lost_ends_the_race_with_the_way_on(cluster: Any, tmp_path: Path) -> None:
    journal = tmp_path / "race.jsonl"
    gone: list[Any] = []

    def lose(look: Any) -> None:
        if look.episodes > 20 and not gone:
            gone.append(cluster.head_node.kill_gcs_server())

    with pytest.raises(RaceStopped, match="the head of the Ray cluster is lost") as caught:
        sw.race(
            {"a": 0.5, "b": 0.5}, slow_if, n_max=10**6, alpha=1e-9, journal=journal,
            executor=ray_cluster(2, address=cluster.address), on_progress=lose,
        )  # fmt: skip

    assert f"goes on with journal={str(journal)!r}" in str(caught.value)
    assert caught.value.result.rows > 5
