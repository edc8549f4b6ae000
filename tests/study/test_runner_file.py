"""The file of a runner: what will not do is refused when it is read."""

import stat
from pathlib import Path

import pytest

import stopwise as sw
from stopwise.study.runner_file import RunnerFile, filled, write_template
from tests.study.runners import written

FAULTS: dict[str, tuple[str, int, str]] = {
    "others can read it": ("policies: {old: ls, new: ls}", 0o640, "chmod 600"),
    "a policy is missing": ("policies: {old: ls}", 0o600, "1 of the policies of the study have no"),
    "no such program": ("policies: {old: nowhere x, new: ls}", 0o600, "not on this machine"),
    "an open quote": ('policies: {old: "ls \'", new: ls}', 0o600, "the command cannot be read"),
    "no command": ('policies: {old: " ", new: ls}', 0o600, "the command is empty"),
    "a wrong limit": ("policies: {old: ls, new: ls}\ntime_limit: 0", 0o600, "time_limit: must be"),
    "no such field": ("policies: {old: 'ls {nope}', new: ls}", 0o600, r"\{nope\} is not filled in"),
    "no file yet": ("policies: {old: 'ls {file}', new: ls}", 0o600, r"write \{ file \}"),
    "a camera": ("policies: {old: ls, new: ls}\ncamera: 'ls {fil}'", 0o600, r"\{fil\} is not"),
    "a recording": ("policies: {old: ls, new: ls}\nrecording: '{file}'", 0o600, "is not filled in"),
    "no yaml": ("policies: {", 0o600, "cannot be read"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_file_that_will_not_do_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    text, mode, complaint = FAULTS[name]
    file = tmp_path / "runner.yaml"
    file.write_text(text)
    file.chmod(mode)
    with pytest.raises(sw.InvalidInput, match=complaint):
        RunnerFile.read(file).require_all(("old", "new"))


def test_a_file_to_fill_in_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "runner.yaml"
    write_template(file, ["yes", "step: 10k", "é"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(sw.InvalidInput, match="the command is empty"):
        RunnerFile.read(file)  # until it is filled in
    file.write_text(file.read_text().replace("''", "ls"))
    assert list(RunnerFile.read(file).policies) == ["yes", "step: 10k", "é"]
    with pytest.raises(FileExistsError):
        write_template(file, [])


def test_what_is_filled_in_stays_one_word(tmp_path: Path) -> None:
    file = written(
        tmp_path / "runner.yaml", {"a": "play --start={condition} '{\"x\": 1}' {} ${HOME} { x }"}
    )
    command = RunnerFile.read(file).policies["a"].command or ""
    values = dict.fromkeys(("trial", "code", "task", "episode"), "1")
    assert filled(command, {**values, "condition": "x = 1; rm -rf"}) == [
        "play", "--start=x = 1; rm -rf", '{"x": 1}', "{}", "${HOME}", "{", "x", "}",
    ]  # fmt: skip
