"""What the guide says of served policies, run with servers of its own."""

from typing import Any

import gymnasium

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


def test_the_guide_to_served_policies_runs() -> None:
    (race,) = blocks("stacks.md", "Served policies")

    with (
        served(lambda _: {"actions": [0] * 16}) as old,
        served(lambda observation: {"actions": [observation["shown"]] * 16}) as new,
    ):
        names: dict[str, Any] = {"make_env": Lamp}
        exec(race.replace("ws://gpu1:8000", old).replace("ws://gpu2:8000", new), names)

    assert names["result"].analysis.order_text == "new > old"
