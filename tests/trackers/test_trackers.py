"""Rows, verdict and report in real trackers, without a network; none of them can do harm."""

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import stopwise as sw
from stopwise.cli import app
from stopwise.errors import InvalidInput, StopwiseError
from stopwise.trackers import TRACKERS, reporter_of
from stopwise.trackers.reporter import Reporter
from tests.trackers.places import PLACES, Memory

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the trackers' own
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def episode(policy: float, seed: int) -> float:
    return float((seed * 7919 % 101) / 101 < policy)


POLICIES = {"old arm": 0.3, "new/arm": 0.8}


def raced(**settings: Any) -> sw.RaceResult:
    def play(policy: Any, seed: int) -> float:
        return episode(policy(), seed)

    policies = {name: (lambda rate=rate: lambda: rate) for name, rate in POLICIES.items()}
    return sw.race(policies, play, n_max=60, **settings)


@pytest.fixture(params=sorted(TRACKERS))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        yield request.param, PLACES[request.param](tmp_path, patch)


def test_each_tracker_has_every_row_and_the_report(place: tuple[str, Any]) -> None:
    name, kept = place
    result = raced(report_to=name)

    rows, verdict, page = kept.read()
    told = {row: own for row, own in rows.items() if row}
    assert sorted(told) == list(range(1, result.rows + 1))
    for policy in result.analysis.policies:
        key = {"old arm": "old_arm", "new/arm": "new_arm"}[policy.name]
        last = told[result.rows]
        assert last[f"mean/{key}"] == pytest.approx(policy.mean)
        ends = last[f"low/{key}"], last[f"high/{key}"]
        assert ends == pytest.approx(tuple(policy.interval), abs=1e-6)
    (pair,) = result.analysis.pairs
    assert told[result.rows]["p/new_arm_vs_old_arm"] == pytest.approx(pair.p_value)
    assert [own["decided"] for own in told.values()] == [0.0] * (result.rows - 1) + [1.0]
    assert result.analysis.sentence in verdict
    assert "<html" in page
    assert "new/arm" in page


def test_a_run_that_is_open_is_used_and_stays_open(place: tuple[str, Any]) -> None:
    name, kept = place
    run = kept.open()
    try:
        # Of a writer of TensorBoard nobody knows that it is open: it is given.
        raced(report_to=run if name == "tensorboard" else name)
        assert kept.is_open(run)
    finally:
        kept.close(run)
    rows, _, page = kept.read()
    assert len(rows) > 4
    assert "<html" in page


def test_rows_and_verdict_are_those_of_the_rule() -> None:
    memory, other = Memory(), Memory()
    rule = sw.StopRule(["a", "b", "c"], n_max=80, report_to=[memory, other])
    while not rule.stop:
        for policy in rule.needed:
            rule.add(policy, episode({"a": 0.1, "b": 0.5, "c": 0.95}[policy], rule.rows))

    found = rule.analysis()
    assert memory.rows == other.rows
    assert list(memory.rows) == list(range(1, rule.rows + 1))
    assert memory.settings["alpha"] == 0.05
    assert memory.verdicts[0] == "3 of 3 undecided"
    assert len(memory.verdicts) == len(set(memory.verdicts))
    assert memory.verdicts[-1] == found.sentence
    for pair in found.pairs:
        assert memory.rows[pair.n][f"p/{pair.policy1}_vs_{pair.policy0}"] <= 0.05
        assert memory.rows[pair.n - 1][f"p/{pair.policy1}_vs_{pair.policy0}"] > 0.05
    assert memory.page is not None
    assert memory.ends == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"goal": "best"},
        {"goal": "best", "design": "paired"},
        {"by": "wins"},
        {"reference": 0.4},
        {"lower_is_better": True, "bounds": (-2, 3), "design": "paired"},
        {"stored": {"a": [0.0, 1.0, 0.0] * 100}},
        {"equivalence": 0.3},
    ],
)
def test_every_question_is_reported(settings: dict[str, Any]) -> None:
    memory = Memory()
    rule = sw.StopRule(["a", "b", "c"], n_max=30, **settings)
    with Reporter([memory]) as reporter:
        rule.report_by(reporter)
        means = {"a": 0.1, "b": 0.5, "c": 0.9}
        rule.follow(
            lambda places: {
                name: [episode(means[name], number) for number in own]
                for name, own in places.items()
            }
        )

    assert sorted(memory.rows) == list(range(1, rule.rows + 1))
    last = memory.rows[rule.rows]
    for policy in rule.analysis().policies:
        if policy.name in "abc":
            assert last[f"mean/{policy.name}"] == pytest.approx(policy.mean)
            ends = last[f"low/{policy.name}"], last[f"high/{policy.name}"]
            assert ends == pytest.approx(tuple(policy.interval), abs=1e-9)


def test_a_tracker_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    broken, whole = Memory(fails=True), Memory()

    def fail(_: int, values: dict[str, float]) -> None:
        values.clear()  # its own to change
        raise ValueError("no such experiment")

    result = raced(report_to=[broken, whole], on_row=fail)

    assert result.analysis.to_dict() == raced().analysis.to_dict()
    assert broken.calls == result.rows + 2  # it is tried again: networks come back
    assert len(whole.rows) == result.rows
    assert whole.rows[result.rows]["decided"] == 1.0
    first, second = (warning.getMessage() for warning in caplog.records)
    assert re.search("Memory missed some reports.*no space left", first)
    assert re.search("OnRow missed some reports.*no such experiment", second)


def test_a_tracker_that_hangs_is_left_behind(caplog: pytest.LogCaptureFixture) -> None:
    class Hanging(Memory):
        def log(self, *_: Any) -> None:
            release.wait()

    release, whole = threading.Event(), Memory()
    rule = sw.StopRule(["a", "b"], n_max=5)
    rule.report_by(Reporter([whole, Hanging()], patience=0.1))
    while not rule.stop:
        rule.add("a", 0.0)
        rule.add("b", 1.0)

    assert rule.decided
    assert list(whole.rows) == [1]
    (warning,) = caplog.records
    assert "Hanging missed some reports" in warning.getMessage()
    assert "within 0.1 s" in warning.getMessage()
    release.set()
    for thread in threading.enumerate():
        if thread.name == "stopwise report":
            thread.join()


def test_a_tracker_that_cannot_be_opened_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").write_text("a file where TensorBoard wants a folder")
    assert raced(report_to="tensorboard").decided
    (warning,) = caplog.records
    assert "tensorboard could not be opened" in warning.getMessage()


def test_a_race_that_is_stopped_reports_what_it_has() -> None:
    memory = Memory()

    def play(_: Any, seed: int) -> float:
        if seed % 50 == 7:
            raise RuntimeError("the gripper")
        return 0.5 + 0.01 * (seed % 3)

    with pytest.raises(StopwiseError, match="the gripper"):
        sw.race({"a": lambda: 0, "b": lambda: 0}, play, n_max=400, report_to=memory)
    assert memory.rows
    assert memory.page is not None
    assert "the race stopped" in memory.page


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"report_to": "weights and biases"}, "report_to must be one of"),
        ({"report_to": ["wandb", object()]}, "report_to takes wandb, tensorboard"),
        ({"report_to": print}, "a function is for on_row"),
        ({"on_row": "mine:write"}, "on_row must be a function"),
    ],
)
def test_what_is_no_tracker_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sw.StopRule(["a", "b"], **settings)


def test_the_extra_is_named_where_its_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX", None)
    with pytest.raises(StopwiseError, match=r"stopwise\[tensorboard\]"):
        reporter_of("tensorboard")


def test_watch_reports_every_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory()
    monkeypatch.setattr("stopwise.trackers._made", lambda *_: memory)
    lines = ["policy,score,task"]
    for _ in range(40):
        for task in ("lift cube", "pour"):
            lines += [f"{policy},{int(policy == 'b')},{task}" for policy in "ab"]
    (tmp_path / "trials.csv").write_text("\n".join(lines) + "\n")
    arguments = ["watch", str(tmp_path / "trials.csv"), "--once", "--json", "--n-max", "30"]
    result = CliRunner().invoke(app, [*arguments, "--report-to", "wandb"])

    sights = json.loads(result.stdout)["tasks"]
    assert result.exit_code == 0
    assert sorted(memory.rows) == list(range(1, sights[0]["rows"] + 1))
    assert memory.rows[3]["pour/mean/b"] == memory.rows[3]["lift_cube/mean/b"] == 1.0
    assert memory.verdicts[-1].count("b > a") == 2
    assert memory.page is not None
    assert memory.page.count("lift cube") > 0


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a race of what is in a module in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "def play(policy, seed):\n    return policy(seed)\n"
        "def low():\n    return lambda seed: 0.1\n"
        "def high():\n    return lambda seed: 0.9\n"
        "def write(row, values):\n"
        "    with open('rows.txt', 'a') as file:\n"
        "        print(row, sorted(values), file=file)\n"
    )
    return ["race", "--env", "mine:play", "--policy", "low=mine:low", "--policy", "high=mine:high"]


def test_a_function_of_the_command_line(modules: list[str], tmp_path: Path) -> None:
    both = ["--on-row", "mine:write", "--report-to", "tensorboard"]
    result = CliRunner().invoke(app, [*modules, *both, "--json"])
    assert list(tmp_path.glob("runs/*/*.html"))
    lines = (tmp_path / "rows.txt").read_text().splitlines()
    assert len(lines) == json.loads(result.stdout)["race"]["rows"]
    assert "mean/high" in lines[0]

    wrong = CliRunner().invoke(app, [*modules, "--on-row", "mine:nothing"])
    assert wrong.exit_code == 2
    assert "mine has no 'nothing'" in wrong.output
