"""A study of two equal policies ends by itself, and says what was shown and what was not."""

from pathlib import Path

import numpy as np

from tests.study.live import locked


def test_equal_policies_end_by_themselves(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "cups"), n_max=100, equivalence=0.25)
    rng = np.random.default_rng(2)
    while (trial := study.next_trial("left")) is not None:
        study.record(trial.trial, bool(rng.random() < 0.9), station="left")

    found = study.verdict()
    (task,) = found.tasks
    assert task.decided
    assert not task.needed
    assert task.rows < 100
    assert [pair.decision for pair in task.pairs] == ["equivalent"]
    assert "are practically the same (means less than 0.25 apart)" in found.sentence
    assert "which assumes a difference that stays the same" in found.sentence
    assert found.to_dict()["tasks"][0]["pairs"][0]["decision"] == "equivalent"
    page = study.report()
    assert "practically the same" in page
    assert "It does not show that they are equal" in page
    assert "the same throughout" in page
