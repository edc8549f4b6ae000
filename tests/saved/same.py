"""Whether two contents are the same: decisions and counts exactly, evidence to the bit."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stopwise.core.pair_verdict import Verdict

SAVED = Path(__file__).parents[1] / "fixtures" / "saved"
# Sentences may be worded better one day; that there is one, and how many, stays.
CHANGING = {
    *("decision", "n", "n_decided", "futile", "mean0", "mean1", "log_e", "p_value", "interval"),
}
SAID = {
    *CHANGING,
    *("method", "alpha", "alternative", "ties", "design", "margin"),
    *("n_max", "n_max_declared", "anytime"),
}
PROSE = {"sentence", "warnings", "notes", "doubts", "facts"}
# Intervals were a procedure of their own when the files were made; now they are the test inverted.
REPLACED = {"interval"}
ADDED = {
    *("interval_level", "interval_note", "seed"),
    *("best", "candidates", "eliminated", "awaited", "sentence"),
    *("goal", "top", "indifference", "set_aside", "joined"),
    *("chance", "futile", "futility", "margin", "finding", "without_effect"),
    *("given_back", "who"),  # of a trial, and of the station that holds it
    *("difference", "interval"),  # of two counts
    *("attended", "episode", "running", "seconds"),  # of a trial that a runner starts
    *("method", "n_max", "edited", "by", "doubts"),  # of a study
    *("needed", "robots"),  # of a plan
}


def read(name: str) -> Any:
    """Return the content of a saved JSON file."""
    return json.loads((SAVED / name).read_text())


def arithmetic() -> str:
    """Return a digest of what this machine makes of logarithms, powers and products.

    Where it is that of the machine on which the files were made, evidence must be the same to the
    bit. Elsewhere numpy may round the last digit otherwise.
    """
    x = np.linspace(0.001, 0.999, 4001)
    parts = (
        np.log(x),
        np.log1p(-x),
        np.exp(x),
        np.expm1(x),
        x**0.37,
        np.cumsum(x),
        np.logaddexp(x, -x),
    )
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def verdict_content(verdict: Verdict) -> dict[str, Any]:
    """Return all that a verdict said when the files were made, as plain values."""
    content = {name: getattr(verdict, name) for name in SAID}
    return {**content, "decision": verdict.decision.value, "interval": list(verdict.interval)}


def changing(verdict: Verdict) -> dict[str, Any]:
    """Return what a verdict says of the scores, without its settings."""
    return {name: value for name, value in verdict_content(verdict).items() if name in CHANGING}


def require_same(found: Any, expected: Any, place: str = "") -> None:
    """Raise unless both are the same, sentences aside."""
    assert type(found) is type(expected), f"{place}: {found!r} instead of {expected!r}"
    if isinstance(expected, dict):
        new = found.keys() - expected.keys()
        assert new <= ADDED, f"{place}: the names are others: {new - ADDED}"
        assert found.keys() >= expected.keys(), f"{place}: the names are others"
        for name, value in expected.items():
            if name in PROSE | REPLACED:
                _require_alike(found[name], value, f"{place}.{name}")
            else:
                require_same(found[name], value, f"{place}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), f"{place}: {found!r} instead of {expected!r}"
        for number, pair in enumerate(zip(found, expected, strict=True)):
            require_same(*pair, f"{place}[{number}]")
    elif isinstance(expected, float) and not alike():
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True), place
    else:
        # By their text, which tells floats apart to the bit, and of which NaN is the same.
        assert repr(found) == repr(expected), f"{place}: {found!r} instead of {expected!r}"


def _require_alike(found: Any, expected: Any, place: str) -> None:
    assert type(found) is type(expected), f"{place}: {found!r} instead of {expected!r}"
    assert bool(found) == bool(expected), f"{place}: {found!r} instead of {expected!r}"
    if isinstance(expected, list):
        assert len(found) == len(expected), f"{place}: {found!r} instead of {expected!r}"


@cache
def alike() -> bool:
    """Return whether this machine rounds as the one did on which the files were made."""
    return bool(read("arithmetic.json")["digest"] == arithmetic())
