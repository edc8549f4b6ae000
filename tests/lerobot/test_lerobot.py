"""Races and files of LeRobot, against the package itself: ``make test-lerobot``."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from lerobot.configs.policies import PreTrainedConfig
from lerobot.envs.configs import PushtEnv
from lerobot.envs.factory import make_env_pre_post_processors
from lerobot.policies.factory import get_policy_class, make_pre_post_processors
from lerobot.scripts import lerobot_eval
from typer.testing import CliRunner

import stopwise as sw
from stopwise.cli import app
from stopwise.core.seeds import policy_seed
from stopwise.errors import StopwiseError
from stopwise.policies.lerobot import LeRobotPolicy
from tests.docs.blocks import blocks
from tests.lerobot import saved


def by_lerobot(path: str, seeds: list[int], environment: Any) -> list[tuple[float, int]]:
    """Return the return and length of episodes, run by LeRobot's own loop."""
    settings = PreTrainedConfig.from_pretrained(path)
    policy = get_policy_class(settings.type).from_pretrained(path)
    around = make_env_pre_post_processors(PushtEnv(), settings)
    own = make_pre_post_processors(settings, pretrained_path=path)
    torch.manual_seed(policy_seed(seeds[0]))
    found = lerobot_eval.rollout(environment, policy, *around, *own, seeds=seeds)
    lengths = (~found["done"]).sum(dim=1) + 1
    returns = [
        rewards[:length].sum() for rewards, length in zip(found["reward"], lengths, strict=True)
    ]
    return [(float(total), int(length)) for total, length in zip(returns, lengths, strict=True)]


@pytest.mark.parametrize("kind", ["act", "diffusion"])
def test_episodes_are_those_of_lerobots_own_loop(kind: str, tmp_path: Path) -> None:
    """Also those of a policy that draws, by the seed of the batch."""
    paths = {
        name: saved.save(tmp_path / name, kind=kind, seed=seed) for seed, name in enumerate("ab")
    }
    race = sw.race(paths, saved.several, bounds=(0, saved.STEPS), n_max=8, alpha=1e-9)

    for name, path in paths.items():
        own = [episode for episode in race.episodes if episode.policy == name]
        for batch in (own[:4], own[4:8]):
            theirs = by_lerobot(path, [episode.seed for episode in batch], saved.several())
            assert [e.length for e in batch] == [length for _, length in theirs]
            assert [e.score for e in batch] == pytest.approx([total for total, _ in theirs])
    assert len({episode.score for episode in race.episodes}) > 4


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, kind in enumerate(("act", "diffusion")):
        folder = tmp_path / "outputs" / kind / "checkpoints" / "last" / "pretrained_model"
        saved.save(folder, kind=kind, seed=seed)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    (race,) = blocks("stacks.md", "LeRobot")
    exec(race.replace("=300", "=10").replace("n_max=200", "n_max=32"), names)

    assert names["result"].used == 64
    assert {episode.score for episode in names["result"].episodes} == {0.0}


def test_one_environment_and_several_give_the_same_episodes(tmp_path: Path) -> None:
    paths = {"middle": saved.save(tmp_path / "a"), "corner": saved.save(tmp_path / "b", 80.0)}
    race = partial(sw.race, paths, score=saved.nearness, n_max=40, seed=3)
    one, four = race(saved.pusht), race(saved.several)

    assert one.analysis.order_text == four.analysis.order_text == "middle > corner"
    scores = [{(e.policy, e.row): e.score for e in own.episodes} for own in (one, four)]
    shared = scores[0].keys() & scores[1].keys()
    assert len(shared) == len(scores[0])
    for key in shared:
        assert scores[0][key] == pytest.approx(scores[1][key], abs=1e-3)


def test_the_command_prints_its_answer_only(tmp_path: Path) -> None:
    """By the id of an environment, whose observations are arrays."""
    options = [
        f"--policy={name}={saved.save(tmp_path / name, centre, kind='tdmpc')}"
        for name, centre in (("a", 256.0), ("b", 60.0))
    ]
    command = ["race", "--env", "gym_pusht:gym_pusht/PushT-v0", "--bounds", "0,300", "--n-max", "2"]
    told = CliRunner().invoke(app, [*command, *options, "--json"])

    assert told.exit_code == 0, told.stderr
    assert json.loads(told.stdout)["race"]["used"] == 4


def test_what_does_not_fit_is_told_in_one_line(tmp_path: Path) -> None:
    path = saved.save(tmp_path / "a")
    with pytest.raises(StopwiseError, match="no policy of LeRobot is there"):
        LeRobotPolicy(tmp_path)
    policy = LeRobotPolicy(path)
    policy.reset(seed=1)
    with pytest.raises(
        sw.InvalidInput, match=r"'observation.environment_state', but .* 'agent_pos'"
    ):
        policy({"agent_pos": np.zeros(2)})
    with pytest.raises(sw.InvalidInput, match="but the environment gives 'rgb'"):
        policy({"rgb": np.zeros(2)})
    (tmp_path / "a" / "config.json").write_text('{"type": "unheard-of", "input_features": {}}')
    with pytest.raises(StopwiseError, match=r"policy 'a' cannot be loaded: .*unheard-of"):
        sw.race({"a": path, "b": path}, saved.pusht)


def evaluate(monkeypatch: pytest.MonkeyPatch, path: str, folder: Path, seed: int) -> dict[str, Any]:
    """Run the command ``lerobot-eval``, and return what it wrote."""
    options = {
        "policy.path": path, "env.type": "pusht", "env.obs_type": "environment_state_agent_pos",
        "env.episode_length": saved.STEPS, "eval.n_episodes": 4, "eval.batch_size": 2,
        "eval.use_async_envs": "false", "seed": seed, "output_dir": folder, "policy.device": "cpu",
        "env.visualization_width": 128, "env.visualization_height": 128,
    }  # fmt: skip
    arguments = [f"--{name}={value}" for name, value in options.items()]
    monkeypatch.setattr(sys, "argv", ["lerobot-eval", *arguments])
    lerobot_eval.main()
    written: dict[str, Any] = json.loads((folder / "eval_info.json").read_text())
    return written


def test_what_lerobot_eval_writes_is_read_and_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, state = tmp_path / "results", str(tmp_path / "seen.json")
    paths = {"base": saved.save(tmp_path / "p0"), "new": saved.save(tmp_path / "p1", seed=1)}
    watch = ["watch", str(results), "--n-max", "8", "--once", "--state", state, "--json",
             "--score", "max_rewards", "--bounds", "0,1"]  # fmt: skip
    written: dict[str, list[float]] = {"base": [], "new": []}
    seen = []
    for batch in range(2):
        for name, path in paths.items():
            folder = results / name / f"batch-{batch}"
            info = evaluate(monkeypatch, path, folder, 1000 + 4 * batch)
            written[name] += info["per_task"][0]["metrics"]["max_rewards"]
        looked = CliRunner().invoke(app, watch)
        assert looked.exit_code in {0, 3}, looked.output
        seen.append(json.loads(looked.stdout.splitlines()[-1]))

    trials = sw.read_trials(results, score="max_rewards", bounds=(0, 1))
    found = trials.frame.sort("policy", "trial").group_by("policy").agg("score").rows()
    assert dict(found) == written
    assert [look["tasks"][0]["rows"] for look in seen] == [4, 8]
