"""What a publication that uses a method should cite."""

import re
from typing import NamedTuple


class Citation(NamedTuple):
    """A publication."""

    authors: str
    title: str
    where: str = ""  # journal and volume
    year: int | None = None  # None while it is not published
    addition: str = ""  # what is used beyond it

    def __str__(self) -> str:
        where = f", {self.where}" if self.where else ""
        year = f" ({self.year})" if self.year else ""
        return f'{self.authors}, "{self.title}"{where}{year}{self.addition}'

    @property
    def bibtex(self) -> str:
        """The same as an entry for BibTeX."""
        authors = self.authors.replace(" et al.", " and others")
        first = re.split(r" and |, ", authors)[0].split()[-1].lower()
        fields = {
            "author": authors,
            "title": f"{{{self.title}}}",
            "journal": self.where.replace("&", "\\&"),
            "year": self.year,
            "note": self.addition.lstrip(", "),
        }
        lines = "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items() if text)
        kind = "article" if self.where else "misc"
        return f"@{kind}{{{first}{self.year or ''},\n{lines}}}"
