"""Texts that the program prints, as `make snapshots` writes them into the tests."""

from __future__ import annotations

import re
from pathlib import Path

try:
    from inline_snapshot import snapshot
except ModuleNotFoundError:  # only `make snapshots` needs it

    def snapshot(text: str = "") -> str:
        return text


__all__ = ["plain", "snapshot"]


def plain(text: str, folder: Path) -> str:
    """A text without what differs from run to run: how long it took, and in which folder."""
    return re.sub(
        r"\b\d+\.\d+ s\b", "0.0 s", text.replace(f"{folder}/", "").replace(str(folder), "FOLDER")
    )
