"""What a package index shows: there are no files beside a README there, so its links change.

The address of the repository stands once, in ``pyproject.toml`` under this hook. As long as it is
empty, links to files become plain text and images are left out, and no URL is claimed.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

IMAGE = re.compile(r'<img src="(?!\w+:)([^"]+)"[^>]*>\s*')
LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:)([^)\s]+)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Fill in the README and the URLs of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add both to what ``pyproject.toml`` says."""
        address = str(self.config.get("address", "")).rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        shown = for_index(text, address, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}
        metadata["urls"] = {"Source": address} if address else {}


def for_index(text: str, address: str, tag: str) -> str:
    """Return a README whose links lead to the files of a release, or nowhere."""
    if not address:
        return LINK.sub(r"\1", IMAGE.sub("", text))
    text = IMAGE.sub(
        lambda found: found[0].replace(found[1], f"{address}/raw/{tag}/{found[1]}"), text
    )
    return LINK.sub(rf"[\1]({address}/blob/{tag}/\2)", text)
