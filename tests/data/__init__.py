"""Trial tables: files, frames and designs."""
