"""Advice is in the words of the command line: nothing that a command prints is Python."""

import json
import re
from pathlib import Path

import pytest

import stopwise as sw
from stopwise.cli.wording import as_option
from stopwise.messages import BLANK, Setting
from tests.cli.typed import run, study
from tests.data import files
from tests.study.plans import plan

# columns={'block': 'episode'}, missing='drop', again=True, score=
PYTHON = re.compile(r"(?<!--column )\b[a-z_]+=(\{|'|True|None|[ ,;)]|$)", re.MULTILINE)


@pytest.mark.parametrize(
    ("setting", "typed"),
    [
        (Setting("missing", "drop"), "--missing drop"),
        (Setting("score"), "--score"),
        (Setting("score", "my score"), "--score 'my score'"),
        (Setting("on_error", "score:0"), "--on-error score:0"),
        (Setting("again", True), "--again"),
        (Setting("bounds", (0, 1)), "--bounds 0,1"),
        (Setting("columns", {"block": "episode"}), "--column block=episode"),
        (Setting("columns", {"trial": None}), "--column trial="),
        (Setting("columns", {"task": [BLANK]}), "--column task=NAME,NAME"),
        (Setting("columns", {"time": BLANK}), "--column time=NAME"),
        (Setting("columns", {"task": ["a", "b"]}), "--column task=a,b"),
        (Setting("guesses", words="(mean, standard deviation)"), "MEAN+-SD, as in 50+-20"),
    ],
)
def test_each_setting_is_an_option(setting: Setting, typed: str) -> None:
    assert as_option(setting) == typed


@pytest.fixture
def lerobot(tmp_path: Path) -> dict[str, Path]:
    """Two runs whose notes advise a column of blocks."""
    paths = {}
    for name in ("old", "new"):
        folder = tmp_path / name
        folder.mkdir()
        paths[name] = files.lerobot(folder)
    return paths


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A column per policy, whose note advises a column of blocks."""
    path = tmp_path / "wide.csv"
    path.write_text("old,new\n" + "0.5,0.7\n0.2,0.9\n0.4,0.6\n" * 5)
    return path


@pytest.mark.parametrize(
    "command",
    [
        "analyze {wide}",
        "watch {wide} --once",
        "plan --pilot {wide} --n-max 12 --precision 0.1",
        "forecast {wide} --n-max 20 --precision 0.1",
    ],
)
def test_notes_are_options_on_the_screen_and_on_the_page(
    command: str, wide: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    written = [] if command.startswith("watch") else ["--html", str(page)]
    code, output = run(*command.format(wide=wide).split(), "--bounds", "0,1", *written)

    assert code in (0, 3), output
    assert "if those in a row of the table do, say so with --design paired" in output
    assert not PYTHON.search(output)
    if written:
        assert "--design paired" in page.read_text()
        assert "columns=" not in page.read_text()


def test_notes_on_files_of_two_policies_are_options(lerobot: dict[str, Path]) -> None:
    _, compared = run("compare", str(lerobot["old"]), str(lerobot["new"]))
    _, analyzed = run("analyze", *(f"--policy={name}={path}" for name, path in lerobot.items()))

    for output in (compared, analyzed):
        assert "--column block=episode" in output
        assert "score = success; override with --score" in output
        assert not PYTHON.search(output)


def test_notes_in_json_are_those_of_the_library(wide: Path) -> None:
    _, output = run("analyze", str(wide), "--bounds", "0,1", "--json")

    assert any("design='paired'" in note for note in json.loads(output)["warnings"])


def test_how_a_file_was_read_is_one_line_on_the_screen_and_a_note_each_in_json(
    tmp_path: Path,
) -> None:
    path, page = tmp_path / "trials.csv", tmp_path / "page.html"
    path.write_text("model,episode,success\n" + "old,1,no\nnew,1,yes\nold,2,yes\nnew,2,yes\n")
    _, output = run("analyze", str(path), "--html", str(page))
    _, content = run("analyze", str(path), "--json")

    read = "policy = model, score = success, trial = episode; override with --column"
    notes = [line for line in output.splitlines() if line.startswith("note: ")]
    assert len(notes) == 2
    assert notes[0] == f"note: columns used: {read} policy=NAME"
    assert page.read_text().count("<li>columns used: ") == 1
    assert {
        "policy column: 'model' (guessed)",
        "trial column: 'episode' (guessed)",
        "score column: 'success' (guessed)",
        "bounds of 'success': [0, 1], since it holds only true and false (or yes and no)",
    } < set(json.loads(content)["warnings"])


def test_a_wide_table_with_scenes_is_not_told_to_pair_its_rows(tmp_path: Path) -> None:
    """Nor is that of policies or scores, whose columns were not guessed, said to be."""
    path = tmp_path / "wide.csv"
    path.write_text("scene,old,new\n" + "a,0.5,0.7\nb,0.2,0.9\nc,0.4,0.6\n")
    _, output = run("analyze", str(path), "--bounds", "0,1")

    assert "design: assumed paired: policies share 3 of 3 blocks" in output
    assert "columns used: block = scene; override with --column block=NAME" in output
    assert "say so with" not in output


def test_notes_of_a_race_are_options() -> None:
    code, output = run(
        "race", "--env", "tests.rollout.players:measured", "--n-max", "3", "--score", "success",
        "--policy", "low=tests.rollout.players:make_low",
        "--policy", "high=tests.rollout.players:make_high",
    )  # fmt: skip

    assert code == 0, output
    assert not PYTHON.search(output)


@pytest.mark.parametrize(
    ("table", "advice"),
    [
        ("policy,score\nold,\nnew,1\nnew,0\n", "--missing drop"),
        ("policy,kind\nold,x\nnew,y\n", "--score"),
        ("policy,trial,score\nold,1,0\nold,1,1\n", "--column task=NAME,NAME"),
    ],
)
@pytest.mark.parametrize("command", ["analyze", "watch --once", "plan --pilot"])
def test_errors_of_files_advise_options(
    command: str, table: str, advice: str, tmp_path: Path
) -> None:
    path = tmp_path / "trials.csv"
    path.write_text(table)
    code, output = run(*command.split(), str(path), "--bounds", "0,1")

    assert code == 2
    assert advice in output
    assert not PYTHON.search(output)


def test_errors_of_an_import_advise_options(tmp_path: Path) -> None:
    folder, path = tmp_path / "study", tmp_path / "trials.csv"
    sw.Study.create(folder, plan(n_max=20)).lock()
    path.write_text("policy,score\nold,0\nold,1\nnew,\n")
    unscored = study("import", folder, path, "--reason", "pilot").output
    path.write_text("policy,score\nold,0\nnew,1\n")
    study("import", folder, path, "--reason", "pilot")
    again = study("import", folder, path, "--reason", "pilot").output

    assert "--missing drop leaves such trials out" in unscored
    assert again.rstrip().endswith("say so with --again")
    assert not PYTHON.search(unscored + again)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("analyze {gap} --missing drop --n-max 0", "--n-max must be a whole number of at least 1"),
        ("analyze {gap} --missing no", "--missing must be one of error, fail, drop"),
        ("analyze {gap}", "; --missing drop leaves such trials out"),
        ("watch {gap} --once", "; --missing drop leaves such trials out"),
        ("plan .5 .7 --futility .1", "the word: --futility advisory:0.1"),
    ],
)
def test_no_message_names_an_option_that_the_command_does_not_have(
    command: str, said: str, tmp_path: Path
) -> None:
    gap = tmp_path / "gap.csv"
    gap.write_text("policy,score\n" + "a,0\nb,1\n" * 4 + "a,\nb,1\n")
    code, output = run(*command.format(gap=gap).split())

    assert code == 2
    assert said in output
    assert as_option(Setting("again", True)) == "--again"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("analyze {two} --n-max abc", "--n-max must be a whole number, but got 'abc'"),
        ("analyze {two} --alpha=x", "--alpha must be a number, but got 'x'"),
        ("demo --pause -1", "--pause must be a number of at least 0, but got '-1'"),
        ("study serve --port 70000", "--port must be a whole number from 0 to 65535, but got"),
        ("study void . first", "TRIAL must be a whole number, but got 'first'"),
        ("plan --gaps wide", "--gaps must be numbers like 0.1,0.2, but got 'wide'"),
        ("analyze", "give either FILES or --policy NAME=FILE for each policy"),
        ("compare 1/2", "1/2 is one policy: give the other too, or a file with all counts"),
    ],
)
def test_a_wrong_call_is_one_line_that_says_where_help_is(
    command: str, said: str, tmp_path: Path
) -> None:
    code, output = run(*command.format(two=_table(tmp_path, "ab")).split())
    words = command.split()
    name = " ".join(words[: 2 if words[0] == "study" else 1])

    assert code == 2
    assert output.startswith(f"stopwise {name}: {said}")
    assert output.endswith(f"; see `stopwise {name} --help`\n")
    assert len(output.splitlines()) == 1


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("analyze {one}", "got 1; add a file of another policy, or name the column of policies "),
        ("analyze {one}", "--column policy=NAME"),
        ("race --env m:e --policy a=m:a", "got 1; give --policy once for each of them"),
        ("compare {one} {two}", "to rank all policies of a file, use `stopwise analyze FILE`"),
        ("study status {one}", "one.csv is not a study: a study is a folder, made with "),
        ("race --env m:e --policy a=m:a --policy b=m:b --journal {one}", "not a race journal"),
        ("analyze {two} --method step", "step needs --n-max, the most trials per policy"),
        ("analyze {two} --bins 3", "--bins is for --method nscore, not for nscore-plus"),
        ("plan .5 .7 --minutes 0", "--minutes-per-trial must be above 0"),
        ("plan .5 .7 --n-max 9 --budget 9", "give either --n-max or --budget, not both"),
        ("race --env m:e --policy a=m:a --policy b=m:b --on-error no", "--on-error must be raise,"),
    ],
)
def test_an_error_says_what_to_do_next(command: str, said: str, tmp_path: Path) -> None:
    one, two = _table(tmp_path, "a", "one"), _table(tmp_path, "ab", "two")
    code, output = run(*command.format(one=one, two=two).split())

    assert code == 2
    assert said in output
    assert one.read_text() == "policy,score\n" + "a,1\n" * 3


def _table(folder: Path, policies: str, name: str = "trials") -> Path:
    path = folder / f"{name}.csv"
    path.write_text("policy,score\n" + "".join(f"{policy},1\n" * 3 for policy in policies))
    return path
