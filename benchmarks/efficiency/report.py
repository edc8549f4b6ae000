"""Put measured figures into the tables of ``docs/efficiency.md``.

Run ``python -m benchmarks.efficiency.report FOLDER``, where FOLDER holds the JSON files of the
other benchmarks: ``compare*.json``, ``adversarial*.json``, ``against_step.json``,
``correlation.json``, ``learning.json``. A table stands between ``<!-- name -->`` and
``<!-- end -->``; tables without a file stay as they are.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.document import fill
from benchmarks.efficiency.adversarial import described
from benchmarks.efficiency.against_step import ALPHA, WANTED
from benchmarks.efficiency.compare import METHODS, OURS, REFERENCE
from benchmarks.efficiency.learning import TOLD

DOCUMENT = Path(__file__).parents[2] / "docs" / "efficiency.md"
# Wanted geometric means of TTD relative to nscore at alpha .05, by design and N.
WANTED_RATIO = {
    "independent": {50: 0.84, 200: 0.76, 1000: 0.77},
    "paired": {50: 0.88, 200: 0.86, 1000: 0.86},
}
OTHERS = [method for method in METHODS if method not in (OURS, REFERENCE)]


def overall(settings: Sequence[dict[str, Any]]) -> str:
    """Return one row per N and alpha."""
    rows = []
    for setting in settings:
        everything = setting["families"]["all"]
        ratio, power = everything["ratio"], everything["power"]
        wanted = WANTED_RATIO[setting["design"]].get(setting["n"])
        if setting["alpha"] != ALPHA:
            wanted = None
        reached = "" if wanted is None else f"{wanted:.2f}"
        if wanted is not None and ratio[OURS] > wanted:
            reached += " (missed)"
        rows.append(
            [
                setting["n"],
                _alpha(setting["alpha"]),
                setting["runs"],
                f"{everything['decidable']} of {everything['cases']}",
                f"{ratio[OURS]:.3f} ± {everything['error']:.3f}",
                reached,
                *(f"{ratio[name]:.3f}" for name in ("wsr", "oracle", "limit")),
                f"{power[OURS]:.3f} / {power[REFERENCE]:.3f}",
                ", ".join(f"`{name}`" for name in setting["worse"]) or "none",
            ]
        )
    head = ["N", "alpha", "runs", "decidable", "nscore-plus", "wanted", "wsr", "oracle", "limit"]
    return _table([*head, "power plus / nscore", "worse than nscore"], rows)


def families(settings: Sequence[dict[str, Any]]) -> str:
    """Return our ratio by family, one column per N and alpha."""
    head = [f"N = {setting['n']}, {_alpha(setting['alpha'])}" for setting in settings]
    rows = []
    for family in settings[0]["families"]:
        cells = []
        for setting in settings:
            row = setting["families"][family]
            ratio = row["ratio"].get(OURS)
            cells.append("" if ratio is None else f"{ratio:.3f} ± {row['error']:.3f}")
        rows.append([family, *cells])
    return _table(["family", *head], rows)


def others(settings: Sequence[dict[str, Any]]) -> str:
    """Return all methods by family at alpha .05."""
    rows = []
    for setting in settings:
        if setting["alpha"] == ALPHA:
            for family, row in setting["families"].items():
                cells = [row["ratio"].get(method) for method in (OURS, *OTHERS)]
                shown = ["" if cell is None else f"{cell:.3f}" for cell in cells]
                rows.append([setting["n"], family, row["decidable"], *shown])
    return _table(["N", "family", "decidable", OURS, *OTHERS], rows)


def step(figures: dict[str, Any]) -> str:
    """Return the Bernoulli pairs against STEP."""
    rows = []
    for setting in figures["alternatives"]:
        means = setting["mean"]
        ours, published, best = means[OURS], means["step, paper"], means["step, optimal"]
        ratio, gap = ours["ttd"] / published["ttd"], ours["power"] - published["power"]
        most, lost = WANTED[setting["n"]]
        missed = [word for word, bad in (("TTD", ratio > most), ("power", gap < -lost)) if bad]
        rows.append(
            [
                setting["n"],
                setting["runs"],
                f"{ours['ttd']:.2f} ± {ours['ttd_error']:.2f} / "
                f"{ours['power']:.4f} ± {ours['power_error']:.4f}",
                f"{published['ttd']:.2f} / {published['power']:.4f}",
                f"{best['ttd']:.2f} / {best['power']:.4f}",
                f"{ratio:.3f}, {gap:+.4f}",
                f"{most:.2f}, {-lost:+.3f}"
                + (f" ({' and '.join(missed)} missed)" if missed else ""),
            ]
        )
    head = ["n_max", "runs per pair", OURS, "STEP, published", "STEP, optimal"]
    return _table([*head, "TTD ratio, power difference", "wanted"], rows)


def drift(figures: dict[str, Any]) -> str:
    """Return STEP where rates may drift, and at a level that holds there."""
    rows = []
    for setting in figures["alternatives"]:
        means = setting["mean"]
        held, ours = means["step, drift"], means[OURS]
        rows.append(
            [
                setting["n"],
                *(f"{means[name]['drift']:.3f}" for name in ("step, paper", "step, optimal")),
                f"{held['level']:g}",
                f"{held['ttd']:.2f} / {held['power']:.4f}",
                f"{ours['ttd']:.2f} / {ours['power']:.4f}",
            ]
        )
    head = ["n_max", "worst drift, published", "worst drift, optimal", "level that holds"]
    return _table([*head, "STEP at that level", OURS], rows)


def nulls(figures: dict[str, Any]) -> str:
    """Return the type-1 error on Bernoulli nulls."""
    columns = figures["nulls"]
    rows = [
        [f"{float(p):g}", *(f"{column['rate'][p]:.4f}" for column in columns)]
        for p in columns[0]["rate"]
    ]
    shares = [sorted(rate / ALPHA for rate in column["rate"].values()) for column in columns]
    rows.append(["share of alpha", *(f"{share[0]:.2f} to {share[-1]:.2f}" for share in shares)])
    head = [f"N = {c['n']} ({c['runs']} runs, se {c['error']:.4f})" for c in columns]
    return _table(["p0 = p1", *head], rows)


def adversarial(found: Sequence[dict[str, Any]]) -> str:
    """Return the worst nulls."""
    rows = []
    for row in found:
        null, further = row["null"], row["further"]
        coupling = f"{null['coupling']:+.2f}" if row["design"] == "paired" else ""
        rows.append(
            [
                row["design"],
                f"{row['alpha']:g}",
                row["n"],
                f"{null['mean']:.3f}",
                f"{null['low0']:.3f} or {null['high0']:.3f}",
                f"{null['low1']:.3f} or {null['high1']:.3f}",
                coupling,
                described(row),
                f"{row['above']:.2f}",
                f"{described(further)}; {further['runs']} runs" if further else "",
            ]
        )
    head = ["design", "alpha", "N", "mean", "policy 0", "policy 1", "coupling"]
    return _table([*head, "rate (95 % interval)", "p-value of rate <= alpha", "further runs"], rows)


def correlation(figures: dict[str, Any]) -> str:
    """Return TTD by correlation."""
    rows = [
        [
            row["case"],
            f"{row['correlation']:.2f}",
            *(_figure(row.get(name)) for name in (f"{OURS}, paired", f"{REFERENCE}, paired")),
            f"{row['to nscore']:.3f}",
            f"{row['to independent']:.3f}",
        ]
        for row in figures["rows"]
    ]
    head = ["case", "correlation", "nscore-plus paired", "nscore paired"]
    return _table([*head, "to nscore paired", "to independent environments"], rows)


def learning(figures: dict[str, dict[str, dict[str, float]]]) -> str:
    """Return our ratio by family, as it is and if it were told about the scores."""
    rows = [
        [n, family, *(f"{row[name]:.3f}" for name in TOLD)]
        for n, found in figures.items()
        for family, row in found.items()
        if row
    ]
    return _table(["N", "family", *TOLD], rows)


def _alpha(alpha: float) -> str:
    return ".05" if alpha == ALPHA else ".05/6" if abs(alpha - 0.05 / 6) < 1e-5 else f"{alpha:g}"


def _figure(figure: dict[str, float]) -> str:
    return f"{figure['ttd']:.1f} ± {figure['ttd_error']:.1f} / {figure['power']:.3f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _read(folder: Path, pattern: str) -> list[Any]:
    """Return the entries of all files that match, lists joined."""
    found: list[Any] = []
    for path in sorted(folder.glob(pattern)):
        content = json.loads(path.read_text())
        found += content if isinstance(content, list) else [content]
    return found


def main() -> None:
    """Replace the tables for which there are figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--document", type=Path, default=DOCUMENT)
    arguments = parser.parse_args()
    compared = sorted(_read(arguments.folder, "compare*.json"), key=lambda s: (s["n"], -s["alpha"]))
    independent = [setting for setting in compared if setting["design"] == "independent"]
    paired = [setting for setting in compared if setting["design"] == "paired"]
    against = _read(arguments.folder, "against_step.json")
    sections: list[tuple[str, list[Any], Callable[[Any], str]]] = [
        ("overall", independent, overall),
        ("families", independent, families),
        ("others", independent, others),
        ("paired", paired, overall),
        ("paired families", paired, families),
        ("step", against, lambda found: step(found[0])),
        ("drift", against, lambda found: drift(found[0])),
        ("nulls", against, lambda found: nulls(found[0])),
        ("adversarial", _read(arguments.folder, "adversarial*.json"), adversarial),
        (
            "correlation",
            _read(arguments.folder, "correlation.json"),
            lambda found: correlation(found[0]),
        ),
        ("learning", _read(arguments.folder, "learning.json"), lambda found: learning(found[0])),
    ]
    fill(
        arguments.document,
        {name: render(figures) for name, figures, render in sections if figures},
    )


if __name__ == "__main__":
    main()
