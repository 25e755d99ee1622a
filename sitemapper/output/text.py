"""The text form of a sitemap: one absolute URL a line, UTF-8, nothing else (docs/protocol.md §0)."""

from __future__ import annotations

from collections.abc import Sequence

from ..config.settings import Settings
from ..model import LastMod, Listed

# Text can carry no mark; that it is ours stands in the XML beside it.
MARK = b"<!-- sitemapper wrote the text form too -->"


def is_wanted(settings: Settings) -> bool:
    """Whether `text` is set."""
    return settings.sitemap.text


def head(_settings: Settings, _urls: int) -> bytes:
    """Nothing may stand before the first URL."""
    return b""


def render(entries: Sequence[Listed], _dates: Sequence[LastMod | None]) -> list[str]:
    """The URL of each entry, a line each."""
    return [entry.loc + "\n" for entry in entries]
