"""The tables of a store, as of the newest schema version."""

from sqlalchemy import Column, ForeignKey, Integer, MetaData, Table, Text, UniqueConstraint

__all__ = ["HEAD", "journal", "metadata", "snapshots", "studies"]

HEAD = "0002"  # the newest version, the last file in migrations/versions

metadata = MetaData()

# One row per study: its secret (see blinding.py) and where its journal ends, so that entries cut
# off at the end show. The row is locked while an entry is added.
studies = Table(
    "studies",
    metadata,
    Column("study", Text, primary_key=True),
    Column("secret", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("hash", Text, nullable=False),
)

journal = Table(
    "journal",
    metadata,
    Column("study", Text, ForeignKey("studies.study"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("key", Text, nullable=True),
    Column("body", Text, nullable=False),
    Column("hash", Text, nullable=False),
    UniqueConstraint("study", "key", name="journal_key"),
)

# A cache of the replay, bound to the entry after which it was made.
snapshots = Table(
    "snapshots",
    metadata,
    Column("study", Text, ForeignKey("studies.study"), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("hash", Text, nullable=False),
    Column("content", Text, nullable=False),
)
