"""What commands print as JSON has the names and the values that it had."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stopwise.cli import app
from tests.saved.same import SAVED, read, require_same

SAID = read("commands/said.json")


@pytest.mark.parametrize("line", SAID)
def test_a_command_answers_as_it_did(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (SAVED / "commands").glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)

    done = CliRunner().invoke(app, SAID[line]["arguments"])

    assert done.exit_code == SAID[line]["exit_code"], done.output
    found, expected = json.loads(done.stdout), SAID[line]["content"]
    if "race" in found:
        assert found["race"].pop("seconds") > 0
        expected["race"].pop("seconds")
    require_same(found, expected)
