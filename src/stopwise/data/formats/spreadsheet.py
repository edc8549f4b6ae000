"""Sheets of Excel and of LibreOffice: .xlsx, .xls and .ods."""

from importlib.util import find_spec
from pathlib import Path

import polars as pl

from stopwise.data.formats.text_file import Head
from stopwise.data.names import is_named
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput, StopwiseError, require
from stopwise.messages import Notes, Setting, names_listed

name = "excel"
OLD_EXCEL = b"\xd0\xcf\x11\xe0"
PARTS = {"xl/workbook.xml", "xl/workbook.bin"}
OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"


def recognise(head: Head) -> bool:
    """Whether the file is a workbook, by what is in it."""
    suffix, members = head.path.suffix.lower(), head.members
    if head.start.startswith(OLD_EXCEL):
        return suffix == ".xls"
    cut_off = head.start.startswith(b"PK") and not members
    if cut_off or "mimetype" in members:
        return suffix in (".xlsx", ".ods") or OPEN_DOCUMENT in head.start[:200]
    return bool(PARTS & members)


def read(head: Head, chosen: str | None = None) -> RawTable:
    """Return the rows of one sheet, or of all with the columns of the first: tasks, or policies."""
    path, notes = head.path, Notes()
    sheets = {sheet: table for sheet, table in _sheets(path).items() if len(table[1])}
    if chosen is not None:
        text = f"{path}: there is no sheet {chosen!r} with a table, only {names_listed(sheets)}"
        require(chosen in sheets, text, parameter="sheet")
        sheets = {chosen: sheets[chosen]}
    require(len(sheets) > 0, f"{path}: there is no table with a header in it")
    first = next(iter(sheets))
    columns = sheets[first][1].columns
    alike = {sheet: table for sheet, table in sheets.items() if table[1].columns == columns}
    if left_out := sheets.keys() - alike:
        names = names_listed(sheet for sheet in sheets if sheet in left_out)
        text = f"{path}: sheets with other columns than {first!r} left out: {names}; "
        notes.add(text, Setting("sheet"), " chooses one", code="sheets-left-out")
    parts, places = [], []
    role = "task" if any(is_named(column, "policy") for column in columns) else "policy"
    for sheet, (header_row, part) in alike.items():
        filled = ~part.select(pl.all_horizontal(pl.all().is_null()))[:, 0]
        named = [pl.lit(sheet).alias(role)] if len(alike) > 1 and role not in columns else []
        parts.append(part.filter(filled).with_columns(named))
        places += [f"sheet {sheet!r}, row {header_row + 2 + row}" for row in filled.arg_true()]
    return RawTable(source=str(path), frame=pl.concat(parts), place=places.__getitem__, notes=notes)


def _sheets(path: Path) -> dict[str, tuple[int, pl.DataFrame]]:
    """Return, of each sheet, in which row its header is (from 0) and its cells below as text."""
    if find_spec("fastexcel") is None:
        raise StopwiseError('Excel and ODS files need fastexcel: pip install "stopwise[excel]"')
    import fastexcel

    tables = {}
    try:
        book = fastexcel.read_excel(path)
        for sheet in book.sheet_names:
            loaded = book.load_sheet(sheet, header_row=None, skip_rows=0, dtypes="string")
            table = _below_header(loaded.to_polars())
            if table is not None:
                tables[sheet] = table
    except fastexcel.FastExcelError as error:
        reason = str(error).splitlines()[0]
        raise InvalidInput(f"{path}: not a whole workbook ({reason}); it may be cut off") from error
    return tables


def _below_header(cells: pl.DataFrame) -> tuple[int, pl.DataFrame] | None:
    """Return the first row of several filled cells, and what is below those with a name."""
    if not cells.width:
        return None
    cells = cells.with_columns(pl.all().str.strip_chars().replace("", None))
    filled = cells.select(pl.sum_horizontal(pl.all().is_not_null()))[:, 0]
    starts = (filled >= min(2, filled.max() or 1)).arg_true()
    header = cells.row(starts[0]) if len(starts) else ()
    kept = {c: n for c, n in zip(cells.columns, header, strict=False) if n is not None}
    if not kept or len(set(kept.values())) < len(kept):
        return None
    return starts[0], cells.slice(starts[0] + 1).select(list(kept)).rename(kept)
