"""Served policies, against openpi's own packing and client."""

import socket
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from openpi_client import msgpack_numpy
from openpi_client.websocket_client_policy import WebsocketClientPolicy
from websockets.exceptions import InvalidStatus

import stopwise as sw
from stopwise.errors import StopwiseError
from stopwise.policies.openpi import ServedPolicy, packed, unpacked
from stopwise.policies.router import Router
from tests.policies.served import served

# Its client connects as websockets had it until 17.
pytestmark = pytest.mark.filterwarnings("ignore:connect.. must be used:DeprecationWarning")

OBSERVATION = {
    "image": np.arange(24, dtype=np.uint8).reshape(2, 4, 3)[:, ::2],
    "state": np.array([0.5, 1], np.float32),
    "step": np.int64(3),
    "prompt": "pick up the cup",
    "nested": {"empty": np.zeros((0, 2)), "flags": [True, None]},
}


def balance(observation: dict[str, Any]) -> dict[str, Any]:
    place = observation["observation"]
    return {"actions": np.array([int(3 * place[2] + place[3] > 0)]), "infer_ms": 1.5}


def lean(observation: dict[str, Any]) -> dict[str, Any]:
    return {"action": int(observation["observation"][2] > 0)}


def chunks(observation: dict[str, Any]) -> dict[str, Any]:
    return {"actions": observation["state"] + np.arange(3)[:, None]}


def equal(one: Any, two: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(equal(one[key], two[key]) for key in one)
    same = np.array_equal(np.asarray(one, dtype=object), np.asarray(two, dtype=object))
    return same and getattr(one, "dtype", None) == getattr(two, "dtype", None)


def scores(race: sw.RaceResult) -> dict[tuple[str, int], float | None]:
    return {(episode.policy, episode.row): episode.score for episode in race.episodes}


def test_messages_are_those_of_openpi() -> None:
    assert equal(msgpack_numpy.unpackb(packed(OBSERVATION)), OBSERVATION)
    assert equal(unpacked(msgpack_numpy.packb(OBSERVATION)), OBSERVATION)
    assert not equal(OBSERVATION, {**OBSERVATION, "step": 3})


def test_what_cannot_be_sent_or_read_is_said_in_one_line() -> None:
    with pytest.raises(sw.InvalidInput, match=r"this cannot be sent .*: function .* is not a num"):
        packed({"policy": balance})
    with pytest.raises(sw.InvalidInput, match=r"ndarray .* is not a number, a text or an array"):
        packed({"names": np.array(["a", None])})
    with pytest.raises(StopwiseError, match="sent what is no message"):
        unpacked(b"\xc1")
    objects = {b"__ndarray__": True, b"data": b"12345678", b"dtype": "|O", b"shape": (1,)}
    with pytest.raises(StopwiseError, match="sent what is no message"):
        unpacked(msgpack_numpy.packb(objects))


def test_a_served_policy_acts_and_plays_its_chunks() -> None:
    asked: list[dict[str, Any]] = []

    def policy(observation: dict[str, Any]) -> dict[str, Any]:
        asked.append(observation)
        return chunks(observation)

    with served(policy, name="pi0") as address:
        own = ServedPolicy(address)
        assert own.metadata == {"name": "pi0"}
        actions = [own(OBSERVATION) for _ in range(4)]
        assert equal(asked[0], OBSERVATION)
        assert len(asked) == 2
        assert equal(actions[2], np.array([2.5, 3.0]))
        actions[2] += 1  # an environment may change what it is given
        own.reset()
        assert equal(own(OBSERVATION), np.array([0.5, 1.0]))
        assert len(asked) == 3
        own.close()
        short = ServedPolicy(address, horizon=1)
        assert [equal(short(OBSERVATION), np.array([0.5, 1.0])) for _ in range(2)] == [True, True]
        assert len(asked) == 5
        short.close()


def test_served_policies_race_as_the_same_policies_here_do() -> None:
    def here(policy: Callable[[Any], Any], observation: Any) -> int:
        answer = policy({"observation": observation})
        return int(answer["action"] if "action" in answer else answer["actions"][0])

    rules: dict[str, Any] = {"bounds": (0, 500), "n_max": 12}
    local = sw.race(
        {"lean": partial(here, lean), "still": partial(here, balance)}, "CartPole-v1", **rules
    )
    with served(lean) as one, served(balance) as two:
        addresses = {"lean": one, "still": two}
        for executor in ("serial", "processes"):
            race = sw.race(addresses, "CartPole-v1", executor=executor, **rules)
            assert race.analysis.order_text == local.analysis.order_text == "still > lean"
            assert scores(local).items() <= scores(race).items()


def test_no_server_is_an_error_before_the_first_episode() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"ws://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(
        StopwiseError, match=rf"policy 'a' cannot be loaded: no policy server answers at {address}"
    ):
        sw.race({"a": address, "b": balance}, "CartPole-v1", bounds=(0, 500), on_error="score:0")
    with pytest.raises(
        StopwiseError, match=r"cannot be loaded: no policy server answers at ws://: ws:// isn't "
    ):
        sw.race({"a": "ws://", "b": balance}, "CartPole-v1")


def failing(kind: str) -> Callable[[dict[str, Any]], Any]:
    """Return a policy that fails at every tenth question."""
    asked = 0

    def policy(observation: dict[str, Any]) -> Any:
        nonlocal asked
        asked += 1
        if asked % 10:
            return balance(observation)
        if kind == "raises":
            raise ValueError("no such camera")
        if kind == "hangs":
            time.sleep(0.4)
        if kind == "goes":
            raise ConnectionResetError
        return {"policy": "pi0"}

    return policy


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("raises", "the policy server at {} failed: ValueError: no such camera"),
        ("hangs", "the policy server at {} did not answer within 0.2 s"),
        ("goes", "the connection to the policy server at {} was lost: "),
        ("says nothing", "the policy server at {} must answer with 'actions', one or more, but "),
    ],
)
def test_a_server_that_fails_costs_the_episode_and_no_more(kind: str, line: str) -> None:
    with served(failing(kind)) as one, served(balance) as two:
        race = sw.race(
            {"bad": partial(ServedPolicy, one, patience=0.2), "good": two},
            partial(gymnasium.make, "CartPole-v1", max_episode_steps=6),
            bounds=(0, 6),
            n_max=6,
            alpha=1e-6,
            on_error="score:0",
        )
    errors = {episode.row: episode.error for episode in race.episodes if episode.error}
    assert list(errors) == [1, 3, 5] if kind != "says nothing" else [1, 3, 4]
    assert all(str(error).startswith(line.format(one)) for error in errors.values())
    assert {episode.score for episode in race.episodes if not episode.error} == {6.0}


def answering(number: int) -> Callable[[Any], bytes]:
    return lambda _: packed({"action": number})


def test_a_router_answers_openpis_client_with_the_policy_of_the_moment() -> None:
    turns: list[Any] = [answering(1)]
    with Router(lambda: turns[0], port=0) as router:
        with urllib.request.urlopen(f"http://127.0.0.1:{router.port}/healthz") as health:
            assert health.read() == b"OK\n"
        robot, other = (WebsocketClientPolicy("127.0.0.1", router.port) for _ in range(2))
        assert robot.get_server_metadata() == {}
        assert robot.infer(OBSERVATION) == {"action": 1}
        turns[0] = answering(2)
        assert robot.infer(OBSERVATION) == other.infer(OBSERVATION) == {"action": 2}
        turns[0] = None
        with pytest.raises(RuntimeError, match=r"server:\nit is nobody's turn now: connect again$"):
            robot.infer(OBSERVATION)
    with pytest.raises(OSError, match="refused"):
        WebsocketClientPolicy("127.0.0.1", router.port)


def test_a_router_with_a_key_answers_those_who_send_it() -> None:
    one = answering(1)
    with Router(lambda: one, port=0, api_key="péché") as router:
        for key in (None, "", "other"):
            with pytest.raises(InvalidStatus, match="401"):
                WebsocketClientPolicy("127.0.0.1", router.port, api_key=key)
        robot = WebsocketClientPolicy("127.0.0.1", router.port, api_key="péché")
        assert robot.infer(OBSERVATION) == {"action": 1}


def test_a_robot_that_is_back_at_once_is_not_greeted_in_the_turn_that_it_has_left() -> None:
    turns: list[Any] = [answering(1), answering(2)]
    with Router(lambda: turns[0], port=0, left=turns.remove) as router:
        address = f"ws://127.0.0.1:{router.port}"
        robot = ServedPolicy(address)
        assert robot({}) == 1
        with pytest.raises(StopwiseError, match="did not answer within"):
            ServedPolicy(address, patience=0.3)  # the first is still there
        robot.close()
        assert ServedPolicy(address)({}) == 2


def test_settings_are_checked() -> None:
    with pytest.raises(sw.InvalidInput, match="horizon must be a whole number of at least 1"):
        ServedPolicy("ws://127.0.0.1:1", horizon=0)
    with pytest.raises(sw.InvalidInput, match="patience must be a positive number of seconds"):
        ServedPolicy("ws://127.0.0.1:1", patience=0)
    with (
        Router(lambda: answering(1), port=0) as router,
        pytest.raises(StopwiseError, match=f"cannot listen on 127.0.0.1, port {router.port}: "),
    ):
        Router(lambda: answering(1), port=router.port)
