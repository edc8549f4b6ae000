"""Workbooks as Excel and LibreOffice store them, written without either."""

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


def archive(path: Path, **parts: str) -> Path:
    """Write a zipped document; the part that says what it is comes first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return path


def excel(folder: Path, **sheets: list[list[Any]]) -> Path:
    """Write a workbook as Excel stores it: cells by address, texts in a table of their own."""
    sheets = sheets or {"one": SHEET}
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    texts: list[str] = []

    def cell(row: int, column: int, value: Any) -> str:
        place = f'r="{"ABCDEFGH"[column]}{row + 1}"'
        if value is None:
            return ""
        if isinstance(value, bool):
            return f'<c {place} t="b"><v>{int(value)}</v></c>'
        if isinstance(value, str):
            texts.append(f"<si><t>{value}</t></si>")
            return f'<c {place} t="s"><v>{len(texts) - 1}</v></c>'
        return f"<c {place}><v>{value}</v></c>"

    parts: dict[str, str] = {}
    for number, rows in enumerate(sheets.values(), start=1):
        lines = "".join(
            f'<row r="{r + 1}">{"".join(cell(r, c, value) for c, value in enumerate(row))}</row>'
            for r, row in enumerate(rows)
        )
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData></worksheet>'
        )
    numbers = range(1, len(sheets) + 1)
    listed = "".join(
        f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>'
        for i, name in zip(numbers, sheets, strict=True)
    )
    related = "".join(
        f'<Relationship Id="rId{i}" Type="{office}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in numbers
    )
    related += (
        f'<Relationship Id="rId99" Type="{office}/sharedStrings" Target="sharedStrings.xml"/>'
    )
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{kind}.worksheet+xml"/>'
        for i in numbers
    )
    return archive(
        folder / "results.xlsx",
        **{
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
            '<Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
            f"{overrides}</Types>",
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship '
            f'Id="rId1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}">'
            f"<sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
            f"{related}</Relationships>",
            "xl/sharedStrings.xml": f'<sst xmlns="{main}">{"".join(texts)}</sst>',
            **parts,
        },
    )
