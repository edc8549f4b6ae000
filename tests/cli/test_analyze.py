"""``stopwise analyze`` as a user runs it."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.paper.datasets import DATA, ROBOARENA
from stopwise.cli import app
from tests.cli.typed import EXAMPLE, run


def test_table_sentence_and_notes() -> None:
    code, output = run("analyze", EXAMPLE, "--bounds", "0,1", "--n-max", "60")

    assert code == 0
    assert "large+rl" in output
    assert "the chance of any false order is at most 0.05" in " ".join(output.split())
    assert "design: assumed independent" in output


def test_json_has_the_documented_fields() -> None:
    code, output = run("analyze", EXAMPLE, "--bounds", "0,1", "--json", "--adjust", "bonferroni")
    content = json.loads(output)

    assert code == 0
    assert {"method", "alpha", "adjust", "design", "warnings"} <= content.keys()
    assert {"name", "n", "mean", "letters", "trials_used"} <= content["policies"][0].keys()
    assert {
        "policy0", "policy1", "decision", "n", "p_value", "e_value", "interval",
    } <= content["pairs"][0].keys()  # fmt: skip


def test_report_and_figures_are_written(tmp_path: Path) -> None:
    code, output = run(
        "analyze", EXAMPLE, "--bounds", "0,1",
        "--html", str(tmp_path / "report.html"), "--figures", str(tmp_path / "figures"),
    )  # fmt: skip

    assert code == 0
    assert "report.html" in output
    assert "Which policy is better?" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "figures" / "scores.svg").exists()


@pytest.mark.parametrize("command", ["analyze", "plan", "study report"])
def test_a_page_is_no_pdf(command: str, tmp_path: Path) -> None:
    """It is refused before anything is read or computed: there is no such file to read."""
    page = tmp_path / "report.pdf"
    missing = [] if command == "plan" else [str(tmp_path / "missing")]
    code, output = run(*command.split(), *missing, "--html", str(page))

    assert code == 2
    assert not page.exists()
    assert output == (
        f"stopwise {command}: --html writes a web page, so its name must end in .html, but got "
        f"'{page}'; for a PDF, print the page from a browser\n"
    )


def test_notes_of_the_page_are_in_the_words_of_the_command_line(tmp_path: Path) -> None:
    path, page = tmp_path / "wide.csv", tmp_path / "report.html"
    path.write_text("old,new\n" + "0.5,0.7\n0.2,0.9\n" * 5)
    code, _ = run("analyze", str(path), "--bounds", "0,1", "--html", str(page))

    assert code == 0
    assert "--design paired" in page.read_text()
    assert "columns=" not in page.read_text()


def test_long_names_are_broken_and_never_cut(tmp_path: Path) -> None:
    names = ["paligemma_fast_specialist_droid_one", "paligemma_fast_specialist_droid_two"]
    path = tmp_path / "long.csv"
    rows = [f"{name},{n % 2}" for n in range(1000) for name in names]
    path.write_text("policy,score\n" + "\n".join(rows) + "\n")
    result = CliRunner().invoke(
        app, ["analyze", str(path), "--bounds", "0,1"], env={"COLUMNS": "60"}
    )

    assert result.exit_code == 0
    assert set(names) < set(result.output.splitlines())  # no room for a table: blocks of lines
    assert f"{names[0]} ? {names[1]}" in " ".join(result.output.split())
    assert "…" not in result.output


def test_the_width_of_figures_is_a_number_of_inches(tmp_path: Path) -> None:
    code, output = run("analyze", EXAMPLE, "--bounds", "0,1", "--figures", f"{tmp_path}/out:wide")

    assert code == 2
    assert "the width behind ':' must be inches" in " ".join(output.split())


def test_figures_of_tasks_stay_in_their_folder(tmp_path: Path) -> None:
    """A task is a name, whatever it looks like as a path."""
    path = tmp_path / "tasks.csv"
    rows = [f"{task},{p},{s}" for task in ("../../up", "/a b") for p in "xy" for s in (0.1, 0.9)]
    path.write_text("\n".join(["task,policy,score", *rows]) + "\n")

    code, _ = run("analyze", str(path), "--bounds", "0,1", "--figures", str(tmp_path / "figures"))

    folders = sorted(folder.name for folder in (tmp_path / "figures").iterdir())
    assert code == 0
    assert folders == ["1-up", "2-a_b", "board.pdf", "board.png", "board.svg"]


def test_files_by_policy(tmp_path: Path) -> None:
    for name, scores in {"a": [0, 1] * 20, "b": [1, 1] * 20}.items():
        lines = "\n".join(str(score) for score in scores)
        (tmp_path / f"{name}.csv").write_text(f"score\n{lines}\n")
    arguments = [f"--policy={name}={tmp_path / name}.csv" for name in "ab"]

    code, output = run("analyze", *arguments, "--bounds", "0,1", "--json")

    assert code == 0
    assert json.loads(output)["order"] == "b > a"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "there is no such file or folder"),
        ([], "give either FILES or --policy"),
        ([EXAMPLE, "--bounds", "1,0"], "bounds"),
        ([EXAMPLE, "--bounds", "few"], 'bounds must be given as "LOW,HIGH"'),
        ([EXAMPLE, "--bounds", "0,0.5"], "0.5"),
        ([EXAMPLE, "--bounds", "0,1", "--method", "magic"], "method must be one of"),
        ([EXAMPLE, "--column", "policy"], "expected ROLE=NAME"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments: list[str], message: str) -> None:
    code, output = run("analyze", *arguments)

    assert code == 2
    assert message in output
    assert len(output.strip().splitlines()) == 1


def test_trials_without_a_score_are_an_error_or_dropped(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("policy,score\na,0.5\nb,\nb,0.7\na,0.1\n")

    refused, line = run("analyze", str(path), "--bounds", "0,1")
    code, output = run("analyze", str(path), "--bounds", "0,1", "--missing", "drop")

    assert refused == 2
    assert "the score is missing" in line
    assert code == 0
    assert "0 of 1 pair decided with" in " ".join(output.split())


def test_inferred_bounds_are_said_to_void_the_guarantee() -> None:
    code, output = run("analyze", EXAMPLE, "--bounds", "data", "--json")
    content = json.loads(output)

    assert code == 0
    assert sum("voids the guarantee" in warning for warning in content["warnings"]) == 1
    assert content["bounds_inferred"]
    assert "nothing is guaranteed, since the bounds were taken" in content["sentence"]
    assert "false order" not in content["sentence"]


def test_a_sorted_file_is_told_of_loudly(tmp_path: Path) -> None:
    path = tmp_path / "sorted.csv"
    columns = {"a": [0] * 20 + [1] * 30, "b": [1] * 25 + [0] * 25}
    rows = [f"{name},{score}" for name, scores in columns.items() for score in scores]
    path.write_text("policy,score\n" + "\n".join(rows) + "\n")
    code, output = run("analyze", str(path), "--bounds", "0,1")

    assert code == 0
    assert "like outcomes of 'a', 'b' stand together" in output
    assert "a ? b" in output


def test_trials_without_a_partner_have_their_own_column(tmp_path: Path) -> None:
    path = tmp_path / "unequal.csv"
    path.write_text("policy,score\n" + "a,0.4\n" * 5 + "b,0.5\n" * 9)

    _, output = run("analyze", str(path), "--bounds", "0,1")

    assert "no partner" in output
    row = next(line for line in output.splitlines() if line.startswith(" b "))
    assert row.split()[-3:] == ["5", "0", "4"]
    assert "no partner" not in run("analyze", EXAMPLE, "--bounds", "0,1")[1]


if (DATA / "roboarena_complete599.csv").is_file():

    def test_roboarena_as_in_the_paper(tmp_path: Path) -> None:
        """The published trials per policy, through the command line."""
        lines = (DATA / "roboarena_complete599.csv").read_text().splitlines()
        wanted = tuple(f",{name}," for name in ROBOARENA.values())
        kept = [line for line in lines[1:] if any(name in line for name in wanted)]
        (tmp_path / "four.csv").write_text("\n".join([lines[0], *kept]) + "\n")

        code, output = run(
            "analyze", str(tmp_path / "four.csv"), "--method", "nscore", "--bins", "21",
            "--adjust", "bonferroni", "--design", "paired", "--ties", "paper",
            "--bounds", "0,1", "--json",
        )  # fmt: skip
        used = {p["name"]: p["trials_used"] for p in json.loads(output)["policies"]}

        assert code == 0
        assert {shown: used[name] for shown, name in ROBOARENA.items()} == {
            "pi0": 395, "pi0-FAST": 503, "PG-Diff": 503, "PG-Bin": 18,
        }  # fmt: skip


@pytest.fixture
def returns(tmp_path: Path) -> str:
    """A file of returns in the thousands, without a task column."""
    rows = [f"sac,{3000 + 10 * i}\nppo,{2000 - 10 * i}" for i in range(20)]
    path = tmp_path / "returns.csv"
    path.write_text("algo,return\n" + "\n".join(rows) + "\n")
    return str(path)


def test_returns_are_written_out(returns: str, tmp_path: Path) -> None:
    """Not as 3.1e+03, in the terminal and in the report."""
    page = tmp_path / "report.html"
    code, output = run("analyze", returns, "--bounds", "0,5000", "--html", str(page))

    assert code == 0
    assert "3095" in output
    assert "e+03" not in output + page.read_text()
    assert "task task" not in output


def test_trials_beyond_n_max_are_said_to_be_left_out(returns: str) -> None:
    _, output = run("analyze", returns, "--bounds", "0,5000", "--n-max", "15")

    assert "10 trials beyond n_max = 15 per policy left out" in output
    assert "left out" not in run("analyze", returns, "--bounds", "0,5000", "--n-max", "20")[1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--score", "nothing"], "there is no column 'nothing' for the score"),
        (["--html", "/nonexistent/x.html"], "/nonexistent/x.html: No such file or directory"),
    ],
)
def test_failures_are_in_the_words_of_the_command_line(
    returns: str, arguments: list[str], complaint: str
) -> None:
    code, output = run("analyze", returns, "--bounds", "0,5000", *arguments)

    assert code == 2
    assert output.splitlines()[-1].startswith("stopwise analyze: ")
    assert complaint in output.splitlines()[-1]


@pytest.mark.parametrize("command", ["analyze", "plan --pilot"])
@pytest.mark.parametrize(
    ("option", "place", "complaint"),
    [
        ("--html", "none/x.html", "none/x.html: No such file or directory"),
        ("--html", ".", ": Is a directory"),
        ("--figures", "returns.csv", "returns.csv: Not a directory"),
        ("--figures", "returns.csv/below", "returns.csv/below: Not a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    returns: str, tmp_path: Path, command: str, option: str, place: str, complaint: str
) -> None:
    """Nothing was read yet: the bounds, which are wrong, are not complained of."""
    code, output = run(*command.split(), returns, "--bounds", "0,1", option, str(tmp_path / place))

    assert code == 2
    assert output.strip().endswith(complaint)


@pytest.fixture
def two_tasks(tmp_path: Path) -> str:
    """Trials whose numbers begin anew in each environment of a task."""
    rows = [
        f"{task},{env},{policy},{trial},{3 * trial + (policy == 'new') + (env == 'left')}"
        for task in ("cup", "bowl") for env in ("left", "right")
        for policy in ("old", "new") for trial in range(4)
    ]  # fmt: skip
    path = tmp_path / "tasks.csv"
    path.write_text("task,env,policy,trial,score\n" + "\n".join(rows) + "\n")
    return str(path)


def test_columns_are_joined_and_left_out(two_tasks: str) -> None:
    code, output = run("analyze", two_tasks, "--bounds", "0,20")
    assert code == 2
    assert "with another 'env': --where env=VALUE reads one row of each trial" in output
    assert output.rstrip().endswith("(--column task=NAME,NAME or --column block=NAME)")

    joined = run("analyze", two_tasks, "--bounds", "0,20", "--column", "task=task,env")[1]
    unnumbered = run("analyze", two_tasks, "--bounds", "0,20", "--column", "trial=")[1]

    assert "cup/left" in joined
    assert "bowl/right" in joined
    assert "8" in unnumbered.splitlines()[4].split()


def test_notes_on_all_tasks_are_told_once(two_tasks: str) -> None:
    output = run("analyze", two_tasks, "--bounds", "0,20", "--column", "trial=")[1]

    assert output.count("note: columns used: policy, ") == 1


def test_a_score_without_declared_bounds_names_task_and_cure(two_tasks: str) -> None:
    code, output = run("analyze", two_tasks, "--column", "trial=")

    assert code == 2
    assert "task cup: scores must lie within the bounds [0, 1]" in output
    assert output.endswith("no bounds were declared: give --bounds\n")


def test_a_part_of_a_list_is_said_to_be_one(tmp_path: Path) -> None:
    rows = [
        f"{policy},s{scene},{int(scene % 5 < wins)}"
        for policy, wins in (("a", 1), ("b", 4))
        for scene in (int(own) for own in np.random.default_rng(1).permutation(40)[:30])
    ]
    file = tmp_path / "part.csv"
    file.write_text("\n".join(["policy,scene,success", *rows]))

    result = CliRunner().invoke(app, ["analyze", str(file), "--list-size", "40"])

    assert "b > a on these 40 scenes, in this run" in " ".join(result.output.split())
    assert "for new scenes and runs" in result.output
