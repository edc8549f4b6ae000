"""Checkpoints in a race: found by their paths, and joining while it runs."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.seeds import episode_seed
from stopwise.rollout.checkpoints import Checkpoints, naming
from stopwise.rollout.executors import processes
from tests.rollout.players import draw, read_rate, verdict


def checkpoints(folder: Path, rates: dict[str, float]) -> Path:
    for name, rate in rates.items():
        path = folder / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(str(rate))
    return folder


def test_checkpoints_are_found_named_and_loaded(tmp_path: Path) -> None:
    rates = {"x/ckpt_9": 0.2, "x/ckpt_10": 0.5, "y/ckpt_9": 0.95}
    folder = checkpoints(tmp_path, rates)
    (folder / ".hidden").touch()
    settings: dict[str, Any] = {"n_max": 100, "goal": "best"}

    def with_more(path: str, device: str = "cpu") -> float:
        return read_rate(path) if device else 0.0

    given = sw.race(rates, draw, **settings)
    for pattern, load in (
        (f"{folder}/*/ckpt_*.txt", with_more),
        (f"{folder}/**/*.txt", "tests.rollout.players:read_rate"),
    ):
        found = sw.race(pattern, draw, load=load, executor=processes(1), **settings)
        assert found.analysis.rules.policies == tuple(rates)  # 9 comes before 10
        assert verdict(found) == verdict(given)
    one_run = sw.race(folder / "x", draw, load=read_rate, **settings)
    assert set(one_run.analysis.rules.policies) == {"ckpt_9", "ckpt_10"}
    names = naming([Path("a/b/c"), Path("b/c")])
    assert (names(Path("a/b/c")), names(Path("b/c"))) == ("a/b", "b")


@pytest.mark.parametrize(
    ("policies", "load", "line"),
    [
        ("{}/none_*", float, r"none_\*: no checkpoint matches$"),
        ("{}/one.*", float, r"only .*one\.txt matches, but a comparison needs at least 2"),
        ("{}", None, "checkpoints need load=, a function that makes a policy of a path"),
        ("{}", "not a place", "checkpoints need load=, .* or package.module:name of one"),
        ({"a": 1, "b": 2}, float, "load is for checkpoints, given as a folder or a pattern"),
        (7, None, "policies must be given by name, .* or as a folder or pattern"),
    ],
)
def test_wrong_checkpoints_are_one_line(
    policies: Any, load: Any, line: str, tmp_path: Path
) -> None:
    checkpoints(tmp_path, {"one": 0.1, "two": 0.9})
    if isinstance(policies, str):
        policies = policies.format(tmp_path)
    with pytest.raises(sw.InvalidInput, match=line):
        sw.race(policies, draw, load=load)


def test_a_journal_knows_its_checkpoints(tmp_path: Path) -> None:
    folder, journal = checkpoints(tmp_path / "c", {"a": 0.3, "b": 0.5}), tmp_path / "race.jsonl"
    again = partial(sw.race, load=read_rate, n_max=3, goal="best", journal=journal)
    again(f"{folder}/*.txt", draw)
    (folder / "a.txt").rename(folder / "a.ckpt")

    with pytest.raises(sw.InvalidInput, match="belongs to another race: its policies"):
        again(f"{folder}/*", draw)


@pytest.fixture(autouse=True)
def told_of_each_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stopwise.rollout.drive.SECONDS_BETWEEN_REPORTS", 0.0)


def growing(folder: Path, rates: dict[str, float], newcomers: dict[str, tuple[int, float]]) -> Any:
    """Return a folder of checkpoints, and what adds some once so many episodes came back."""
    checkpoints(folder, rates)

    def on_progress(look: Any) -> None:
        for name, (after, rate) in newcomers.items():
            if look.episodes >= after and not (folder / f"{name}.txt").exists():
                checkpoints(folder, {name: rate})

    return on_progress


COMERS = {"c": (15, 0.4), "e": (40, 0.95)}


@pytest.mark.parametrize("design", ["paired", "independent"])
def test_a_checkpoint_that_appears_joins_the_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, design: str
) -> None:
    """The verdict is that of a rule that it joins at the same row."""
    monkeypatch.setattr("stopwise.rollout.checkpoints.PAUSE", 0.0)
    folder, journal = tmp_path / "c", tmp_path / "race.jsonl"
    on_progress = growing(folder, {"a": 0.3, "b": 0.6}, COMERS)
    later = ["c", "e"]
    rules: dict[str, Any] = {"goal": "best", "n_max": 150, "design": design, "later": later}
    run = partial(sw.race, f"{folder}/*.txt", draw, load=read_rate, seed=5, journal=journal)
    found = run(on_progress=on_progress, **rules)
    joined = found.to_dict()["joined"]
    again = run(**rules)
    rates = {"a": 0.3, "b": 0.6, "c": 0.4, "e": 0.95}

    assert found.best == "e"
    assert joined.keys() == COMERS.keys()
    assert 0 < joined["c"] < joined["e"]
    assert (verdict(again), again.seconds) == (verdict(found), 0.0)  # nothing was run anew
    rule = sw.StopRule(["a", "b", *later], **rules)
    while not rule.stop or rule.waits:
        for name in [name for name, row in joined.items() if row == rule.rows]:
            if name in rule.awaited:
                rule.join(name)
        for policy, places in rule.places.items():
            for row in places:
                number = rule.policies.index(policy)
                seed = episode_seed(5, row, number, paired=design == "paired")
                rule.add(policy, draw(rates[policy], seed), row=row)
    assert (rule.best, dict(rule.eliminated)) == (found.best, dict(found.eliminated))


def test_a_race_that_was_cut_goes_on_with_those_who_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever processes: they hear of a newcomer before its first ticket."""
    monkeypatch.setattr("stopwise.rollout.checkpoints.PAUSE", 0.0)
    folder, journal = tmp_path / "c", tmp_path / "race.jsonl"
    on_progress = growing(folder, {"a": 0.3, "b": 0.6}, COMERS)

    def load(path: str, device: str = "cpu") -> float:
        return read_rate(path) if device else 0.0

    run = partial(sw.race, folder, draw, load=load, goal="best", n_max=150)
    whole = run(later=["c", "e"], journal=journal, on_progress=on_progress, executor=processes(2))
    lines = journal.read_text().splitlines(keepends=True)
    cut = next(place for place, line in enumerate(lines) if '"joined": "e"' in line) + 9

    assert whole.best == "e"
    journal.write_text("".join(lines[:cut]))
    for executor in ("serial", processes(1)):
        assert verdict(run(later=["c", "e"], journal=journal, executor=executor)) == verdict(whole)
    (folder / "e.txt").rename(tmp_path / "e.txt")
    with pytest.raises(sw.InvalidInput, match="e, which joined this race, is no longer there"):
        run(later=["c", "e"], journal=journal)


def test_a_newcomer_that_was_not_declared_takes_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stopwise.rollout.checkpoints.PAUSE", 0.0)
    on_progress = growing(tmp_path / "c", {"a": 0.3, "b": 0.6}, COMERS)
    found = sw.race(
        tmp_path / "c", draw, load=read_rate, n_max=90, goal="best", later=["e"],
        on_progress=on_progress,
    )  # fmt: skip
    assert set(found.analysis.rules.policies) == {"a", "b", "e"}
    assert "c appeared during the race without being declared, and took no part" in (
        found.analysis.warnings
    )


def test_a_newcomer_is_taken_when_it_is_written_and_named_as_the_others(tmp_path: Path) -> None:
    times = iter(np.arange(0, 20, 2.0).repeat(2).tolist())
    folder = checkpoints(tmp_path, {"x/1": 0.1, "x/2": 0.2})
    found = Checkpoints(f"{folder}/*/*", read_rate, clock=lambda: next(times))
    checkpoints(folder, {"y/1": 0.5})
    twin = f"{folder.as_posix()}/y/1.txt"  # for there is another 1
    looks = []
    for content in ("0", "0.", "0.3", "0.3", "0.3"):
        (folder / "x/3.txt").write_text(content)
        os.utime(folder / "x/3.txt", (1, 1))
        looks.append(found.appeared([twin, "3"]))

    assert [list(look) for look in looks] == [[], [twin], [], ["3"], []]
    assert looks[3]["3"]() == 0.3
