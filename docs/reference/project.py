"""Hook of the site: the project's own pages, from the root of the repository."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

__all__ = ["on_files"]


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that people look for at the root."""
    root = Path(config.config_file_path).parent
    for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY"):
        text = (root / f"{name}.md").read_text(encoding="utf-8")
        text = text.replace("](docs/", "](../")  # links, as seen from the page's place on the site
        files.append(File.generated(config, f"project/{name.lower()}.md", content=text))
    return files
