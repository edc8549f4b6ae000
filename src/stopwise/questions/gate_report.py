"""The answer of a gate for the machines that ask it: a JUnit file, and a table for a summary."""

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from stopwise.core.scores import interval_text, score_text

if TYPE_CHECKING:
    from stopwise.questions.gate_result import GateResult

# What no XML file may hold, not even escaped.
FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(name: str, outcome: str | None, sentence: str) -> str:
    """Return a file with one test; its outcome is "failure", "skipped" or None for passed."""
    name, sentence = FORBIDDEN.sub("?", name), FORBIDDEN.sub("?", sentence)
    counts = {"tests": "1", "failures": str(int(outcome == "failure")), "errors": "0"}
    counts["skipped"] = str(int(outcome == "skipped"))
    suite = ET.Element("testsuite", {"name": "stopwise gate", **counts})
    test = ET.SubElement(suite, "testcase", classname="stopwise.gate", name=name)
    if outcome is not None:
        ET.SubElement(test, outcome, message=sentence)
    ET.SubElement(test, "system-out").text = sentence
    ET.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suite, encoding="unicode")}\n'


def markdown(found: "GateResult") -> str:
    more: dict[int | None, str] = {0: "0", None: "unknown"}
    row = {
        "answer": found.answer,
        "policy": found.policy,
        "baseline": found.baseline,
        "margin": score_text(found.margin),
        f"{found.unit}s": str(found.n),
        found.rules.reading.measured: interval_text(found.interval, found.edge),
        "anytime p": f"{found.p_value:.2g}",
        f"more {found.unit}s needed": more.get(found.needed, f"about {found.needed}"),
    }
    cells = [_cell(value) for value in row.values()]
    lines = [row, ["---"] * len(row), cells]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"### stopwise gate\n\n{table}\n\n{_cell(found.sentence)}\n"


def _cell(text: str) -> str:
    plain = re.sub(r"([\\`*_|<>\[\]])", r"\\\1", text)
    return " ".join(plain.split())
