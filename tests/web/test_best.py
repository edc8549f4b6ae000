"""The page of a study that asks for the best: candidates by label, and no name before its time."""

from pathlib import Path
from typing import Any

import httpx
import numpy as np

import stopwise as sw
from stopwise.web.client import StudyClient
from tests.web.serving import served

NAMES = ["diffusion-10k", "diffusion-20k", "diffusion-30k", "diffusion-40k"]
RATES = dict(zip(NAMES, (0.1, 0.2, 0.95, 0.3), strict=True))
PLAN: dict[str, Any] = {
    "name": "checkpoints",
    "policies": NAMES,
    "tasks": ["stack"],
    "goal": "best",
    "n_max": 80,
}


def run(study: sw.Study, trials: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(trials):
        trial = study.next_trial("arm 1")
        if trial is not None:
            success = rng.random() < RATES[study.resolve(trial.code).policy]
            study.record(trial.trial, bool(success), station="arm 1")


def test_candidates_are_shown_by_label(tmp_path: Path) -> None:
    with sw.Study.create(tmp_path / "best", PLAN) as study:
        study.lock()
        run(study, 40)
        study.verdict()  # makes the table of chances, so that the first evidence is not slow
        tokens = {role: study.create_token(role, role) for role in ("owner", "operator")}
        with served(study) as url:
            with httpx.Client(base_url=url, trust_env=False, timeout=600) as operator:
                operator.post("/api/join", json={"token": tokens["operator"]})
                assert operator.get("/api/evidence").status_code == 403
                assert "may still be the best" not in operator.get("/operate").text
            with httpx.Client(base_url=url, trust_env=False, timeout=600) as owner:
                owner.post("/api/join", json={"token": tokens["owner"]})
                page, evidence = owner.get("/owner").text, owner.get("/api/evidence")
                assert not any(name in page + evidence.text for name in NAMES)

                run(study, 250)
                (task,) = owner.get("/api/verdict").json()["tasks"]
                (found,) = study.verdict().tasks
                assert task["best"] == found.best
                assert found.best in tuple("ABCD")
                assert task["eliminated"] == {
                    label: {"row": out.row, "leader": out.leader}
                    for label, out in found.eliminated.items()
                }
                with StudyClient(url, tokens["owner"]) as client:
                    assert client.verdict() == study.verdict()

                study.unblind()
                (task,) = owner.get("/api/evidence").json()["tasks"]
                page = owner.get("/owner").text
                assert task["best"] == "diffusion-30k"
                assert {own["policy"] for own in task["candidates"] if own["dropped"]} == {
                    *NAMES
                } - {"diffusion-30k"}
                assert "best found" in page
                assert f"dropped after round {task['candidates'][-1]['last']}" in page
