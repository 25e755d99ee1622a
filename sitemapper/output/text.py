"""The text form of a sitemap: one absolute URL a line, UTF-8, nothing else (docs/protocol.md §0)."""

from __future__ import annotations

from collections.abc import Sequence

from ..config.settings import Settings
from ..model import LastMod, Listed


def head(_settings: Settings) -> bytes:
    """Nothing may stand before the first URL."""
    return b""


def render(entries: Sequence[Listed], _dates: Sequence[LastMod | None]) -> list[str]:
    """The URL of each entry, a line each."""
    return [entry.loc + "\n" for entry in entries]
