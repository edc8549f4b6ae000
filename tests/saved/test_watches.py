"""The state of a watch that was kept goes on with the results that came later."""

import json
import shutil
from pathlib import Path

from stopwise.rollout.watch import Watch
from tests.saved.same import SAVED, read, require_same


def test_a_watch_goes_on_from_its_state(tmp_path: Path) -> None:
    kept, folder = read("watch/said.json"), SAVED / "watch"
    results, state = tmp_path / "results.csv", tmp_path / "state.json"
    shutil.copy(folder / "state.json", state)
    for file, said in (("seen.csv", "before"), ("grown.csv", "after")):
        shutil.copy(folder / file, results)
        sights = Watch(results, state=state, **kept["call"]).look()
        require_same(json.loads(json.dumps([sight.to_dict() for sight in sights])), kept[said])
        if said == "before":
            assert state.read_text() == (folder / "state.json").read_text()
