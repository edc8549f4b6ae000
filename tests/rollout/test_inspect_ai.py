"""Real evaluations by inspect_ai that stop each other."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, solver

import stopwise as sw
from stopwise.rollout.inspect_ai import ModelHook, StopTogether

SAMPLES = 40
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect the streams that inspect_ai leaves open, here and not in the middle of others."""
    yield
    gc.collect()


@solver
def answering(right: Callable[[int], bool]) -> Solver:
    """Answer some samples rightly, without asking any model."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        text = "yes" if right(int(state.sample_id)) else "no"
        state.output = ModelOutput.from_content("none", text)
        return state

    return solve


def task(name: str, right: Callable[[int], bool], hook: ModelHook | None, epochs: int = 1) -> Task:
    samples = [Sample(id=number, input="well?", target="yes") for number in range(SAMPLES)]
    return Task(
        name=name,
        dataset=MemoryDataset(samples),
        solver=answering(right),
        scorer=match(),
        model="mockllm/model",
        epochs=epochs,
        early_stopping=hook,
    )


def run(tasks: list[Task], folder: Path) -> list[EvalLog]:
    logs = evaluate(tasks, log_dir=str(folder), display="none", max_samples=3, max_tasks=2)
    assert [log.status for log in logs] == ["success"] * len(tasks)
    return list(logs)


def completed(log: EvalLog) -> int:
    assert log.results is not None
    return log.results.completed_samples


def early_stopping(log: EvalLog) -> Any:
    assert log.results is not None
    return log.results.early_stopping


def test_two_models_side_by_side_stop_when_their_order_is_known(tmp_path: Path) -> None:
    together = StopTogether(["base", "new"], n_max=SAMPLES)
    base = task("base", lambda number: number % 4 == 0, together.hook("base"))
    new = task("new", lambda _: True, together.hook("new"))
    logs = run([base, new], tmp_path)

    expected = sw.analyze(
        {"base": [float(n % 4 == 0) for n in range(SAMPLES)], "new": [1.0] * SAMPLES},
        design="paired", n_max=SAMPLES,
    )  # fmt: skip
    assert together.rule.decided
    assert together.rule.rows == expected.pairs[0].n
    assert together.rule.analysis().order_text == "new > base"
    assert all(completed(log) < SAMPLES for log in logs)
    stops = early_stopping(logs[1])
    assert stops.manager == "stopwise"
    assert stops.metadata["order"] == "new > base"
    assert stops.early_stops[0].reason == "stopwise: the order is known"


def test_a_model_is_compared_with_the_log_of_another(tmp_path: Path) -> None:
    (before,) = run([task("base", lambda number: number % 4 == 0, None)], tmp_path)
    together = StopTogether(["base", "new"], n_max=SAMPLES)
    together.add_log("base", before.location)
    (after,) = run([task("new", lambda _: True, together.hook("new"), epochs=2)], tmp_path)

    assert completed(before) == SAMPLES
    assert together.rule.decided
    assert completed(after) < SAMPLES * 2
    with pytest.raises(sw.InvalidInput, match="models are base, new"):
        together.hook("other")
    with pytest.raises(sw.InvalidInput, match="same samples in the same order"):
        together.begin([1, 0])
