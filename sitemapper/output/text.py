"""The text form of a sitemap: one absolute URL a line, UTF-8, nothing else (docs/PROTOCOL §0)."""

from __future__ import annotations

from collections.abc import Sequence

from sitemapper.config.settings import Settings
from sitemapper.model import Listed


def head(_settings: Settings) -> bytes:
    """Nothing may stand before the first URL."""
    return b""


def render(entries: Sequence[Listed]) -> list[str]:
    """The URL of each entry, a line each."""
    return [entry.loc + "\n" for entry in entries]
