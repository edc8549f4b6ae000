"""Claims on several tasks: one family, or one claim about each of them."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import stopwise as sw
from stopwise.cli import app
from stopwise.errors import InvalidInput
from stopwise.questions.anywhere import not_worse_anywhere
from stopwise.report.figures import plot_differences


def table(rates: list[tuple[float, float]], rows: int = 150, seed: int = 0) -> pl.DataFrame:
    """Trials of two policies with these success rates, task by task."""
    rng = np.random.default_rng(seed)
    parts = [
        pl.DataFrame(
            {
                "task": f"t{task}",
                "policy": ["old", "new"] * rows,
                "success": (rng.random((rows, 2)) < pair).ravel() * 1,
            }
        )
        for task, pair in enumerate(rates)
    ]
    return pl.concat(parts)


def each(frame: pl.DataFrame, **settings: Any) -> dict[str, sw.Analysis]:
    return sw.analyze(frame, tasks="each", bounds=(0, 1), **settings)


def test_what_is_decided_on_one_task_passes_its_share_on() -> None:
    clear, unclear = (0.1, 0.9), (0.5, 0.5)
    last = (0.46, 0.54)

    beside_clear = each(table([clear, clear, last], seed=2))["t2"].pairs[0]
    beside_unclear = each(table([unclear, unclear, last], seed=2))["t2"].pairs[0]

    # Of three pairs U are undecided: P + U shares of alpha, until this pair is decided.
    assert beside_unclear.p_value / beside_clear.p_value == pytest.approx(6 / 4, rel=1e-9)
    assert (beside_clear.decided, beside_unclear.decided) == (True, False)


@pytest.mark.slow("a hundred studies of six tasks each: counts false claims")
def test_false_claims_on_any_task_are_at_most_alpha() -> None:
    wrong = 0
    for seed in range(100):
        found = each(table([(0.5, 0.5)] * 5 + [(0.2, 0.8)], rows=40, seed=seed), alpha=0.2)
        wrong += any(found[f"t{task}"].pairs[0].decided for task in range(5))

    assert wrong <= 20 + 3 * 4


def test_intervals_of_all_tasks_hold_together() -> None:
    found = list(each(table([(0.1, 0.9), (0.4, 0.6), (0.5, 0.5)])).values())

    for analysis in found:
        [pair] = analysis.simultaneous()
        assert pair.interval_level == pytest.approx(1 - 0.05 / 3)
        [own] = analysis.pairs
        assert pair.interval.low <= own.interval.low
        assert pair.interval.high >= own.interval.high
    figure = plot_differences(found)
    assert len(figure.axes[0].texts) == 3


@pytest.mark.parametrize(
    ("rates", "margin", "answer", "says"),
    [
        ([(0.7, 0.75)] * 3, 0.25, "pass", "less than 0.25 worse than old on each of 3 tasks"),
        ([(0.7, 0.7), (0.9, 0.2)], 0.25, "fail", "more than 0.25 worse than old on t1"),
        ([(0.3, 0.9), (0.5, 0.5)], 0.05, "undecided", "shown on 1 of 2 tasks .* but not on t1"),
    ],
)
def test_not_worse_anywhere_needs_every_task(
    rates: list[tuple[float, float]], margin: float, answer: str, says: str
) -> None:
    found = not_worse_anywhere("new", "old", margin, results=table(rates), bounds=(0, 1))

    assert found.answer == answer
    assert re.search(says, found.sentence)


def test_of_lists_the_claim_is_about_the_scenes_of_each_task() -> None:
    frame = table([(0.7, 0.8), (0.7, 0.8)], rows=60)
    settings: dict[str, Any] = {"results": frame, "bounds": (0, 1), "list_size": 60}

    found = not_worse_anywhere("new", "old", 0.2, **settings)

    assert ", on the 60 scenes of each task, in this run; " in found.sentence


def test_each_task_is_shown_at_the_whole_level_and_a_failure_shares_it() -> None:
    frame = table([(0.7, 0.8), (0.7, 0.8)])
    found = not_worse_anywhere("new", "old", 0.2, results=frame, bounds=(0, 1), alpha=0.1)

    alone = sw.gate("new", "old", 0.2, results=frame, task="t0", alpha=0.1, bounds=(0, 1))
    assert found.tasks["t0"].n == alone.n
    assert found.tasks["t0"].alpha == 0.1

    def worse(alpha: float) -> Any:
        settings: dict[str, Any] = {"results": frame, "bounds": (0, 1), "alpha": alpha}
        return not_worse_anywhere("new", "old", 0.2, method="nscore", **settings)

    frame = table([(0.7, 0.8), (0.9, 0.4)], rows=60)
    p_value = worse(0.1).tasks["t1"].worse.p_value
    assert worse(1.9 * p_value).worse == ()
    assert worse(2.1 * p_value).worse == ("t1",)


def test_a_task_without_both_policies_is_refused() -> None:
    frame = table([(0.7, 0.7), (0.7, 0.7)]).filter(
        ~((pl.col("task") == "t1") & (pl.col("policy") == "new"))
    )
    with pytest.raises(InvalidInput, match="on t1 not both policies have trials"):
        not_worse_anywhere("new", "old", 0.2, results=frame, bounds=(0, 1))


@pytest.mark.parametrize(
    "command",
    [
        ["gate", "new", "--baseline", "old", "--results", "{file}"],
        ["analyze", "{file}", "--baseline", "old"],
    ],
)
def test_the_commands_ask_about_all_tasks(command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "trials.csv"
    table([(0.7, 0.75)] * 3).write_csv(file)
    arguments = [part.format(file=file) for part in command]
    result = CliRunner().invoke(app, [*arguments, "--not-worse-anywhere", "0.25"])
    assert result.exit_code == 0
    assert "on each of 3 tasks" in " ".join(result.output.split())
