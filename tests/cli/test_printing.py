"""Tables on narrow screens: no name and no number is cut."""

import io

import pytest
from rich.console import Console

from stopwise.cli.printing import FittingTable

WIDE = "diffusion-large-v2: mean (n)"
ROWS = [
    {"task": f"stack-the-blocks-{i:02d}", "letters": "ab", WIDE: "0.608 (40)"} for i in range(3)
]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_names_and_numbers_are_whole_at_every_width(width: int) -> None:
    screen = io.StringIO()
    Console(file=screen, width=width).print(FittingTable(ROWS, ("task", "letters"), "Tasks"))
    lines = screen.getvalue().splitlines()

    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    assert "…" not in text
    if width <= 40:
        assert "stack-the-blocks-02" in lines
        assert text.count("0.608 (40)") == len(ROWS)
    else:
        assert sum("0.608 (40)" in line for line in lines) == len(ROWS)


def test_blocks_of_numbers_say_what_each_begins_with() -> None:
    screen = io.StringIO()
    rows = [{"n_max": number, "power": "0.80", "fixed sample": 123456} for number in (50, 100)]
    Console(file=screen, width=20).print(FittingTable(rows, ()))

    assert screen.getvalue().splitlines()[0] == "n_max 50"
