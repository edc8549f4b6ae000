"""The second version: saved states, a cache of the replay."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "snapshots",
        sa.Column("study", sa.Text, sa.ForeignKey("studies.study"), primary_key=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
    )
