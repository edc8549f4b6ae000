"""What the guide says of served policies, run with servers of its own."""

from typing import Any

import gymnasium
import pytest
from openpi_client.websocket_client_policy import WebsocketClientPolicy

from tests.docs.blocks import blocks
from tests.policies.served import served


class Lamp(gymnasium.Env[dict[str, Any], int]):
    """Succeeds if the action is what is shown, at each of 20 steps."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.shown, self.steps = int(self.np_random.integers(2)), 0
        return {"shown": self.shown}, {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        told = {"success": action == self.shown}
        return {"shown": self.shown}, 0.0, self.steps == 20, False, told


@pytest.mark.filterwarnings("ignore:connect.. must be used:DeprecationWarning")
def test_the_guide_to_served_policies_runs() -> None:
    race, routed = blocks("stacks.md", "Served policies")
    seen: list[Any] = []

    def run_trials(port: int) -> None:
        robot = WebsocketClientPolicy("127.0.0.1", port)
        seen.append(robot.infer({"shown": 1}))

    with (
        served(lambda _: {"actions": [0] * 16}) as old,
        served(lambda observation: {"actions": [observation["shown"]] * 16}) as new,
    ):
        names: dict[str, Any] = {
            "make_env": Lamp, "policy_of_this_trial": lambda: "new", "run_trials": run_trials
        }  # fmt: skip
        for block, port in ((race, ""), (routed, "port=0")):
            text = block.replace("ws://gpu1:8000", old).replace("ws://gpu2:8000", new)
            exec(text.replace("port=8000", port), names)

    assert names["result"].analysis.order_text == "new > old"
    assert seen == [{"actions": [1] * 16}]
