"""robots.txt as text: may a URL be crawled, which Sitemap lines it has, and the text with ours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from protego import Protego

from .model import Origin

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


SIZE_LIMIT = 500 * 1024  # bytes; what lies behind need not be read (RFC 9309 §2.5, Google)
_DISALLOW = re.compile(r"(?im)^[ \t]*disallow[ \t]*:[ \t]*([^\s#]+)")


class Crawling(NamedTuple):
    """Which URLs robots.txt closes to all of the configured agents (RFC 9309, by protego).

    `closed` are the literal beginnings of all Disallow rules: a path with none of them is open.
    """

    rules: Protego
    agents: tuple[str, ...]
    closed: tuple[str, ...]
    text: str

    def forbids(self, loc: str) -> Origin | None:
        """Where robots.txt closes a URL; None if any of the agents may fetch it."""
        path = loc[loc.index("/", loc.index("://") + 3) :]
        if not path.startswith(self.closed) or any(self.rules.can_fetch(loc, a) for a in self.agents):
            return None
        return Origin("robots.txt", *self._line(path))

    def _line(self, path: str) -> tuple[int, str]:
        """The line that most probably decides: the longest Disallow whose beginning fits."""
        found = [m for m in _DISALLOW.finditer(self.text) if path.startswith(_beginning(m[1]))]
        best = max(found, key=lambda m: len(m[1]))
        return self.text.count("\n", 0, best.start()) + 1, best[0].strip()


def crawling(text: bytes, agents: Sequence[str]) -> Crawling:
    """The rules of a robots.txt; a byte order mark, which would void the first group, is taken off."""
    lines = text[:SIZE_LIMIT].removeprefix(_BOM).decode("utf-8", "replace")
    lines = lines.replace("\r\n", "\n").replace("\r", "\n")
    closed = tuple(sorted({_beginning(pattern) for pattern in _DISALLOW.findall(lines)}))
    return Crawling(Protego.parse(lines), tuple(agents), closed, lines)


def _beginning(pattern: str) -> str:
    """The part of a rule that can be compared as it is: no wildcard, no escape, ASCII."""
    return re.split(r"[*$%]|[^!-~]", pattern, maxsplit=1)[0]
