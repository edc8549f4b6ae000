"""Entries for the Hugging Face Hub, as its own package reads them."""

from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from huggingface_hub import (
    EvalResultEntry,
    eval_result_entries_to_yaml,
    parse_eval_result_entries,
)

import stopwise as sw
from stopwise.errors import InvalidInput
from tests.cli.typed import EXAMPLE, run

SCORES = {"pi/0": [0.0, 1.0, 0.0, 0.0] * 10, "pi 0": [1.0] * 40}


def entries(path: Path) -> list[EvalResultEntry]:
    """Return the entries of a file; nothing in it is unknown to the Hub."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = parse_eval_result_entries(content)
    assert eval_result_entries_to_yaml(found) == content
    return found


def test_each_policy_gets_an_entry_that_the_hub_reads(tmp_path: Path) -> None:
    found = sw.analyze(SCORES, bounds=(0, 1), n_max=40)
    paths = found.to_eval_results(tmp_path, "me/bench", source="https://example.org/run")

    names = [str(path.relative_to(tmp_path)) for path in paths]
    assert names == [f"pi_0{end}/.eval_results/stopwise.yaml" for end in ("", "_2")]
    for policy, path in zip(found.policies, paths, strict=True):
        (entry,) = entries(path)
        assert (entry.dataset_id, entry.task_id) == ("me/bench", "default")
        assert entry.value == policy.mean
        assert entry.source_url == "https://example.org/run"
        notes = str(entry.notes)
        assert f"Mean of {policy.n} trials" in notes
        assert f"interval [{policy.interval.low:.3g}" in notes
        assert "with probability 0.95 at all times" in notes
        assert found.sentence in notes
    assert {field.name for field in fields(EvalResultEntry)} >= {"value", "notes", "source_url"}


def test_what_voids_the_guarantee_is_in_the_entry(tmp_path: Path) -> None:
    found = sw.analyze(sw.read_trials(EXAMPLE, bounds="data"))
    (entry,) = entries(found.to_eval_results(tmp_path, "me/bench")[0])
    assert "nothing is guaranteed" in str(entry.notes)
    assert "holds" not in str(entry.notes)


def test_a_number_to_compare_with_is_no_model(tmp_path: Path) -> None:
    found = sw.analyze({"new": SCORES["pi 0"]}, bounds=(0, 1), reference=0.5, n_max=40)
    assert len(found.to_eval_results(tmp_path, "me/bench")) == 1


def test_the_command_writes_all_tasks(tmp_path: Path) -> None:
    lines = ["policy,score,task", *("a,0,lift\nb,1,lift\na,1,pour\nb,1,pour\n" * 12).split()]
    file = tmp_path / "trials.csv"
    file.write_text("\n".join(lines) + "\n")
    asked = ["analyze", str(file), "--eval-results", str(tmp_path / "out"), "--dataset"]
    code, text = run(*asked, "me/bench", "--json")

    assert code == 0
    found = entries(tmp_path / "out" / "b" / ".eval_results" / "stopwise.yaml")
    assert [entry.task_id for entry in found] == ["lift", "pour"]
    assert "written" in text
    assert run(*asked, "bench")[0] == 2
    assert run(*asked[:-1])[0] == 2


def test_the_benchmark_is_named_as_on_the_hub(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="owner/name"):
        sw.analyze(SCORES, bounds=(0, 1)).to_eval_results(tmp_path, "bench")
    assert not list(tmp_path.iterdir())
