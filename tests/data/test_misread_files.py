"""Files that are easily misread, as they lie in the data folder: what each is read as.

Collected only where the data folder is present (``STOPWISE_DATA`` or ``../shared/data``).
"""

import pytest

from benchmarks.paper.datasets import DATA
from tests.cli.typed import run

FOLDER = DATA / "misread"
READ = {
    "cat.csv": "1 line repeats the header: left out",
    "init_idx.csv": "block = init_state",
    "jr.jsonl": "score = success",
    "merged": "which count once",
    "nested.json": "score = success",
    "return_success.csv": "compared is 'success_once', not 'return', 'success_at_end'",
    "reward_success.csv": "compared is 'success', not 'reward'",
    "scene_seed.csv": "block = scene_seed",
}
ASKED = {
    "agg2.json": "as of means or rates",
    "agg_success.csv": "each row sums up many trials",
    "algo_ckpt.csv": "differ in 'checkpoint'",
    "blankfail.csv": "--missing fail counts them so",
    "ckpt.csv": "differ in 'step'",
    "collisions.csv": "perhaps 'collisions'",
    "curves.json": "differ in 'step'",
    "delta_robot_trials.csv": "perhaps 'Picked up (Y/N)', 'In cup (Y/N)'",
    "dreamerv3_walker-run.csv": "differ in 'step'",
    "failrate.csv": "perhaps 'failure'",
    "nan.csv": "--missing fail counts them so",
    "pct_mixed.csv": "seems to mix parts of 1 and percentages",
    "percent.csv": "no bounds were declared",
    "phase.csv": "differ in 'phase'",
    "success_episodes.json": "each row sums up many trials",
    "tdmpc2_walker-run.csv": "differ in 'step'",
    "total.csv": "'Average' in column 'policy' seems to sum up other rows",
    "valid.csv": "differ in 'valid'",
    "wide_avg.csv": "'mean' in column 'trial' seems to sum up other rows",
}


def test_each_file_is_listed() -> None:
    files = {path.name for path in FOLDER.iterdir()} - {"README.md", "nan_api.py"}
    assert files == {*READ, *ASKED}


@pytest.mark.parametrize("name", [*READ, *ASKED])
def test_a_file_is_read_or_a_question(name: str) -> None:
    code, output = run("analyze", str(FOLDER / name))

    assert code == (0 if name in READ else 2)
    assert {**READ, **ASKED}[name] in output
    explained, columns = run("analyze", str(FOLDER / name), "--explain")
    assert explained == 0
    assert all(len(line) <= 500 for line in (output + columns).splitlines())


def test_blocks_of_ten_trials_are_asked_about() -> None:
    path = str(FOLDER / "delta_robot_trials.csv")
    code, output = run("analyze", path, "--score", "In cup (Y/N)", "--missing", "fail")
    assert (code, "rows of a policy differ in " in output) == (2, True)
