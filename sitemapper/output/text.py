"""The text form of a sitemap: one absolute URL a line, UTF-8, nothing else (docs/protocol.md §0)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..config.settings import Settings
from ..model import LastMod, Listed

# Text can carry no mark: the main sitemap names the files that are ours, by what follows its own stem.
_MARK = "<!-- sitemapper wrote the text form too: {} -->\n"
_ENDINGS = re.compile(rb"<!-- sitemapper wrote the text form too: ([^<>]*) -->")


def mark(endings: Iterable[str]) -> bytes:
    """What the main sitemap says of text files; nothing if there are none."""
    joined = " ".join(endings)
    return _MARK.format(joined).encode() if joined else b""


def marked_endings(sitemap: bytes) -> list[str]:
    """The endings of the text files that a main sitemap names as ours."""
    match = _ENDINGS.search(sitemap)
    return match[1].decode("ascii", "replace").split() if match else []


def head(_settings: Settings, _urls: int) -> bytes:
    """Nothing may stand before the first URL."""
    return b""


def render(entries: Sequence[Listed], _dates: Sequence[LastMod | None]) -> list[str]:
    """The URL of each entry, a line each."""
    return [entry.loc + "\n" for entry in entries]
