"""Tables on narrow screens: no name and no number is cut."""

import pytest

from stopwise.cli.printing import print_rows

WIDE = "diffusion-large-v2: mean (n)"
ROWS = [
    {"task": f"stack-the-blocks-{i:02d}", "letters": "ab", WIDE: "0.608 (40)"} for i in range(3)
]


@pytest.mark.parametrize("width", [20, 40, 60, 120])
def test_names_and_numbers_are_whole_at_every_width(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    print_rows([{"task": "all", **dict.fromkeys(("10/50/90 %", "± SE", "max h"), "1 2 3 4 5 6")}])
    print_rows(ROWS, ("task", "letters"))
    lines = capsys.readouterr().out.splitlines()

    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    assert "…" not in text
    if width <= 40:
        assert "stack-the-blocks-02" in lines
        assert text.count("0.608 (40)") == len(ROWS)
    else:
        assert sum("0.608 (40)" in line for line in lines) == len(ROWS)
