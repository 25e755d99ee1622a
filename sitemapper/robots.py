"""robots.txt as text: the Sitemap lines in it, and the text with ours. Every other byte stays."""

from __future__ import annotations

import re

# Google and RFC 9309 §2.2.4: the key in any case, spaces around the colon, CR, LF or CRLF at the end.
_SITEMAP = re.compile(rb"(?im)^[ \t]*sitemap[ \t]*:[ \t]*([^\r\n#]*?)[ \t]*(?:#[^\r\n]*)?(?=\r|\n|\Z)")
_BOM = b"\xef\xbb\xbf"


def sitemap_lines(text: bytes) -> list[str]:
    """The URLs that `Sitemap:` lines name, in order."""
    lines = text.removeprefix(_BOM).replace(b"\r", b"\n")
    return [url.decode("utf-8", "replace") for url in _SITEMAP.findall(lines)]


def with_sitemap(text: bytes, url: str) -> bytes:
    """The text with a line naming the sitemap, itself if there is one already."""
    if url in sitemap_lines(text):
        return text
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    joint = b"" if not text.removeprefix(_BOM) or text.endswith((b"\n", b"\r")) else newline
    return text + joint + b"Sitemap: " + url.encode() + newline
