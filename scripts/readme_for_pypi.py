"""Gives the package README.md with absolute links, because PyPI shows it without the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


def absolute(readme: str, source: str) -> str:
    """The text with each link to a file of the repository as a URL below `source`."""
    pictures = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\1{source}/raw/HEAD/", readme)
    return re.sub(r"(?<!!)(\[[^]]*\]\()(?!https?:|#)", rf"\1{source}/blob/HEAD/", pictures)


class ReadmeForPyPI(MetadataHookInterface):
    """The hook that hatchling calls, by an entry in pyproject.toml."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds the field `readme`."""
        text = Path(self.root, "README.md").read_text("utf-8")
        text = absolute(text, metadata["urls"]["Source"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
