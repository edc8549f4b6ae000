"""Workbooks as Excel stores them, written without it."""

import zipfile
from pathlib import Path
from typing import Any

SHEET: list[list[Any]] = [
    ["Results of May", None, None],
    [None, None, None],
    ["checkpoint", "Success", "Operator"],
    ["base", True, "ann"],
    ["new", False, "bob"],
    ["base", False, "ann"],
]
SCHEMAS = "http://schemas.openxmlformats.org"
MAIN = f'xmlns="{SCHEMAS}/spreadsheetml/2006/main"'
OFFICE = f"{SCHEMAS}/officeDocument/2006/relationships"
RELATED = f'<Relationships xmlns="{SCHEMAS}/package/2006/relationships">'


def excel(folder: Path, **sheets: list[list[Any]]) -> Path:
    """Write a workbook with a sheet of cells by address for each list of rows."""
    sheets = sheets or {"one": SHEET}
    named, related, parts = "", "", {}
    for number, (name, rows) in enumerate(sheets.items(), start=1):
        lines = "".join(
            f'<row r="{r + 1}">{"".join(cell(r, c, value) for c, value in enumerate(row))}</row>'
            for r, row in enumerate(rows)
        )
        place = f"worksheets/sheet{number}.xml"
        parts[f"xl/{place}"] = f"<worksheet {MAIN}><sheetData>{lines}</sheetData></worksheet>"
        named += f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
        related += f'<Relationship Id="rId{number}" Type="{OFFICE}/worksheet" Target="{place}"/>'
    parts |= {
        "_rels/.rels": f'{RELATED}<Relationship Id="rId1" Type="{OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets>{named}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f"{RELATED}{related}</Relationships>",
    }
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "results.xlsx", "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return folder / "results.xlsx"


def cell(row: int, column: int, value: Any) -> str:
    place = f'r="{"ABCDEFGH"[column]}{row + 1}"'
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c {place} t="inlineStr"><is><t>{value}</t></is></c>'
    return f"<c {place}><v>{value}</v></c>"
