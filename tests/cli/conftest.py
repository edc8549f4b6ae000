"""What several tests of commands set up."""

from pathlib import Path

import pytest

import stopwise as sw
from tests.study.plans import plan

MILESTONES = {
    "kind": "milestones",
    "milestones": [{"name": "reached"}, {"name": "grasped", "weight": 2}, {"name": "lifted"}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A locked study with a checklist."""
    folder = tmp_path / "study"
    task = {"name": "stack", "score": MILESTONES, "conditions": {"listed": ["left", "right"]}}
    sw.Study.create(folder, plan(tasks=[task], n_max=20)).lock()
    return folder
