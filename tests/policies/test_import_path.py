"""Policies by where they are."""

from pathlib import Path

import pytest

import stopwise as sw
from stopwise.errors import StopwiseError


def test_a_policy_of_lerobot_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"type": "act", "input_features": {}}')
    policies = {"a": str(tmp_path), "b": str(tmp_path)}

    with pytest.raises(StopwiseError, match=r"'a' cannot be loaded: .* needs lerobot: No module"):
        sw.race(policies, "CartPole-v1", bounds=(0, 500))


def test_a_text_that_stands_for_nothing_is_no_policy() -> None:
    said = r"'a' cannot be loaded: .*, ws://host:port or a folder .*, but got str \('http://gpu1'\)"
    with pytest.raises(StopwiseError, match=said):
        sw.race({"a": "http://gpu1", "b": "ws://gpu2"}, "CartPole-v1", bounds=(0, 500))


def test_other_texts_are_what_an_episode_function_gets(tmp_path: Path) -> None:
    """Folders of models of other libraries, and texts too long for a path."""
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    told: set[str] = set()

    def episode(policy: str, seed: int) -> float:
        told.add(policy)
        return float(seed % 2)

    texts = {str(tmp_path), "You are a robot. " * 1000}
    sw.race(dict(zip("ab", texts, strict=True)), episode, n_max=2)

    assert told == texts
