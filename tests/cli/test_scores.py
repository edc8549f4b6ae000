"""Times, wins, preferences and training runs on the command line."""

from pathlib import Path

from tests.cli.typed import run


def test_times_wins_and_training_runs_have_their_options(tmp_path: Path) -> None:
    rows = [
        f"{policy},{seed},{time + seed + turn}"
        for policy, time in (("old", 30), ("new", 10))
        for seed in range(8)
        for turn in range(3)
    ]
    file = tmp_path / "times.csv"
    file.write_text("\n".join(["policy,train_seed,time_s", *rows]))
    words = ("analyze", str(file), "--score", "time_s")

    _, silent = run(*words, "--bounds", "0,60")
    _, lower = run(*words, "--bounds", "0,60", "--lower-is-better")
    _, won = run(*words, "--by", "wins", "--lower-is-better", "--unit", "seed")

    assert "say --lower-is-better" in " ".join(silent.split())
    assert "new > old (> means a lower mean; about the checkpoints" in " ".join(lower.split())
    assert "--unit seed takes the mean of a training run" in " ".join(lower.split())
    assert "say --lower-is-better" not in lower
    assert "new > old (> means wins more often" in " ".join(won.split())
    assert "checkpoints" not in won
