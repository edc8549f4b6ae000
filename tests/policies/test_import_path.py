"""Policies by where they are."""

from pathlib import Path

import pytest

import stopwise as sw
from stopwise.errors import StopwiseError


def test_a_policy_of_lerobot_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"type": "act"}')
    policies = {"a": str(tmp_path), "b": str(tmp_path)}

    with pytest.raises(StopwiseError, match=r"'a' cannot be loaded: .* needs lerobot: No module"):
        sw.race(policies, "CartPole-v1", bounds=(0, 500))
