"""The public face of the package."""

import subprocess
import sys

import pytest

import stopwise as sw


def test_every_public_name_is_there() -> None:
    assert all(getattr(sw, name) is not None for name in sw.__all__)
    assert set(sw.__all__) <= set(dir(sw))


def test_unknown_names_are_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        _ = sw.magic


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import stopwise", ["numpy", "scipy", "typer", "rich", "polars", "yaml"]),
        ("import stopwise.cli", ["numpy", "scipy", "polars", "yaml"]),
        (
            "import stopwise; stopwise.SequentialTest",
            ["scipy.stats", "scipy.optimize", "typer", "rich", "polars"],
        ),
        ("import stopwise; stopwise.read_trials({'a': [0], 'b': [1]})", ["pandas", "pyarrow"]),
        (
            "import stopwise; stopwise.analyze({'a': [0] * 20, 'b': [1] * 20})",
            ["scipy", "matplotlib", "pandas", "stopwise.report.html", "stopwise.questions.best"],
        ),
        (
            "from stopwise.cli import app_for; app_for(['analyze'])(['analyze', '--policy', "
            "'a=no-file', '--n-max', '50', '--alpha', '.05'], standalone_mode=False)",
            ["scipy", "matplotlib", "pydantic", "stopwise.cli.study"],
        ),
    ],
)
def test_imports_are_lazy(statement: str, absent: list[str]) -> None:
    """Commands start at once because nothing heavy is loaded before it is needed."""
    code = f"import sys; {statement}; print([m for m in {absent} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_methods_say_what_they_accept() -> None:
    known = sw.methods()

    assert known["nscore"].designs == ("independent", "paired")
    stops = {"futility": "advisory", "futility_chance": 0.05}
    assert known["nscore"].parameters == {**stops, "bins": 21, "bin_values": None}
    assert known["savi"].scores == "K levels"
    assert known["step"].needs_n_max
