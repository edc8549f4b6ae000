"""The tables of a store as queries name them; the files in migrations/versions make them."""

from sqlalchemy import column, table

HEAD = "0002"  # the newest version, the last file in migrations/versions

# One row per study: its secret (see blinding.py) and where its journal ends, so that entries cut
# off at the end show. The row is locked while an entry is added.
studies = table("studies", *map(column, ("study", "secret", "seq", "hash")))
journal = table("journal", *map(column, ("study", "seq", "key", "body", "hash")))
# A cache of the replay, bound to the entry after which it was made.
snapshots = table("snapshots", *map(column, ("study", "seq", "hash", "content")))
